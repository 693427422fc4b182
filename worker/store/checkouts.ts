import { orderKeyOf } from './event-log.ts'
import type { KvStore } from './kv.ts'

/** What this worker knows of paying an order: the value of `checkout/<order key>`. */
export interface CheckoutRecord {
  /** What was asked for. */
  amount: number
  currency: string
  /** `purchase` or `auth`: what a re-send asks for. */
  method: string
  /** How many order_ids were tried: 1 is the order's own, 2 is `<order>~2`. */
  attempts: number
  /** Where the customer pays. Absent while nobody knows whether the payment was created. */
  url?: string
  /** The order that this one is a further attempt at. */
  replaces?: string
}

/** The order_id of the n-th attempt at paying an order. */
export const attemptId = (order_id: string, attempt: number): string =>
  attempt === 1 ? order_id : `${order_id}~${attempt}`

/**
 * Key `checkout/<order key>`; no metadata; kept for good, because what was asked for is compared with what is paid,
 * however late.
 */
export async function putCheckout(state: KvStore, order_id: string, record: CheckoutRecord): Promise<void> {
  await state.put(`checkout/${await orderKeyOf(order_id)}`, record)
}

export async function getCheckout(state: KvStore, order_id: string): Promise<CheckoutRecord | undefined> {
  return (await state.get(`checkout/${await orderKeyOf(order_id)}`)) as CheckoutRecord | undefined
}
