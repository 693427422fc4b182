import { sha256Base64url } from '../../lib/sha256.ts'
import type { KvStore } from './kv.ts'

export const STRAY_PREFIX = 'stray/'

/** A genuine webhook that cannot be stored under an order. */
export interface Stray {
  id: string
  /** `not_base64url`, `not_utf8`, `not_json`, `too_deep`, or `no_order_id`. */
  reason: string
  received_at: number
  /** If readable: the service's number of the payment or operation, and its amount. */
  number?: string
  amount?: number
  currency?: string
}

/**
 * Keeps a genuine webhook that cannot be read, cannot be stored as an object, or names no order.
 *
 * Key `stray/<hash of data>`; value: the raw `data`; metadata: reason, time, and the order key if known. A repetition
 * is not written again.
 * @returns Its id; undefined when it was kept before.
 */
export async function putStray(
  store: KvStore,
  data: string,
  { orderKey, ttlSeconds, ...known }: Omit<Stray, 'id'> & { orderKey?: string; ttlSeconds?: number },
): Promise<string | undefined> {
  const id = sha256Base64url(data)
  const key = STRAY_PREFIX + id
  if ((await store.get(key)) !== undefined) return undefined
  await store.put(key, { data }, { ...known, ...(orderKey && { order: orderKey }) }, ttlSeconds)
  return id
}

export async function listStrays(
  store: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ strays: Stray[]; cursor: string | undefined }> {
  const page = await store.page(STRAY_PREFIX, limit, cursor)
  const strays = page.rows.map(({ key, metadata }) => {
    const { order: _, reason = 'unknown', received_at = 0, ...about } = (metadata ?? {}) as Known
    return { id: key.slice(STRAY_PREFIX.length), reason, received_at, ...about }
  })
  return { strays, cursor: page.cursor }
}

export const getStray = async (store: KvStore, id: string): Promise<string | undefined> =>
  ((await store.get(STRAY_PREFIX + id)) as { data?: string } | undefined)?.data

/** The facts of a stray beside its `data`. `order`: the key of the order that it names. */
type Known = Partial<Omit<Stray, 'id'> & { order: string }>

/** Removes strays. @returns Their ids. */
export async function eraseStrays(store: KvStore, isDue: (known: Known) => boolean): Promise<string[]> {
  const due = (await store.list(STRAY_PREFIX)).filter(({ metadata }) => isDue(metadata ?? {}))
  for (const { key } of due) await store.delete(key)
  return due.map(({ key }) => key.slice(STRAY_PREFIX.length))
}
