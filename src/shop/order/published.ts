import { baseOrderId } from '../lib/attempt-id.ts'
import type { OrderStore } from './tables.ts'

/** An order is published at most once in so many milliseconds, after the first time. */
export const PUBLISH_MS = 10_000
/** The list says that something is due before this long has passed: should the alarm be lost, the cron finds it there. */
export const FOUND_MS = 3_600_000

/** The published state of an order: in KV for everyone to read, and in the shop's list. */
export interface Published {
  order_id: string
  /** When its first event or opening came: what the list is sorted by, milliseconds since 1970. */
  since: number
  /** Counts its changes. */
  version: number
  /** Hash of what KV has. */
  written: string | null
  written_at: number
  /** When its gate was to do something next, as the list has it. */
  due_at: number | null
  /** The number of the book that lists it; null: none yet. */
  book: number | null
  /** When it is to be published; null: everything is. */
  next_at: number | null
}

/**
 * Has an order published: something of it has changed. @param create False: only when it is known. @param atOnce The list
 * is to show it at once, and KV when its pause is over; so it is where the list has nothing that is due soon. @param since What the list sorts a new one by.
 */
export function touch(
  store: OrderStore,
  order_id: string,
  { create = true, atOnce = false, since }: { create?: boolean; atOnce?: boolean; since?: number } = {},
): void {
  const now = store.now()
  // The list shows an order with its further attempts as one row.
  for (const id of new Set([order_id, baseOrderId(order_id)])) {
    if (atOnce) store.atOnce.add(id)
    // The version is a time: later than whatever was published before the storage was lost.
    const query = 'INSERT OR IGNORE INTO published (order_id, since, version) VALUES (?, ?, ?)'
    if (create) store.all(query, id, since ?? now, now)
    store.all(
      `UPDATE published SET version = version + 1, next_at = min(coalesce(next_at, 1e15), max(?, iif(? OR coalesce(due_at, 1e15) > ?, 0, written_at + ?)))
       WHERE order_id = ?`,
      ...[now, Number(atOnce), now + FOUND_MS, PUBLISH_MS, id],
    )
  }
}

/** The orders that are to be published now, and those of which the list says that something is due sooner than it is. */
export const duePublished = (store: OrderStore): Published[] =>
  store.all<Published>(
    'SELECT * FROM published WHERE next_at <= ? OR (next_at IS NULL AND due_at < ?) LIMIT 20',
    ...[store.now(), dueAt(store) ?? Number.MAX_SAFE_INTEGER],
  )

/** The order, and the further attempts at paying it that its gate knows, the newest last. */
export function attemptIds(store: OrderStore, order_id: string): string[] {
  const base = baseOrderId(order_id)
  const query = 'SELECT order_id FROM published WHERE order_id <> ? ORDER BY length(order_id), order_id'
  return [base, ...store.all<{ order_id: string }>(query, base).map((row) => row.order_id)]
}

/** The attempt that is named by its own id, `mugs~1` for the first one; undefined for `mugs`, which means the whole order. */
export function ownAttempt(store: OrderStore, named: string): string | undefined {
  if (baseOrderId(named) === named) return undefined
  return getPublished(store, named) || !named.endsWith('~1') ? named : baseOrderId(named)
}

export const getPublished = (store: OrderStore, order_id: string): Published | undefined =>
  store.all<Published>('SELECT * FROM published WHERE order_id = ?', order_id)[0]

/** When this gate is to do something next; null: never. @param waits When it is to publish the order, where that is so. */
export function dueAt(store: OrderStore, waits: number | null = null): number | null {
  const due = 'SELECT next_at FROM task UNION ALL SELECT next_at FROM queue WHERE entry IS NOT NULL UNION ALL SELECT ?'
  return store.all<{ at: number | null }>(`SELECT min(next_at) AS at FROM (${due})`, waits)[0]?.at ?? null
}
