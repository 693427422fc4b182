import { sha256Base64url } from '../../lib/sha256.ts'
import type { KvStore } from './kv.ts'

const PREFIX = 'stray/'

/** A genuine webhook that cannot be filed under an order. */
export interface Stray {
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
 * @returns Its id; undefined when it was kept before.
 */
export async function putStray(
  store: KvStore,
  data: string,
  { reason, received_at, orderKey, ttlSeconds }: Omit<Stray, 'id'> & { orderKey?: string; ttlSeconds?: number },
): Promise<string | undefined> {
  const id = sha256Base64url(data)
  const key = `stray/${id}`
  if ((await store.get(key)) !== undefined) return undefined
  await store.put(key, { data }, { reason, received_at, ...(orderKey && { order: orderKey }) }, ttlSeconds)
  return id
}

/** The strays, a page at a time. */
export async function listStrays(
  store: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ strays: Stray[]; cursor: string | undefined }> {
  const page = await store.page('stray/', limit, cursor)
  const strays = page.rows.map(({ key, metadata }) => {
    const { reason, received_at } = (metadata ?? {}) as Partial<Stray>
    return { id: key.slice(PREFIX.length), reason: reason ?? 'unknown', received_at: received_at ?? 0 }
  })
  return { strays, cursor: page.cursor }
}

/** The raw `data` of one stray. */
export async function getStray(store: KvStore, id: string): Promise<string | undefined> {
  return ((await store.get(`stray/${id}`)) as { data?: string } | undefined)?.data
}

/** Removes the strays that name an order. @returns Their ids. */
export function eraseStrays(store: KvStore, orderKey: string): Promise<string[]> {
  return eraseWhere(store, ({ order }) => order === orderKey)
}

/** Removes the strays that were received until then: those that were written when there was no retention. */
export function eraseOldStrays(store: KvStore, before: number): Promise<string[]> {
  return eraseWhere(store, ({ received_at = 0 }) => received_at <= before)
}

async function eraseWhere(
  store: KvStore,
  isDue: (metadata: Partial<Stray> & { order?: unknown }) => boolean,
): Promise<string[]> {
  const due = (await store.list('stray/')).filter(({ metadata }) => isDue(metadata ?? {}))
  for (const { key } of due) await store.delete(key)
  return due.map(({ key }) => key.slice(PREFIX.length))
}
