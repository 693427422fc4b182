import { attemptId, type CheckoutRecord, getCheckout } from './checkouts.ts'
import { type LoggedFact, listEvents, orderKeyOf } from './event-log.ts'
import type { Fact } from './event-summary.ts'
import { foldOrder } from './fold.ts'
import type { State } from './kv.ts'
import type { Order } from './order.ts'

/** An order and what it was read from. */
export interface OrderReading {
  order: Order
  facts: LoggedFact[]
  checkout: CheckoutRecord | undefined
}

/** Reads an order: one list and one get, however many events it has. An order that nobody knows has no facts and no checkout. */
export async function readOrder(state: State, order_id: string): Promise<OrderReading> {
  const [facts, checkout] = await Promise.all([
    orderKeyOf(order_id).then((key) => listEvents(state, key)),
    getCheckout(state, order_id),
  ])
  return { order: orderFrom(order_id, facts, checkout), facts, checkout }
}

/** Folds an order; `checkout` adds what was asked for and how its attempts are linked. */
export function orderFrom(order_id: string, facts: readonly Fact[], checkout: CheckoutRecord | undefined): Order {
  const order = foldOrder(order_id, facts, checkout)
  if (checkout && checkout.attempts > 1) order.replaced_by = attemptId(order_id, checkout.attempts)
  if (checkout?.replaces !== undefined) order.replaces = checkout.replaces
  return order
}
