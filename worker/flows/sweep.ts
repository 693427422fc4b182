import type { Context } from '../context.ts'
import { getEvent, orderKeyOf, webhookOf } from '../store/event-log.ts'
import { deleteRetry, getRetry, isDone } from '../store/event-progress.ts'
import { type OrderReading, readOrder } from '../store/order.ts'
import { runOnEvent } from './run-on-event.ts'

const MINUTE_MS = 60_000
/** Younger events may be in progress at this moment. */
const IN_PROGRESS_MS = 2 * MINUTE_MS
/** From so many calls of KV on, a run begins nothing more: it may make 1,000, and the removal of personal data needs some. */
const CALLS = 700

/** Whether a run of the cron has made as many calls of KV as it may. Those of a gate are not counted. */
export const isSpent = ({ store }: Context): boolean => (store.calls ?? 0) >= CALLS

/** Older ones were looked at before. */
export const WINDOW_MS: number = 48 * 60 * MINUTE_MS

/**
 * Finds the events of an order that were stored and of which `onEvent` was never told, because the worker died or the
 * storage failed in between: over KV alone it is called for them, in a gate the payment's are queued.
 *
 * @returns False when `onEvent` failed for one, true when one was finished, undefined when there was none.
 */
export async function sweep(context: Context, order_id: string): Promise<boolean | undefined> {
  const { store, env, outbox } = context
  const now = context.now()
  const reading = await readOrder(store, order_id, env.POS_ID, false)
  let finished: boolean | undefined
  for (const { id, received_at, operation_id } of reading.events) {
    if (outbox) {
      // The response to a call of this worker is not an event for `onEvent`.
      if (operation_id !== undefined || (await outbox.wasQueued(id))) continue
      // Before there was a gate.
      if (await isDone(store, id)) continue
      const stored = await getEvent(store, await orderKeyOf(order_id), id)
      if (stored) await outbox.add(id, stored, now)
      continue
    }
    const age = now - received_at
    if (age < IN_PROGRESS_MS || age > WINDOW_MS) continue
    if (isSpent(context)) break
    if ((await isDone(store, id)) || (await getRetry(store, id))) continue
    finished = (await finish(context, order_id, id, reading)) === true && finished !== false
  }
  return finished
}

/** @returns Undefined when the event itself cannot be read. */
export async function finish(
  context: Context,
  order_id: string,
  id: string,
  { order }: OrderReading,
): Promise<boolean | undefined> {
  const stored = await getEvent(context.store, await orderKeyOf(order_id), id)
  // KV shows the event's key here but not its value yet: the next run will see it.
  if (!stored) return undefined
  const finished = await runOnEvent(context, { id, event: webhookOf(stored) }, order)
  if (finished) await deleteRetry(context.store, id)
  return finished
}
