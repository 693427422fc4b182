// The loop of every driver of protocol.ts: read, decide, carry out, until nothing follows any more.

import type { WebhookEvent } from '../schemas/event.ts'
import { eventFrom, lookedUp } from './calls.ts'
import { type Command, type Message, type MoneyAnswer, type MoneyOperation, type OrderState, step } from './protocol.ts'

type Of<Type extends Command['type']> = Extract<Command, { type: Type }>

/** Carries out the protocol's commands over some storage. */
export interface Driver {
  /** The order's state for a message. `before`: what the last message has led to. */
  read(message: Message, before: OrderState | undefined): Promise<OrderState>
  now(): number
  /** @throws LOST where the order has changed since it was read: nothing was written. */
  store(command: Of<'store'>, message: Message): unknown
  contradict(command: Of<'contradict'>): unknown
  watch?(command: Of<'watch'>): unknown
  unwatch?(command: Of<'unwatch'>): unknown
  send(operation: MoneyOperation): Promise<Message>
  /** Stores the response of a call. */
  file(event: WebhookEvent, operation: MoneyOperation): Promise<unknown>
  /** Stores what the service lists: for one operation, or of the whole order. */
  list(operation?: MoneyOperation): Promise<unknown>
  lookUp(command: Of<'look_up'>): Promise<Parameters<typeof lookedUp>[1]>
  /** Could not be stored beside a call: a later look does it. */
  failed?(operation: MoneyOperation, code: string, error: unknown): void
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
        const said = await carryOut(driver, command, heard)
        if (said) messages.push(said)
      }
      return state
    })
  }
  if (!answer && first.type !== 'check') throw new Error('No answer.')
  return answer
}

/** @returns The message that follows from a command. */
async function carryOut(driver: Driver, command: Command, heard: Message): Promise<Message | undefined> {
  const { operation } = command as { operation: MoneyOperation }
  const failed = (code: string) => (error: unknown) => driver.failed?.(operation, code, error)
  switch (command.type) {
    case 'then':
      return command.message
    case 'send':
      return driver.send(operation)
    case 'look_up':
      return lookedUp(operation, await driver.lookUp(command))
    case 'list':
      await driver.list(operation).catch(failed('reconciliation_failed'))
      return command.message
    case 'list_all':
      await driver.list()
      return { type: 'request', request: command.request }
    case 'file':
      await driver.file(eventFrom(operation.kind, command.record), operation).catch(failed('operation_not_logged'))
      return
    case 'answer':
      return
    default:
      await driver[command.type]?.(command as never, heard)
  }
}
