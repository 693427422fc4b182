import { type EventSummary, foldSummaries } from '../sdk.ts'
import { attemptId, type CheckoutRecord, getCheckout } from './checkouts.ts'
import { type LoggedEvent, listEvents, orderKeyOf } from './event-log.ts'
import type { KvStore } from './kv.ts'
import type { Order } from './order.ts'

/** An order and what it was read from. */
export interface OrderReading {
  order: Order
  summaries: LoggedEvent[]
  checkout: CheckoutRecord | undefined
}

/** Reads an order: one list and one get, however many events it has. An order that nobody knows has no summaries and no checkout. */
export async function readOrder(state: KvStore, order_id: string): Promise<OrderReading> {
  const [summaries, checkout] = await Promise.all([
    orderKeyOf(order_id).then((key) => listEvents(state, key)),
    getCheckout(state, order_id),
  ])
  return { order: orderFrom(order_id, summaries, checkout), summaries, checkout }
}

/** Folds an order; `checkout` adds what was asked for and how its attempts are linked. */
export function orderFrom(
  order_id: string,
  summaries: readonly EventSummary[],
  checkout: CheckoutRecord | undefined,
): Order {
  const order: Order = { ...foldSummaries(order_id, summaries, checkout), order_id }
  if (!checkout && summaries.length > 0) order.flags.unshift('unknown_order')
  if (checkout && checkout.attempts > 1) order.replaced_by = attemptId(order_id, checkout.attempts)
  if (checkout?.replaces !== undefined) order.replaces = checkout.replaces
  return order
}
