// The loop of every driver of protocol.ts: read, decide, carry out, until nothing follows any more.

import { type Command, type Message, type MoneyAnswer, type OrderState, step } from './protocol.ts'

/** Carries out the protocol's commands over some storage. */
export interface Driver {
  /** The order's state for a message. `before`: what the last message has led to. */
  read(message: Message, before: OrderState | undefined): Promise<OrderState>
  now(): number
  /** @returns The message that follows. @throws LOST where the order has changed since it was read: nothing was written. */
  carryOut(command: Exclude<Command, { type: 'answer' | 'then' }>, message: Message): Promise<Message | undefined>
}

/** A decision from an older state is not written. */
export const LOST: unique symbol = Symbol('lost')

/** Reads, decides and writes, and does it again where the order has changed meanwhile. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error !== LOST) throw error
    }
  }
}

/** Plays a message and all that follow from it. @returns The answer to the caller, where there is one. */
export async function drive(driver: Driver, first: Message): Promise<MoneyAnswer | undefined> {
  const messages = [first]
  let answer: MoneyAnswer | undefined
  let before: OrderState | undefined
  for (let message = messages.shift(); message; message = messages.shift()) {
    const heard = message
    before = await again(async () => {
      const waiting = before?.waiting && { waiting: before.waiting }
      const read = await driver.read(heard, before)
      const { state, commands } = step({ ...read, ...waiting }, heard, driver.now())
      for (const command of commands) {
        if (command.type === 'answer') answer = command.answer
        else {
          const said = command.type === 'then' ? command.message : await driver.carryOut(command, heard)
          if (said) messages.push(said)
        }
      }
      return state
    })
  }
  return answer
}
