import { orderKeyOf } from './event-log.ts'
import type { OrderStore } from './order-store.ts'

const PREFIX = 'revoked/'

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
  await store.put(PREFIX + nonce, { at, expires_at: expiresAt }, undefined, seconds)
}

/** Whether the link with this path was revoked. */
export async function isRevoked(store: OrderStore, path: string): Promise<boolean> {
  return (await store.get(PREFIX + nonceOfPath(path))) !== undefined
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
