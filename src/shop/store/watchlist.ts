import type { OperationKind } from '../protocol.ts'
import type { GateStorage } from '../runtime.ts'
import { alarmBy } from './alarm.ts'
import { orderKeyOf } from './event-log.ts'
import { fitsMetadata, type KvStore, orStorageError, unlessJustWritten } from './kv.ts'

/** What has no final state yet: a checkout whose payment is not final, or a capture, refund or void that is not settled. */
export interface WatchedRow {
  kind: 'checkout' | OperationKind
  order_id: string
  /** Of a capture, refund or void. */
  attempt_id?: string
  /** When it was opened or begun, milliseconds since 1970. */
  since: number
  /** How often the service was asked about it on the schedule. */
  asks: number
  /** Milliseconds since 1970 before which it is left alone. */
  next_at: number
  /** Set when a person was alerted of it. */
  alerted?: true
  /** Whether `GET /api/orders?open=true` shows it. */
  listed?: true
}

/** What one order's gate watches. */
export interface Watchlist {
  /** Adds or replaces a row, together with the alarm for it. */
  put(row: WatchedRow): Promise<void>
  /** @throws {StorageError} when it could not be removed: it is removed when its time has come. */
  remove(order_id: string, attempt_id?: string): Promise<void>
  list(): Promise<WatchedRow[]>
}

const PREFIX = 'open/'
/** A day longer than the last time of the schedule. */
const LIFE_SECONDS = 8 * 86_400

export async function watchedKeyOf(order_id: string, attempt_id?: string): Promise<string> {
  return PREFIX + (await orderKeyOf(order_id)) + (attempt_id === undefined ? '' : `/${attempt_id}`)
}

/**
 * The watchlist of one order's gate. A listed row is in KV too, for people to look at.
 *
 * Key `open/<order key>`, of an operation `open/<order key>/<attempt id>`; metadata: the row, where it fits; the value
 * holds it too; gone after 8 days.
 */
export function openWatchlist(storage: GateStorage, kv: KvStore): Watchlist {
  return {
    async put(row) {
      const key = await watchedKeyOf(row.order_id, row.attempt_id)
      const isShown = await orStorageError('write', () =>
        storage.transaction(async (transaction) => {
          const before = await transaction.get<WatchedRow>(key)
          await transaction.put(key, row)
          await alarmBy(transaction, row.next_at)
          return before?.listed === true
        }),
      )
      // Once: where it stands in the schedule is the gate's business.
      if (!row.listed || isShown) return
      await unlessJustWritten(kv.put(key, row, fitsMetadata(row) ? row : undefined, LIFE_SECONDS)).catch(() => {})
    },
    async remove(order_id, attempt_id) {
      const key = await watchedKeyOf(order_id, attempt_id)
      const row = await orStorageError('read', () => storage.get<WatchedRow>(key))
      if (!row) return
      // First: while it fails, the row stays and is looked at again.
      if (row.listed) await kv.delete(key)
      await orStorageError('delete', () => storage.delete(key))
    },
    list: () => orStorageError('list', async () => [...(await storage.list<WatchedRow>({ prefix: PREFIX })).values()]),
  }
}

/** A page of what is watched, in no particular order. A row can be a moment behind: whoever lists it looks at its order. */
export async function listWatched(
  kv: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ rows: WatchedRow[]; cursor: string | undefined }> {
  const page = await kv.page(PREFIX, limit, cursor)
  const rows = await Promise.all(page.rows.map(async ({ key, metadata }) => metadata ?? (await kv.get(key))))
  // The value of a row without metadata may be hidden at this moment.
  const shown = rows.filter((row): row is WatchedRow => typeof (row as WatchedRow | undefined)?.order_id === 'string')
  return { rows: shown, cursor: page.cursor }
}
