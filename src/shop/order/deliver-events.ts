import { callInTime, errorText, pauseAfter } from '../../money/queue.ts'
import { readEvent } from '../../webhooks/index.ts'
import { actShop } from '../books/actions.ts'
import { onceAnHour } from '../books/orders.ts'
import { sumOf } from '../books/register.ts'
import type { FailingRow } from '../books/tables.ts'
import { describeError, logError, nameOf } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import type { RaisedAlert } from '../options.ts'
import { readOrder } from './order.ts'
import { dequeue, getQueued, listQueued, needsPerson, putQueued, type QueuedEvent } from './queue.ts'
import { raiseAlert } from './raise-alert.ts'
import type { OrderScope } from './scope.ts'

/** How often `onEvent` may fail for one event before it is given up: about two days. */
const MAX_FAILURES = 20
/** Entries of one alarm: 20 calls of 25 seconds stay below an alarm's 15 minutes. */
const BATCH = 20

/** Calls `onEvent` for the events that are due, the least tried first. Money calls do not wait for it. */
export async function deliverEvents(scope: OrderScope): Promise<void> {
  const due = listQueued(scope.store).filter(({ given_up, next_at }) => !given_up && next_at <= scope.now())
  due.sort((a, b) => a.failures - b.failures || a.received_at - b.received_at)
  for (const { event_id } of due.slice(0, BATCH)) {
    // Again: it may have been handled, or erased, while those before it were.
    const entry = getQueued(scope.store, event_id)
    if (entry) await deliver(scope, entry)
  }
}

/**
 * Calls `onEvent` now for an event that it failed on. @returns Whether it succeeded.
 *
 * @throws {ProblemError} when the event is not failing, or there is no `onEvent`: the event goes on waiting for one.
 */
export function replayEvent(scope: OrderScope, { event_id }: FailingRow): Promise<boolean> {
  const entry = getQueued(scope.store, event_id)
  if (!entry) throw notFailing()
  if (!scope.onEvent) throw noOnEvent()
  const { given_up, ...again } = entry
  return deliver(scope, { ...again, failures: 0 })
}

/** Has `onEvent` called soon for an event that it has failed on since then. @returns Whether it will be. */
export async function replaySoon(
  { store, now }: OrderScope,
  { event_id, since }: FailingRow & { since: number },
): Promise<boolean> {
  const entry = getQueued(store, event_id)
  if (!entry || entry.failures === 0 || (entry.failed_at ?? entry.received_at) < since) return false
  const { given_up, ...again } = entry
  await putQueued(store, { ...again, failures: 0, next_at: now() })
  return true
}

export const noOnEvent = (): ProblemError =>
  new ProblemError(409, 'no_on_event', 'There is no onEvent to call.', 'The event waits until one is deployed.')

export const notFailing = (): ProblemError => new ProblemError(404, 'not_found', 'No such event is failing.')

export const waitingEvent = ({ store }: OrderScope, { event_id }: FailingRow): QueuedEvent | undefined =>
  getQueued(store, event_id)

/**
 * Calls `onEvent` for one entry. The call counts as a failure before it is made, and the next one is scheduled: code that
 * ends its Worker is not called again at once, and holds up no other event.
 *
 * @returns Whether it succeeded.
 */
async function deliver(scope: OrderScope, entry: QueuedEvent): Promise<boolean> {
  const { store } = scope
  const { event_id } = entry
  const order_id = String(entry.event.order_id)
  const called: QueuedEvent = {
    ...entry,
    failures: entry.failures + 1,
    next_at: scope.now() + pauseAfter(entry.failures + 1),
    failed_at: scope.now(),
  }
  if (entry.failures >= MAX_FAILURES) return giveUp(scope, entry)
  await putQueued(store, called)
  try {
    const { order } = readOrder(scope, order_id)
    // Its personal data may have been removed meanwhile.
    const event = readEvent((getQueued(store, event_id) ?? entry).event)
    await callInTime(() => scope.onEvent?.({ id: event_id, event }, order, scope.env))
  } catch (error) {
    const { failures } = called
    logError('on_event_failed', { event_id, order_id, attempts: failures, error: nameOf(error) })
    // Handled by another call.
    if (getQueued(store, event_id) === undefined) return false
    // A line about an erased event must not name its customer either.
    const failed = { ...called, error: entry.erased ? nameOf(error) : errorText(error) }
    if (failures >= MAX_FAILURES) return giveUp(scope, failed)
    await putQueued(store, { ...failed, next_at: scope.now() + pauseAfter(failures), failed_at: scope.now() })
    if (needsPerson(failed, scope.now())) await raiseFailing(scope, failed)
    return false
  }
  dequeue(store, event_id)
  return true
}

/** Once an hour for the whole shop, with the count of its failing events. */
async function raiseFailing(scope: OrderScope, entry: QueuedEvent): Promise<void> {
  try {
    if (!(await actShop(scope, 1, onceAnHour, 'on_event_failing'))) return
    const waiting = await actShop(scope, 1, sumOf, 'failing')
    raiseAlert(scope, { ...failingAlert(entry), waiting: Math.max(waiting, 1) })
  } catch (error) {
    logError('alert_not_counted', describeError(error))
    raiseAlert(scope, failingAlert(entry))
  }
}

export function failingAlert({ event_id, event, failures: attempts, given_up }: QueuedEvent): RaisedAlert {
  const kind = given_up ? 'on_event_given_up' : 'on_event_failing'
  return { kind, order_id: String(event.order_id), event_id, attempts }
}

async function giveUp(scope: OrderScope, entry: QueuedEvent): Promise<false> {
  const over = { ...entry, given_up: true as const }
  raiseAlert(scope, failingAlert(over))
  await putQueued(scope.store, over)
  return false
}
