import { orderKeyOf } from './event-log.ts'
import { fitsMetadata, type KvStore, type Row, StorageError } from './kv.ts'

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
export async function putRecent(store: KvStore, order_id: string, time: number): Promise<void> {
  const key = keyOf(time, await orderKeyOf(order_id))
  try {
    await store.put(key, { order_id }, fitsMetadata({ order_id }) ? { order_id } : undefined, RECENT_SECONDS)
  } catch (error) {
    // The same key within the same second: another webhook has just written this very row.
    if (!(error instanceof StorageError && error.tooSoon)) throw error
  }
}

const RECENT_SECONDS = 400 * 86_400

const keyOf = (time: number, orderKey: string): string => `recent/${String(FAR - time).padStart(13, '0')}/${orderKey}`

/** Whether an order has a row of exactly this time. */
export async function hasRecent(store: KvStore, orderKey: string, time: number): Promise<boolean> {
  return (await store.get(keyOf(time, orderKey))) !== undefined
}

/** A page of the index, newest first. An order that had events on several days has a row for each. */
export async function listRecent(
  store: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ rows: RecentRow[]; cursor: string | undefined }> {
  const page = await store.page('recent/', limit, cursor)
  return { rows: await rowsOf(store, page.rows), cursor: page.cursor }
}

/** The orders that had an event at about this time: within the day or so whose keys share a prefix. */
export async function listRecentOfDay(store: KvStore, time: number): Promise<RecentRow[]> {
  // The first 5 of 13 digits: 10^8 milliseconds, a little over a day.
  return rowsOf(
    store,
    await store.list(
      `recent/${String(FAR - time)
        .padStart(13, '0')
        .slice(0, 5)}`,
    ),
  )
}

async function rowsOf(store: KvStore, found: readonly Row[]): Promise<RecentRow[]> {
  const rows = await Promise.all(
    found.map(async ({ key, metadata }) => {
      const [, inverted = '', orderKey = ''] = key.split('/')
      const held = (metadata ?? (await store.get(key))) as { order_id?: unknown } | undefined
      const order_id = typeof held?.order_id === 'string' ? held.order_id : ''
      return { order_id, orderKey, time: FAR - Number(inverted) }
    }),
  )
  return rows.filter(({ order_id }) => order_id !== '')
}
