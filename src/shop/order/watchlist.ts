import type { OperationKind } from '../../money/protocol.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import type { OrderStore } from './order-store.ts'
import { PUBLISH_MS, touch } from './published.ts'

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
  remove(order_id: string, attempt_id?: string): Promise<void>
  list(): Promise<WatchedRow[]>
}

const PUT = 'INSERT OR REPLACE INTO task (kind, order_id, id, next_at, task) VALUES (?, ?, ?, ?, ?)'
const REMOVE = 'DELETE FROM task WHERE kind = ? AND order_id = ? AND id = ?'

/** Writes a row, in a write that sets the alarm for it. */
export function putWatched(store: OrderStore, row: WatchedRow, now: number): void {
  const { order_id, attempt_id = '', next_at } = row
  store.all(PUT, 'open', order_id, attempt_id, next_at, JSON.stringify(row))
  if (row.listed) touch(store, order_id, now)
}

/** Table `task`, kind `open`: the watchlist of one order's gate. */
export function openWatchlist(store: OrderStore, now: () => number): Watchlist {
  return {
    put: (row) => store.writeDue(row.next_at, () => putWatched(store, row, now())),
    remove(order_id, attempt_id = '') {
      // The list learns it, also where nothing else is due soon.
      return store.writeDue(now() + PUBLISH_MS, () => {
        store.all(REMOVE, 'open', order_id, attempt_id)
        touch(store, order_id, now(), { create: false })
      })
    },
    async list() {
      const rows = store.all<{ task: string }>("SELECT task FROM task WHERE kind = 'open' ORDER BY next_at")
      return rows.map(({ task }) => JSON.parse(task) as WatchedRow)
    },
  }
}

/** The erasures that are due later: those that RETENTION_DAYS asks for, and the rest of those that a person asked for. */
export interface Erasures {
  /**
   * Has an order's personal data removed at this time, unless it is to be removed before.
   *
   * @param before Of an erasure that a person asked for: what was received until then, milliseconds since 1970.
   */
  eraseAt(order_id: string, at: number, before?: number): Promise<void>
  /**
   * Does what is due; an erasure that fails is tried again later.
   *
   * @param erase Removes an order's personal data. @returns When the rest of it is due.
   */
  run(now: number, erase: (order_id: string, before: number | undefined) => Promise<number | undefined>): Promise<void>
}

const MINUTE_MS = 60_000

/** Table `task`, kind `erase`; id `asked` where a person asked for it. */
export function openErasures(store: OrderStore): Erasures {
  const idOf = (before: number | undefined): string => (before === undefined ? '' : 'asked')
  const put = (order_id: string, at: number, before: number | undefined): Promise<void> =>
    store.writeDue(at, () => store.all(PUT, 'erase', order_id, idOf(before), at, JSON.stringify({ before })))
  return {
    async eraseAt(order_id, at, before) {
      const query = 'SELECT next_at FROM task WHERE kind = ? AND order_id = ? AND id = ?'
      const [known] = store.all<{ next_at: number }>(query, 'erase', order_id, idOf(before))
      if (!known || known.next_at > at) await put(order_id, at, before)
    },
    async run(now, erase) {
      const due = "SELECT order_id, task FROM task WHERE kind = 'erase' AND next_at <= ?"
      for (const { order_id, task } of store.all<{ order_id: string; task: string }>(due, now)) {
        const { before } = JSON.parse(task) as { before?: number }
        const work = async (): Promise<void> => {
          const next_at = await erase(order_id, before)
          if (next_at === undefined) store.all(REMOVE, 'erase', order_id, idOf(before))
          else await put(order_id, next_at, before)
        }
        await work().catch((error: unknown) => {
          ignoreOutage(error)
          // A person waits for it.
          return before === undefined ? undefined : put(order_id, now + MINUTE_MS, before).catch(ignoreOutage)
        })
      }
    },
  }
}
