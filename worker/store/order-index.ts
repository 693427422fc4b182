import { orderKeyOf } from './event-log.ts'
import { fitsMetadata, type KvStore, StorageError } from './kv.ts'

const DAY_MS = 86_400_000
/** Later than any time that will be written; 13 digits, so that keys sort by time. */
const FAR = 9_999_999_999_999

export const dayOf = (time: number): number => Math.floor(time / DAY_MS)

/** One row of the index: an order that had an event on that day. */
export interface RecentRow {
  order_id: string
  orderKey: string
  /** When the row was written, milliseconds since 1970. */
  time: number
}

/**
 * Puts an order into the index of the latest ones: at most once an order and day.
 *
 * Key `recent/<inverted time>/<order key>`; metadata: the order_id; the value holds it too; gone after 400 days.
 */
export async function putRecent(state: KvStore, order_id: string, time: number): Promise<void> {
  const key = keyOf(time, await orderKeyOf(order_id))
  try {
    await state.put(key, { order_id }, fitsMetadata({ order_id }) ? { order_id } : undefined, RECENT_SECONDS)
  } catch (error) {
    // The same key within the same second: somebody else has just written this very row.
    if (!(error instanceof StorageError && error.tooSoon)) throw error
  }
}

const RECENT_SECONDS = 400 * 86_400

const keyOf = (time: number, orderKey: string): string => `recent/${String(FAR - time).padStart(13, '0')}/${orderKey}`

/** Whether an order has a row of exactly this time. */
export async function hasRecent(state: KvStore, orderKey: string, time: number): Promise<boolean> {
  return (await state.get(keyOf(time, orderKey))) !== undefined
}

/** A page of the index, newest first. An order that had events on several days has a row for each. */
export async function listRecent(
  state: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ rows: RecentRow[]; cursor: string | undefined }> {
  const page = await state.page('recent/', limit, cursor)
  const rows = await Promise.all(
    page.rows.map(async ({ key, metadata }) => {
      const [, inverted = '', orderKey = ''] = key.split('/')
      const held = (metadata ?? (await state.get(key))) as { order_id?: unknown } | undefined
      const order_id = typeof held?.order_id === 'string' ? held.order_id : ''
      return { order_id, orderKey, time: FAR - Number(inverted) }
    }),
  )
  return { rows: rows.filter(({ order_id }) => order_id !== ''), cursor: page.cursor }
}
