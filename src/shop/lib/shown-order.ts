import type { ExpectedPayment, Order as FoldedOrder } from '../../orders/index.ts'
import type { UnsettledOperation } from '../../till/unsettled.ts'

/** An order as `GET /api/orders/:order_id` returns it. Amounts are the wire's numbers, totals are minor units. */
export interface Order extends FoldedOrder {
  order_id: string
  /** Each operation has the time at which the shop received its current status, ISO 8601, UTC. */
  operations: (FoldedOrder['operations'][number] & { received_at?: string })[]
  /** When the shop received the order's status, ISO 8601, UTC. */
  status_at?: string
  /** Captures, refunds and voids whose outcome is not known yet. */
  attempts: UnsettledOperation[]
  /** The shop's own name of the sale, as its link had it. */
  reference?: string
  /** The customer's e-mail address, as the link had it; gone when the personal data was removed. */
  customer_email?: string
  /** The order_id of the attempt that took this order's place, when there is one. */
  replaced_by?: string
  /** The order that this attempt belongs to, when it is not the first. */
  replaces?: string
}

/** The part of an order that a customer's page needs. */
export interface OrderStatus extends Pick<Order, 'status' | 'method' | 'amount' | 'currency' | 'totals'> {
  /** The payment was cancelled, rather than declined. */
  cancelled: boolean
  /** When the shop received the final status, ISO 8601, UTC. */
  at?: string | undefined
  /** The address of the service's receipt; gone when the personal data was removed. */
  receipt_url?: string | undefined
  /** The card's last four digits; gone when the personal data was removed. */
  card?: string | undefined
}

/** The part of an order that a page shows. */
export interface OrderPage {
  status: OrderStatus | undefined
  /** `purchase` or `auth`, from the checkout. */
  method: string | undefined
  /** The request. */
  expected: ExpectedPayment | undefined
  /** The bought goods, as the link has them; gone when the personal data was removed. */
  description: string | undefined
  /** The path of the order's link. */
  link: string | undefined
  /** The language that the link requests. */
  lang: string | undefined
  /** The link can no longer be paid: it was closed, or the shop cancelled the order. */
  isClosed: boolean
}

/** The data of the customer's pages. Personal data, which erasing removes. */
export interface CheckoutPage {
  /** The path of the link, for another try after a decline. */
  link: string
  origin: string
  lang?: string | undefined
  description?: string | undefined
}
