// The loop of every driver of protocol.ts: read, decide, execute, until no message follows.

import type { WebhookEvent } from '../schemas/event.ts'
import { eventFrom, lookedUp } from './calls.ts'
import { type Command, type Message, type MoneyAnswer, type MoneyOperation, type OrderState, step } from './protocol.ts'

type Of<Type extends Command['type']> = Extract<Command, { type: Type }>

/** Executes the protocol's commands over a storage. */
export interface Driver {
  /** The order's state for a message. `before`: the state after the last message. */
  read(message: Message, before: OrderState | undefined): Promise<OrderState>
  now(): number
  /** @throws LOST if the order has changed since it was read: no row was written. */
  store(command: Of<'store'>, message: Message): unknown
  contradict(command: Of<'contradict'>): unknown
  send(operation: MoneyOperation): Promise<Message>
  /** Stores the response of a call. */
  storeResponse(event: WebhookEvent): Promise<unknown>
  /** Stores the service's list for an operation, or of the whole order. */
  list(operation?: MoneyOperation): Promise<unknown>
  lookUp(command: Of<'look_up'>): Promise<Parameters<typeof lookedUp>[1]>
}

/** Thrown when a decision from an older state was not written. */
export const LOST: unique symbol = Symbol('lost')

const isLost = (error: unknown): boolean => error === LOST
const STALE = Object.assign(new Error('The database returns outdated rows of an order.'), {
  name: 'StorageError',
})

/**
 * Reads, decides and writes, and repeats that if the order has changed in between. Random pauses keep callers with the
 * same order from colliding at each try: on average 100 tries take 2.5 seconds.
 * @param mayRepeat The errors after which it is repeated. @throws The last error after `tries`.
 */
export async function again<T>(
  work: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = isLost,
  tries = 200,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (!mayRepeat(error)) throw error
      if (tried === tries) throw isLost(error) ? STALE : error
    }
    if (tried > 2) await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tried, 50)))
  }
}

/** Works on eight items at once: an item that hangs must not hold up the others. */
export async function sideBySide<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const next = async () => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, next))
}

/** Plays a message, and every message that follows from it. @returns The answer to its caller, if any. */
export async function drive(driver: Driver, first: Message): Promise<MoneyAnswer | undefined> {
  const messages = [first]
  let answer: MoneyAnswer | undefined
  let before: OrderState | undefined
  for (let message = messages.shift(); message; message = messages.shift()) {
    const played = message
    before = await again(async () => {
      const waiting = before?.waiting && { waiting: before.waiting }
      const read = await driver.read(played, before)
      const { state, commands } = step({ ...read, ...waiting }, played, driver.now())
      for (const command of commands) {
        if (command.type === 'answer') answer = command.answer
        const followed = await carryOut(driver, command, played)
        if (followed) messages.push(followed)
      }
      return state
    })
  }
  if (!answer && first.type !== 'check') throw new Error('No answer.')
  return answer
}

/** @returns The message that follows from a command. */
async function carryOut(driver: Driver, command: Command, played: Message): Promise<Message | undefined> {
  const { operation } = command as { operation: MoneyOperation }
  switch (command.type) {
    case 'then':
      return command.message
    case 'send':
      return driver.send(operation)
    case 'look_up':
      return lookedUp(operation, await driver.lookUp(command))
    case 'list':
      await driver.list(operation).catch(() => {})
      return command.message
    case 'list_all':
      await driver.list()
      return { type: 'request', request: command.request }
    case 'store_response':
      // If this fails, a later look-up stores it.
      await driver.storeResponse(eventFrom(operation.kind, command.record)).catch(() => {})
      return
    case 'answer':
      return
    default:
      await driver[command.type]?.(command as never, played)
  }
}
