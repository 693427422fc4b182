import { attemptId, baseOrderId } from '../lib/attempt-id.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { orderKeyOf } from './events.ts'
import type { OrderStore } from './order-store.ts'

/** What this worker knows of paying an order: the value of `checkout/<order key>`. */
export interface CheckoutRecord extends ExpectedOrder {
  /** What was asked for. */
  amount: number
  currency: string
  /** `purchase` or `auth`: what a re-send asks for. */
  method: string
  /** What is bought; gone when the personal data was removed. */
  description?: string
  /** How many order_ids were tried: 1 is the order's own, 2 is `<order>~2`. */
  attempts: number
  /** Where the customer pays. Absent while it is not known whether the payment was created. */
  url?: string
  /** When the customer was last brought to `url` for the first time or after a day, milliseconds since 1970. */
  opened_at?: number
  /** The worker's origin, as the link has it. */
  origin?: string
  /** The path of the link, for another try after a decline. */
  link?: string
  /** When the link that leads there longest expires, milliseconds since 1970: until then no other link ends the payment. */
  expires_at: number
  /** Set when the payment was cancelled because its link had expired: a new link leads to a further attempt. */
  expired?: true
  /** The language that the link asks the checkout for. */
  lang?: string
  customer_name?: string
  /** Where the shop writes to the customer. */
  customer_email?: string
  /** The order that this one is a further attempt at. */
  replaces?: string
}

/** Key `checkout/<order key>`; kept permanently: what was asked for is compared with what is paid, however late. */
export async function putCheckout(store: OrderStore, order_id: string, record: CheckoutRecord): Promise<void> {
  await store.put(`checkout/${await orderKeyOf(order_id)}`, record)
}

export async function getCheckout(store: OrderStore, order_id: string): Promise<CheckoutRecord | undefined> {
  return (await store.get(`checkout/${await orderKeyOf(order_id)}`)) as CheckoutRecord | undefined
}

/** The number of the latest attempt that was announced: the order's own record may not say so yet. */
export async function latestAttempt(store: OrderStore, order_id: string, attempts = 1): Promise<number> {
  const next = await getCheckout(store, attemptId(order_id, attempts + 1))
  return next?.replaces === order_id ? latestAttempt(store, order_id, attempts + 1) : attempts
}

/** The order that is meant by the id of one of its attempts. */
export async function orderOf(store: OrderStore, named: string): Promise<string> {
  const base = baseOrderId(named)
  if (base === named) return named
  const isFirst = named === `${base}~1` && (await getCheckout(store, base)) !== undefined
  return (await getCheckout(store, named))?.replaces ?? (isFirst ? base : named)
}

/** A link's token begins with 16 characters that no other link has. */
const nonceOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1).slice(0, 16)

/**
 * Revokes a link.
 *
 * Key `revoked/<first 16 characters of the link's token>`; value: when; gone when the link has expired.
 */
export async function putRevocation(
  store: OrderStore,
  nonce: string,
  { at, expiresAt }: { at: number; expiresAt: number },
): Promise<void> {
  const seconds = Math.max(Math.ceil((expiresAt - at) / 1000), 1)
  await store.put(`revoked/${nonce}`, { at, expires_at: expiresAt }, undefined, seconds)
}

/** Whether the link with this path was revoked. */
export async function isRevoked(store: OrderStore, path: string): Promise<boolean> {
  return (await store.get(`revoked/${nonceOfPath(path)}`)) !== undefined
}

/**
 * Closes the links of an order that the shop cancelled.
 *
 * Key `closed/<order key>`; value: when; kept permanently. Not in the checkout's record: a visit may be about to write that.
 */
export async function closeLinks(store: OrderStore, order_id: string, at: number): Promise<void> {
  await store.put(`closed/${await orderKeyOf(order_id)}`, { at })
}

/** Whether the shop cancelled the order. */
export async function areClosed(store: OrderStore, order_id: string): Promise<boolean> {
  return (await store.get(`closed/${await orderKeyOf(order_id)}`)) !== undefined
}
