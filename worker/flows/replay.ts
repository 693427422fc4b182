import type { Context } from '../context.ts'
import { ProblemError } from '../lib/problem.ts'
import { getEvent, orderKeyOf, webhookOf } from '../store/event-log.ts'
import { deleteRetry } from '../store/event-progress.ts'
import { readOrder } from '../store/order.ts'
import { runEntry } from './drain-outbox.ts'
import { runOnEvent } from './run-on-event.ts'

/**
 * Calls `onEvent` now for an event that it failed on. @returns Whether it succeeded.
 *
 * @throws {ProblemError} when the event is not failing, or there is no `onEvent`: the event goes on waiting for one.
 */
export async function replay(context: Context, order_id: string, event_id: string): Promise<boolean> {
  const { outbox, store, env, onEvent } = context
  if (outbox) {
    const entry = await outbox.get(event_id)
    if (!entry) throw notFailing()
    if (!onEvent) throw noOnEvent()
    const { given_up, ...again } = entry
    return runEntry(context, outbox, { ...again, attempts: 0 })
  }
  const stored = await getEvent(store, await orderKeyOf(order_id), event_id)
  if (!stored) throw notFailing()
  if (!onEvent) throw noOnEvent()
  const { order } = await readOrder(store, order_id, env.POS_ID)
  const handled = await runOnEvent(context, { id: event_id, event: webhookOf(stored) }, order)
  if (handled) await deleteRetry(store, event_id)
  return handled
}

const noOnEvent = (): ProblemError =>
  new ProblemError(409, 'no_on_event', 'There is no onEvent to call.', 'The event waits until one is deployed.')

export const notFailing = (): ProblemError => new ProblemError(404, 'not_found', 'No such event is failing.')
