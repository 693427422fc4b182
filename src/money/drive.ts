// The loop of every driver of protocol.ts: read, decide, carry out, until nothing follows any more.

import { type Command, type Message, type MoneyAnswer, type OrderState, step } from './protocol.ts'

/** What carries out the protocol's commands over some storage. */
export interface Driver {
  /** The order's state for a message. `before`: what the last message has led to. */
  read(message: Message, before: OrderState | undefined): Promise<OrderState>
  now(): number
  /** @returns The message that follows. @throws LOST where the order has changed since it was read: nothing was written. */
  carryOut(command: Exclude<Command, { type: 'answer' | 'then' }>, message: Message): Promise<Message | undefined>
}

/** What was decided from an older state is not written: the order is read again, and decided again. */
export const LOST: unique symbol = Symbol('lost')

/** Plays a message and all that follow from it. @returns The answer to the caller, where there is one. */
export async function drive(driver: Driver, first: Message): Promise<MoneyAnswer | undefined> {
  const messages = [first]
  let answer: MoneyAnswer | undefined
  let state: OrderState | undefined
  for (let message = messages.shift(); message; message = messages.shift()) {
    const waiting = state?.waiting
    const read = await driver.read(message, state)
    const next = step({ ...read, ...(waiting && { waiting }) }, message, driver.now())
    try {
      for (const command of next.commands) {
        if (command.type === 'answer') answer = command.answer
        else {
          const said = command.type === 'then' ? command.message : await driver.carryOut(command, message)
          if (said) messages.push(said)
        }
      }
      state = next.state
    } catch (error) {
      if (error !== LOST) throw error
      messages.unshift(waiting ? { type: 'request', request: waiting } : message)
    }
  }
  return answer
}
