import { sha256 } from '../lib/crypto.ts'
import type { KvStore } from './kv.ts'

/** A genuine webhook that cannot be filed under an order. */
export interface DeadLetter {
  id: string
  /** `not_base64url`, `not_utf8`, `not_json`, or `no_order_id`. */
  reason: string
  received_at: number
}

/**
 * Keeps a genuine webhook that cannot be read, or that names no order.
 *
 * Key `stray/<hash of data>`; value: the raw `data`; metadata: reason and time; kept for good. Seen again, it is not
 * written again.
 */
export async function putDeadLetter(state: KvStore, data: string, reason: string, received_at: number): Promise<void> {
  const key = `stray/${await sha256(data)}`
  if ((await state.get(key)) !== undefined) return
  await state.put(key, { data }, { reason, received_at })
}

/** The strays, a page at a time. */
export async function listDeadLetters(
  state: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ strays: DeadLetter[]; cursor: string | undefined }> {
  const page = await state.page('stray/', limit, cursor)
  const strays = page.rows.map(({ key, metadata }) => {
    const { reason, received_at } = (metadata ?? {}) as Partial<DeadLetter>
    return { id: key.slice('stray/'.length), reason: reason ?? 'unknown', received_at: received_at ?? 0 }
  })
  return { strays, cursor: page.cursor }
}

/** The raw `data` of one stray. */
export async function getDeadLetter(state: KvStore, id: string): Promise<string | undefined> {
  return ((await state.get(`stray/${id}`)) as { data?: string } | undefined)?.data
}
