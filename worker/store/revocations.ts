import { orderKeyOf } from './event-log.ts'
import type { KvStore } from './kv.ts'

/** KV's shortest time to live. */
const SHORTEST_SECONDS = 60
const PREFIX = 'revoked/'

/** A link's token begins with 16 characters that no other link has. */
const nonceOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1).slice(0, 16)

/**
 * Revokes a link.
 *
 * Key `revoked/<first 16 characters of the link's token>`; value: when; gone when the link has expired.
 */
export async function putRevocation(
  store: KvStore,
  nonce: string,
  { at, expiresAt }: { at: number; expiresAt: number },
): Promise<void> {
  const seconds = Math.ceil((expiresAt - at) / 1000)
  await store.put(PREFIX + nonce, { at, expires_at: expiresAt }, undefined, Math.max(seconds, SHORTEST_SECONDS))
}

/** Whether the link with this path was revoked. */
export async function isRevoked(store: KvStore, path: string): Promise<boolean> {
  return (await store.get(PREFIX + nonceOfPath(path))) !== undefined
}

/**
 * Closes the links of an order that the shop cancelled.
 *
 * Key `closed/<order key>`; value: when; kept permanently. Not in the checkout's record: a visit may be about to write that.
 */
export async function closeLinks(store: KvStore, order_id: string, at: number): Promise<void> {
  await store.put(`closed/${await orderKeyOf(order_id)}`, { at })
}

/** Whether the shop cancelled the order. */
export async function areClosed(store: KvStore, order_id: string): Promise<boolean> {
  return (await store.get(`closed/${await orderKeyOf(order_id)}`)) !== undefined
}

/**
 * Holds up the visits that are under way while an order is cancelled: over KV alone they do not come in turn.
 *
 * Key `closing/<order key>`; value: since when; gone after a minute.
 */
export async function holdVisits(store: KvStore, order_id: string, at: number): Promise<void> {
  await store.put(`closing/${await orderKeyOf(order_id)}`, { at }, undefined, SHORTEST_SECONDS)
}

/** Whether a visit has to look again before it leads to a payment. */
export async function mustLookAgain(store: KvStore, order_id: string, path: string): Promise<boolean> {
  const held = store.get(`closing/${await orderKeyOf(order_id)}`)
  const [closing, ...closed] = await Promise.all([held, areClosed(store, order_id), isRevoked(store, path)])
  return closing !== undefined || closed.includes(true)
}
