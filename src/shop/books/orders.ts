import { HOUR_MS } from '../lib/day.ts'
import { putMoney } from './days.ts'
import { eraseLinks } from './links.ts'
import { type Answer, answer, countIn, currentBook, newsOf, type Placed } from './register.ts'
import { unendedOf } from './reuse.ts'
import type { BooksScope } from './scope.ts'
import {
  type Attention,
  type FailingRow,
  type ListedRow,
  listBook,
  type OrderFilter,
  type OrderSummary,
  type Place,
  type Position,
  putListed,
} from './tables.ts'

/** Takes an order into its book. The register takes one that is in none, or names the book that does. */
export function putInList(
  scope: BooksScope,
  row: ListedRow & { book: number | null; opens?: boolean | undefined },
): Placed {
  const { shop } = scope
  const { order_id, since, book, opens } = row
  return shop.atomically(() => {
    const isNew = shop.all('SELECT order_id FROM listed WHERE order_id = ?', order_id).length === 0
    const placed = book === null && isNew ? currentBook(scope) : { book: book ?? 1 }
    const isRegister = (book ?? 1) === 1
    if (isRegister && isNew) countIn(scope, placed.book, since, 1)
    if (placed.book !== (book ?? 1)) return placed
    // The first one of a book: there is nothing to fill it with.
    if (opens) progressOf(scope, { name: FILL, value: { isDone: true } })
    if (putListed(shop, row)) putMoney(scope, row)
    return { book: placed.book, news: isRegister ? [] : newsOf(scope) }
  })
}

export function ordersOfBook(
  { shop }: BooksScope,
  { filter, limit, after }: { filter: OrderFilter; limit: number; after?: Position | undefined },
): Answer<Place & { summary: OrderSummary }> {
  return answer(shop, listBook(shop, filter, limit, after))
}

/** Events that `onEvent` fails on, those that were given up included; of one event where it is named. */
export function failingOfBook(
  { shop }: BooksScope,
  asked: { event_id: string } | { after?: Position | undefined; limit: number },
): Answer<FailingRow> {
  const query = 'SELECT event_id, order_id FROM failing WHERE event_id'
  const rows =
    'event_id' in asked
      ? shop.all<FailingRow>(`${query} = ?`, asked.event_id)
      : shop.all<FailingRow>(`${query} > ? ORDER BY event_id LIMIT ?`, asked.after?.[1] ?? '', asked.limit)
  return answer(shop, rows, 'failing', 'failing')
}

/** The matters for a person, the oldest first: of orders, and of the webhooks that name none. */
export function attentionOfBook({ shop, now }: BooksScope, { limit }: { limit: number }): Answer<AttentionRow> {
  const query = `SELECT since, order_id AS id, attention FROM listed WHERE attention IS NOT NULL
    UNION ALL SELECT since, id, attention FROM stray WHERE coalesce(until, 1e15) > ? ORDER BY since, id LIMIT ?`
  const rows = shop.all<Omit<AttentionRow, 'attention'> & { attention: string }>(query, now(), limit)
  const found = rows.map((row) => ({ ...row, attention: JSON.parse(row.attention) as Attention[] }))
  return answer(shop, found, 'attention', 'attention')
}

/** The matters for a person of one order, or of one webhook. */
export interface AttentionRow {
  since: number
  id: string
  attention: Attention[]
}

/** A webhook that names no order. `until`: when KV loses it. */
export interface StrayRow extends AttentionRow {
  until: number | null
}

export function addStrays({ shop }: BooksScope, rows: readonly StrayRow[]): void {
  for (const { id, since, until, attention } of rows) {
    const write = 'INSERT OR IGNORE INTO stray VALUES (?, ?, ?, ?)'
    shop.all(write, id, since, until, JSON.stringify(attention))
  }
}

/** Webhooks that are gone from KV. */
export function removeStrays({ shop }: BooksScope, ids: readonly string[]): void {
  shop.all('DELETE FROM stray WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids))
}

/** Whether this is the first of its name within an hour, in the whole shop. */
export function onceAnHour({ shop, now }: BooksScope, name: string): boolean {
  const at = now()
  const write = `INSERT INTO progress VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value
    WHERE CAST(value AS INTEGER) <= ? RETURNING name`
  return shop.all(write, name, String(at), at - HOUR_MS).length > 0
}

/** How far a book is filled: absent where its storage is new, or was lost. */
export type Fill = { cursor?: string | undefined; hasFailed?: boolean | undefined; isDone?: true }
export const FILL = 'fill'

/** Orders whose gate should have done something, the longest due first. Older links than `before` lose their data. */
export function lateOfBook(
  scope: BooksScope,
  { until, limit, before }: { until: number; limit: number; before?: number | undefined },
): Answer<string> & { fill: Fill | undefined; unended: string[] } {
  const { shop } = scope
  if (before !== undefined) eraseLinks(scope, before)
  const query = 'SELECT order_id FROM listed WHERE due_at <= ? ORDER BY due_at LIMIT ?'
  const rows = shop.all<{ order_id: string }>(query, until, limit).map(({ order_id }) => order_id)
  const unended = unendedOf(scope, '', 1)
  return { ...answer(shop, rows), unended, fill: progressOf(scope, { name: FILL }) as Fill | undefined }
}

/** Orders that came in a period, the oldest first. `after` is exclusive, `until` inclusive. */
export function periodOfBook(
  { shop }: BooksScope,
  { after, until, limit }: { after: Place; until: number; limit: number },
): Answer<Place> {
  const rows = shop.all<Place>(
    'SELECT since, order_id FROM listed WHERE (since, order_id) > (?, ?) AND since <= ? ORDER BY since, order_id LIMIT ?',
    ...[after.since, after.order_id, until, limit],
  )
  return answer(shop, rows)
}

/** Reads how far a piece of work of the cron has come, or writes it. */
export function progressOf({ shop }: BooksScope, { name, value }: { name: string; value?: unknown }): unknown {
  if (value === null) shop.all('DELETE FROM progress WHERE name = ?', name)
  else if (value !== undefined) shop.all('INSERT OR REPLACE INTO progress VALUES (?, ?)', name, JSON.stringify(value))
  const [row] = shop.all<{ value: string }>('SELECT value FROM progress WHERE name = ?', name)
  return row && JSON.parse(row.value)
}
