import type { ExpectedPayment } from '../sdk.ts'
import { orderKeyOf } from './event-log.ts'
import type { KvStore } from './kv.ts'

/** What this worker knows of paying an order: the value of `checkout/<order key>`. */
export interface CheckoutRecord extends ExpectedPayment {
  /** What was asked for. */
  amount: number
  currency: string
  /** `purchase` or `auth`: what a re-send asks for. */
  method: string
  /** How many order_ids were tried: 1 is the order's own, 2 is `<order>~2`. */
  attempts: number
  /** Where the customer pays. Absent while it is not known whether the payment was created. */
  url?: string
  /** The worker's origin, as the link has it. */
  origin?: string
  /** The path of the link, for another try after a decline. */
  link?: string
  /** The order that this one is a further attempt at. */
  replaces?: string
  /** Set when the shop cancelled the order: its link leads to no further payment. */
  cancelled?: true
}

/** The order that an attempt's order_id belongs to. */
export const baseOrderId = (order_id: string): string => order_id.replace(/~\d+$/, '')

/** The order_id of the n-th attempt at paying an order. */
export const attemptId = (order_id: string, attempt: number): string =>
  attempt === 1 ? order_id : `${order_id}~${attempt}`

/**
 * Key `checkout/<order key>`; no metadata; kept permanently, because what was asked for is compared with what is paid,
 * however late.
 */
export async function putCheckout(store: KvStore, order_id: string, record: CheckoutRecord): Promise<void> {
  await store.put(`checkout/${await orderKeyOf(order_id)}`, record)
}

export async function getCheckout(store: KvStore, order_id: string): Promise<CheckoutRecord | undefined> {
  return (await store.get(`checkout/${await orderKeyOf(order_id)}`)) as CheckoutRecord | undefined
}
