import { type Context, emptyState } from '../context.ts'
import { InputError } from '../parse-input.ts'
import { timestamp } from '../state/time.ts'

/** Goes back to the start. */
export function forgetAll({ options, ids, sources, state, scheduler, deliveries, activity, faults }: Context): void {
  scheduler.reset()
  deliveries.clear()
  activity.clear()
  faults.clear()
  for (const source of Object.values(sources)) source.restart()
  Object.assign(state, emptyState(options, ids))
  activity.publish({ type: 'reset', at: timestamp(scheduler.now()) })
}

/** Forgets one order with its webhooks, requests, notes and faults, and what is scheduled for it. */
export function forgetOrder({ state, scheduler, deliveries, activity, faults }: Context, orderId: string): void {
  const order = state.orders.get(orderId)
  if (order === undefined) throw new InputError(`No order has the order_id ${JSON.stringify(orderId)}.`, 'order_id')
  state.orders.delete(orderId)
  state.checkouts.delete(order.checkout_id)
  const ids = deliveries.forget(orderId)
  scheduler.forget([orderId, ...ids])
  activity.forget(orderId)
  faults.forget(orderId)
  activity.publish({ type: 'reset', at: timestamp(scheduler.now()) })
}
