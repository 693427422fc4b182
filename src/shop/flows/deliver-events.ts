import { logError, nameOf } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import type { ReceivedEvent } from '../options.ts'
import type { OrderScope } from '../scope.ts'
import { orderIdOf, webhookOf } from '../store/event-log.ts'
import { deleteFailing, putFailing } from '../store/failing-events.ts'
import { ignoreOutage } from '../store/kv.ts'
import { type Order, readOrder } from '../store/order.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { raiseAlert } from './raise-alert.ts'

/** How long `onEvent` may take. */
const ON_EVENT_MS = 25_000
/** How often `onEvent` may fail for one event before it is given up: about two days. */
const MAX_FAILURES = 20
const MAX_PAUSE_MS = 6 * 3_600_000
/** Entries of one alarm: 20 calls of 25 seconds stay below an alarm's 15 minutes. */
const BATCH = 20

/** Milliseconds after the n-th failure: 1, 2, 4 … seconds, at most 6 hours. */
const pauseAfter = (failures: number): number => Math.min(1000 * 2 ** (failures - 1), MAX_PAUSE_MS)

/** Calls `onEvent` for the events that are due, the oldest first. Money calls do not wait for it. */
export async function deliverEvents(scope: OrderScope): Promise<void> {
  const due = (await scope.outbox.list()).filter(({ given_up, next_at }) => !given_up && next_at <= scope.now())
  due.sort((a, b) => a.received_at - b.received_at)
  for (const entry of due.slice(0, BATCH)) await deliver(scope, entry)
}

/**
 * Calls `onEvent` now for an event that it failed on. @returns Whether it succeeded.
 *
 * @throws {ProblemError} when the event is not failing, or there is no `onEvent`: the event goes on waiting for one.
 */
export async function replayEvent(scope: OrderScope, _: string, event_id: string): Promise<boolean> {
  const entry = await scope.outbox.get(event_id)
  if (!entry) throw notFailing()
  if (!scope.onEvent) {
    throw new ProblemError(409, 'no_on_event', 'There is no onEvent to call.', 'The event waits until one is deployed.')
  }
  const { given_up, ...again } = entry
  return deliver(scope, { ...again, failures: 0 })
}

export const notFailing = (): ProblemError => new ProblemError(404, 'not_found', 'No such event is failing.')

/** The state of an event that waits for `onEvent`. */
export type WaitingEvent = Pick<OutboxEntry, 'failures' | 'next_at' | 'error' | 'given_up'>

export async function waitingEvent(
  { outbox }: OrderScope,
  _: string,
  event_id: string,
): Promise<WaitingEvent | undefined> {
  const entry = await outbox.get(event_id)
  if (!entry) return undefined
  const { failures, next_at, error, given_up } = entry
  return { failures, next_at, ...(error !== undefined && { error }), ...(given_up && { given_up }) }
}

/** Calls `onEvent` for one entry and records how it went. @returns Whether it succeeded. */
async function deliver(scope: OrderScope, entry: OutboxEntry): Promise<boolean> {
  const { outbox, kv } = scope
  const event = webhookOf(entry)
  const order_id = orderIdOf(event) ?? ''
  try {
    const { order } = await readOrder(scope.store, order_id, scope.env.POS_ID)
    await callOnEvent(scope, { id: entry.event_id, event }, order)
  } catch (error) {
    await recordFailure(scope, order_id, entry, error)
    return false
  }
  await outbox.remove(entry.event_id)
  // A row that stays leads to nothing: whoever lists it asks this queue.
  if (entry.listed) await deleteFailing(kv, entry.event_id).catch(ignoreOutage)
  return true
}

async function recordFailure(scope: OrderScope, order_id: string, entry: OutboxEntry, error: unknown): Promise<void> {
  const { outbox, kv } = scope
  const { event_id } = entry
  const failures = entry.failures + 1
  const given_up = failures >= MAX_FAILURES
  if (given_up) raiseAlert(scope, { kind: 'on_event_given_up', order_id, event_id, attempts: failures })
  else logError('on_event_failed', { event_id, order_id, attempts: failures, error: nameOf(error) })
  // Erased while `onEvent` ran: it must not come back.
  if ((await outbox.get(event_id)) === undefined) return
  const listed = entry.listed ?? (await putFailing(kv, event_id, order_id).then(() => true as const, ignoreOutage))
  await outbox.put({
    ...entry,
    failures,
    error: textOf(error),
    next_at: scope.now() + pauseAfter(failures),
    ...(given_up && { given_up }),
    ...(listed && { listed }),
  })
}

/**
 * Calls the merchant's code with a time limit. A call that takes longer counts as failed, and is made again.
 *
 * @throws The error of `onEvent`, or one that names the limit.
 */
async function callOnEvent({ onEvent, env }: OrderScope, received: ReceivedEvent, order: Order): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const text = `onEvent took longer than ${ON_EVENT_MS / 1000} seconds`
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(text, 'TimeoutError')), ON_EVENT_MS)
  })
  try {
    await Promise.race([onEvent?.(received, order, env), limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Name and message of an error of `onEvent`. Total: `String` throws for an object without a prototype. */
function textOf(error: unknown): string {
  try {
    return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500)
  } catch {
    return typeof error
  }
}
