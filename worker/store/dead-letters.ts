import { sha256 } from '../lib/crypto.ts'
import type { KvStore } from './kv.ts'

/** A genuine webhook that cannot be filed under an order. */
export interface DeadLetter {
  id: string
  /** `not_base64url`, `not_utf8`, `not_json`, `too_deep`, or `no_order_id`. */
  reason: string
  received_at: number
}

/**
 * Keeps a genuine webhook that cannot be read, cannot be stored as an object, or names no order.
 *
 * Key `stray/<hash of data>`; value: the raw `data`; metadata: reason, time, and the order key where it is known. Seen
 * again, it is not written again.
 * @returns Whether it is new.
 */
export async function putDeadLetter(
  store: KvStore,
  data: string,
  { reason, received_at, orderKey, ttlSeconds }: Omit<DeadLetter, 'id'> & { orderKey?: string; ttlSeconds?: number },
): Promise<boolean> {
  const key = `stray/${await sha256(data)}`
  if ((await store.get(key)) !== undefined) return false
  await store.put(key, { data }, { reason, received_at, ...(orderKey && { order: orderKey }) }, ttlSeconds)
  return true
}

/** The dead letters, a page at a time. */
export async function listDeadLetters(
  store: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ deadLetters: DeadLetter[]; cursor: string | undefined }> {
  const page = await store.page('stray/', limit, cursor)
  const deadLetters = page.rows.map(({ key, metadata }) => {
    const { reason, received_at } = (metadata ?? {}) as Partial<DeadLetter>
    return { id: key.slice('stray/'.length), reason: reason ?? 'unknown', received_at: received_at ?? 0 }
  })
  return { deadLetters, cursor: page.cursor }
}

/** The raw `data` of one dead letter. */
export async function getDeadLetter(store: KvStore, id: string): Promise<string | undefined> {
  return ((await store.get(`stray/${id}`)) as { data?: string } | undefined)?.data
}

/** Removes the dead letters that name an order. */
export async function eraseDeadLetters(store: KvStore, orderKey: string): Promise<void> {
  for (const { key, metadata } of await store.list('stray/')) {
    if ((metadata as { order?: unknown } | null)?.order === orderKey) await store.delete(key)
  }
}
