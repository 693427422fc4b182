import type { Context } from '../context.ts'
import { ProblemError } from '../lib/problem.ts'
import { getEvent, orderKeyOf, webhookOf } from '../store/event-log.ts'
import { deleteRetry } from '../store/event-progress.ts'
import { readOrder } from '../store/order.ts'
import { runEntry } from './drain-outbox.ts'
import { runOnEvent } from './run-on-event.ts'

/** Calls `onEvent` now for an event that it failed on. @returns Whether it succeeded. */
export async function replay(context: Context, order_id: string, event_id: string): Promise<boolean> {
  const { outbox, store, env } = context
  if (outbox) {
    const entry = await outbox.get(event_id)
    if (!entry) throw notFailing()
    const { given_up, ...again } = entry
    return runEntry(context, outbox, { ...again, attempts: 0 })
  }
  const stored = await getEvent(store, await orderKeyOf(order_id), event_id)
  if (!stored) throw notFailing()
  const { order } = await readOrder(store, order_id, env.POS_ID)
  const handled = await runOnEvent(context, { id: event_id, event: webhookOf(stored) }, order)
  if (handled) await deleteRetry(store, event_id)
  return handled
}

export const notFailing = (): ProblemError => new ProblemError(404, 'not_found', 'No such event is failing.')
