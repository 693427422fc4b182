import { type Answer, answer, countIn, currentBook, type Placed } from './register.ts'
import { addReusable, type NewReusable, type Reusable, recordLink } from './reuse.ts'
import type { BooksScope } from './scope.ts'
import { LATEST, type OrderSummary, type Place, type Position } from './tables.ts'

// The links that POST /api/links made: each in the book that was the current one.

/** A link. `amount` is in minor units. */
export interface LinkRow {
  short: string
  id: string
  order_id: string
  amount: number
  currency: string
  /** Gone, as the two that follow, when the personal data was removed. */
  description: string | null
  customer_name: string | null
  /** The part after `/checkout/`. */
  token: string | null
  /** Milliseconds since 1970, as the two that follow. */
  created_at: number
  expires_at: number
  revoked_at: number | null
  by: string
}

/** A link as a list has it. */
export type FoundLink = LinkRow & (Reusable | { [K in keyof Reusable]: null })

/** Keeps a link, unless it is kept. @param book Absent: the register takes it, or names the book that does. */
export function addLink(scope: BooksScope, row: LinkRow, book?: number, reusable?: NewReusable): Placed {
  const { shop } = scope
  const { short, id, order_id, amount, currency, description, customer_name, token, created_at, by } = row
  const placed = book === undefined ? currentBook(scope) : { book }
  if (placed.book !== (book ?? 1)) {
    countIn(scope, placed.book, created_at, 0)
    return placed
  }
  shop.atomically(() => {
    const kept = shop.all(
      `INSERT INTO link SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
       WHERE NOT EXISTS (SELECT short FROM link WHERE order_id = ? AND id = ?) RETURNING short`,
      ...[short, id, order_id, amount, currency, description, customer_name, token],
      ...[created_at, row.expires_at, row.revoked_at, by, order_id, id],
    )
    if (kept.length > 0) recordLink(scope, { action: 'link', by, order_id }, [created_at, short])
    if (reusable) addReusable(scope, short, reusable)
  })
  return placed
}

/** The target of a short address, if there is one. `until`: when the last link expires whose name has 12 characters. */
export function tokenOfShort({ shop }: BooksScope, short: string): { token: string | null; until: number } {
  const last = 'SELECT max(expires_at) AS until FROM link WHERE length(short) = 12'
  const [row] = shop.all<{ token: string | null; until: number | null }>(
    `SELECT (SELECT token FROM link WHERE short = ?) AS token, (${last}) AS until`,
    short,
  )
  return { token: row?.token ?? null, until: row?.until ?? 0 }
}

/** How far a link is. */
export type LinkState = 'sent' | 'opened' | 'paid' | 'revoked' | 'expired'

/** The condition of a state in the table alone: which links are paid or opened, the lists of orders know. */
const MAY_BE = `CASE ? WHEN 'paid' THEN true WHEN 'revoked' THEN revoked_at IS NOT NULL
  ELSE revoked_at IS NULL AND iif(? = 'expired', expires_at <= ?, expires_at > ?) END`

export interface LinkQuery {
  limit: number
  after?: Position | undefined
  /** Its own, or one that a reusable link has made. */
  order_id?: string | undefined
  id?: string | undefined
  state?: LinkState | undefined
}

/** Links, newest first; with a state, those that may be in it. */
export function linksOfBook({ shop, now }: BooksScope, query: LinkQuery): Answer<FoundLink> {
  const { limit, after = LATEST, order_id, id, state = 'paid' } = query
  const made = '(SELECT short FROM reuse JOIN reusable USING (nonce) WHERE order_id = ?)'
  const own = order_id === undefined ? '' : `(l.order_id = ? OR l.short = ${made}) AND`
  const select = `SELECT l.*, nonce, max_orders, max_per_hour, made, coalesce(revoked_at, expires_at) <= ? AND EXISTS (
      SELECT 1 FROM reuse WHERE nonce = r.nonce AND tries IS NOT NULL) AS is_closing
    FROM link l LEFT JOIN reusable r USING (short) WHERE ${own} ${id === undefined ? '' : 'id = ? AND'} ${MAY_BE}
      AND (created_at, short) < (?, ?) ORDER BY created_at DESC, short DESC LIMIT ?`
  const which = [...(order_id === undefined ? [] : [order_id, order_id]), ...(id === undefined ? [] : [id])]
  const rows = shop.all<FoundLink>(select, now(), ...which, state, state, now(), now(), ...after, limit)
  return answer(shop, rows)
}

export function markRevoked({ shop, now }: BooksScope, link: Pick<LinkRow, 'id' | 'order_id'>): Answer<never> {
  const query = 'UPDATE link SET revoked_at = ? WHERE order_id = ? AND id = ? AND revoked_at IS NULL'
  shop.all(query, now(), link.order_id, link.id)
  return answer(shop, [])
}

/** Removes the personal data of an order's links, or of all that were made until a time, in milliseconds. A reusable link has none. */
export function eraseLinks({ shop }: BooksScope, which: string | number): Answer<never> {
  const where = typeof which === 'number' ? 'created_at <= ?' : 'order_id = ?'
  const set = 'UPDATE link SET description = NULL, customer_name = NULL, token = NULL'
  shop.all(`${set} WHERE ${where} AND token IS NOT NULL AND short NOT IN (SELECT short FROM reusable)`, which)
  return answer(shop, [])
}

/** Those of these orders that the book has. */
export function someOfBook(
  { shop }: BooksScope,
  order_ids: readonly string[],
): Answer<Place & { summary: OrderSummary }> {
  const query = 'SELECT since, order_id, summary FROM listed WHERE order_id IN (SELECT value FROM json_each(?))'
  const rows = shop.all<Place & { summary: string }>(query, JSON.stringify(order_ids))
  return answer(
    shop,
    rows.map((row) => ({ ...row, summary: JSON.parse(row.summary) as OrderSummary })),
  )
}
