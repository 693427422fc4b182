import { callGate } from '../call-gate.ts'
import { putBooks } from './days.ts'
import { addLink, eraseLinks, type LinkRow } from './links.ts'
import type { BooksScope } from './scope.ts'
import {
  type Attention,
  type Books,
  type FailingRow,
  type ListedRow,
  listMonth,
  monthOf,
  type OrderFilter,
  type OrderSummary,
  type Place,
  putListed,
} from './tables.ts'

const HOUR_MS = 3_600_000

// What the shop's objects do: one a month lists the orders whose first event or opening is of that month, and the one
// without a month knows which months there are.

/** Takes an order into the list of its month. */
export async function putInList({ shop, env }: BooksScope, row: ListedRow): Promise<void> {
  await knowMonth({ shop, env }, monthOf(row.since))
  putListed(shop, row)
  if (row.books) putBooks({ shop }, row.books)
}

/** Takes what an order adds to a month that is not its list's. */
export async function putInBooks(scope: BooksScope, { month, books }: { month: string; books: Books }): Promise<void> {
  await knowMonth(scope, month)
  putBooks(scope, books)
}

/** First: an order in a month that nobody knows of would be shown by no list. */
async function knowMonth({ shop, env }: Pick<BooksScope, 'shop' | 'env'>, month: string): Promise<void> {
  if (shop.all('SELECT month FROM month').length === 0) {
    await callGate(env, 'shop', { name: 'addMonth', argument: [month] })
    insertMonth(shop, month)
  }
}

/** @returns Whether it was unknown. */
const insertMonth = (shop: BooksScope['shop'], month: string): boolean =>
  shop.all('INSERT OR IGNORE INTO month (month) VALUES (?) RETURNING month', month).length > 0

/** A month's object begins. One that is known begins anew, because its storage was lost: the cron fills it again. */
export async function addMonth({ shop }: BooksScope, month: string): Promise<void> {
  if (!insertMonth(shop, month)) shop.all("DELETE FROM progress WHERE name = 'refill'")
}

/**
 * Takes what the object without a month may have lost of an order: its months, and the link that it was opened by.
 *
 * @returns Whether a month was unknown.
 */
export async function keepOrder(
  scope: BooksScope,
  { months, link }: { months: readonly string[]; link: LinkRow | undefined },
): Promise<boolean> {
  if (link) await addLink(scope, link)
  return months.filter((month) => insertMonth(scope.shop, month)).length > 0
}

/** Notes that an order is to be listed: should its alarm be lost, the cron wakes its gate. */
export async function awaitOrder(
  { shop, env }: BooksScope,
  { order_id, since, at }: Pick<ListedRow, 'order_id' | 'since'> & { at: number },
): Promise<void> {
  await knowMonth({ shop, env }, monthOf(since))
  shop.all('INSERT OR IGNORE INTO awaited VALUES (?, ?)', order_id, at)
}

/** Begins a run of the cron: links that were made until `before` lose their personal data. @returns The months. */
export async function startRun(scope: BooksScope, before?: number): Promise<string[]> {
  if (before !== undefined) await eraseLinks(scope, { before })
  return monthsOfShop(scope)
}

/** The months that have a list, the newest first. */
export async function monthsOfShop({ shop }: BooksScope): Promise<string[]> {
  return shop.all<{ month: string }>('SELECT month FROM month ORDER BY month DESC').map(({ month }) => month)
}

/** Orders of a month, newest first. */
export async function ordersOfMonth(
  { shop }: BooksScope,
  { filter, limit, after }: { filter: OrderFilter; limit: number; after?: Place | undefined },
): Promise<(Place & { summary: OrderSummary })[]> {
  return listMonth(shop, filter, limit, after)
}

/** Failing events of a month, those that were given up included; of one event where it is named. */
export async function failingOfMonth(
  { shop }: BooksScope,
  { event_id, after = '', limit }: { event_id?: string; after?: string | undefined; limit: number },
): Promise<FailingRow[]> {
  const query = 'SELECT event_id, order_id FROM failing WHERE event_id'
  return event_id === undefined
    ? shop.all<FailingRow>(`${query} > ? ORDER BY event_id LIMIT ?`, after, limit)
    : shop.all<FailingRow>(`${query} = ?`, event_id)
}

/** How many events of a month `onEvent` fails on. */
export async function countFailing({ shop }: BooksScope): Promise<number> {
  return shop.all<{ count: number }>('SELECT count(*) AS count FROM failing')[0]?.count ?? 0
}

/** What needs a person among the orders of a month, the oldest order first. */
export async function attentionOfMonth(
  { shop }: BooksScope,
  { limit }: { limit: number },
): Promise<{ since: number; attention: Attention[] }[]> {
  const query = 'SELECT since, attention FROM listed WHERE attention IS NOT NULL ORDER BY since, order_id LIMIT ?'
  return shop.all<{ since: number; attention: string }>(query, limit).map(({ since, attention }) => ({
    since,
    attention: JSON.parse(attention) as Attention[],
  }))
}

/** Whether this is the first of its name within an hour, in the whole shop. */
export async function onceAnHour({ shop, now }: BooksScope, name: string): Promise<boolean> {
  const at = now()
  const write = `INSERT INTO progress VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value
    WHERE CAST(value AS INTEGER) <= ? RETURNING name`
  return shop.all(write, name, String(at), at - HOUR_MS).length > 0
}

/** Orders of a month whose gate should have done something until then, the longest due first, or listed them. */
export async function lateOfMonth(
  { shop, env }: BooksScope,
  { month, until, awaited, limit }: { month: string; until: number; awaited: number; limit: number },
): Promise<string[]> {
  await knowMonth({ shop, env }, month)
  const query = `SELECT order_id FROM awaited WHERE at <= ? UNION ALL
    SELECT order_id FROM (SELECT order_id FROM listed WHERE due_at <= ? ORDER BY due_at LIMIT ?) LIMIT ?`
  return shop.all<{ order_id: string }>(query, awaited, until, limit, limit).map(({ order_id }) => order_id)
}

/** Orders of a month that came in a period, the oldest first. `after` is exclusive, `until` inclusive. */
export async function periodOfMonth(
  { shop }: BooksScope,
  { after, until, limit }: { after: Place; until: number; limit: number },
): Promise<Place[]> {
  return shop.all<Place>(
    'SELECT since, order_id FROM listed WHERE (since, order_id) > (?, ?) AND since <= ? ORDER BY since, order_id LIMIT ?',
    ...[after.since, after.order_id, until, limit],
  )
}

/** Reads how far a piece of work of the cron has come, or writes it. */
export async function progressOf(
  { shop }: BooksScope,
  { name, value }: { name: string; value?: unknown },
): Promise<unknown> {
  if (value === null) shop.all('DELETE FROM progress WHERE name = ?', name)
  else if (value !== undefined) shop.all('INSERT OR REPLACE INTO progress VALUES (?, ?)', name, JSON.stringify(value))
  const [row] = shop.all<{ value: string }>('SELECT value FROM progress WHERE name = ?', name)
  return row && JSON.parse(row.value)
}
