import type { Order as FoldedOrder } from '../sdk.ts'

/** An order as `GET /api/orders/:order_id` returns it. Amounts are the wire's numbers, totals are minor units. */
export interface Order extends FoldedOrder {
  order_id: string
  /** The order_id of the attempt that took this order's place, when there is one. */
  replaced_by?: string
  /** The order that this attempt belongs to, when it is not the first. */
  replaces?: string
}
