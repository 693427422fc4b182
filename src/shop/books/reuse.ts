import { HOUR_MS } from '../lib/day.ts'
import type { TimePlace } from './days.ts'
import type { Answer } from './register.ts'
import type { BooksScope } from './scope.ts'
import { LATEST, type Position } from './tables.ts'

// The links that anybody may pay with, again and again. They and the ids of their orders are in the register.

/** How many orders a reusable link makes. */
export interface Limits {
  /** Null: as many as there are customers. */
  max_orders: number | null
  max_per_hour: number
}

/** A link that is reusable, as its row has it. */
export interface Reusable extends Limits {
  /** The first 16 characters of its token. */
  nonce: string
  /** How many orders it has made. */
  made: number
  /** It is closed or has expired, and not each of its orders is known to have ended. */
  is_closing: number
}

export type NewReusable = Omit<Reusable, 'made' | 'is_closing'>

/** Records an act on a link here: nothing is listed of an order before its link was opened. */
export function recordLink(
  { shop, now }: BooksScope,
  act: { action: 'link' | 'revoke_link'; by: string; order_id: string },
  [at, id]: [at: number, id: string] = [now(), crypto.randomUUID()],
): void {
  shop.all('INSERT INTO audit VALUES (?, ?, ?)', at, id, JSON.stringify({ ...act, result: 'done' }))
}

export function addReusable(
  { shop }: BooksScope,
  short: string,
  { nonce, max_orders, max_per_hour }: NewReusable,
): void {
  const write = 'INSERT INTO reusable (nonce, short, max_orders, max_per_hour) VALUES (?, ?, ?, ?)'
  shop.all(write, nonce, short, max_orders, max_per_hour)
}

/** Closes a link: it makes no order any more. */
export function closeReusable(scope: BooksScope, { nonce, by }: { nonce: string; by: string }): boolean {
  const { shop, now } = scope
  return shop.atomically(() => {
    const its = 'short = (SELECT short FROM reusable WHERE nonce = ?)'
    const query = `SELECT order_id, revoked_at FROM link WHERE ${its}`
    const [link] = shop.all<{ order_id: string; revoked_at: number | null }>(query, nonce)
    if (link?.revoked_at === null) {
      shop.all(`UPDATE link SET revoked_at = ? WHERE ${its}`, now(), nonce)
      recordLink(scope, { action: 'revoke_link', by, order_id: link.order_id })
    }
    return link !== undefined
  })
}

/** Why a link makes no order. */
export type Closed = 'invalid' | 'revoked' | 'expired' | 'full' | 'busy'

/** A visit of a link's page, or a press of its button. */
export interface ReuseVisit {
  nonce: string
  visitor: string
  /** Of a press: the order that was over when the page was shown; '' for none. */
  after?: string
  /** Of a press: the id of a new order. */
  order_id?: string
}

/**
 * The order that a visitor has by a link; a press makes one where there is none, and where the last one was over when the page
 * was shown. So two presses of one page, or of two pages of one browser, make one order.
 */
export function orderOfVisit(scope: BooksScope, visit: ReuseVisit): { closed?: Closed | undefined; last?: string } {
  const { shop, now } = scope
  const { nonce, visitor, after = '', order_id } = visit
  return shop.atomically(() => {
    const find = `SELECT * FROM reusable JOIN link USING (short) WHERE nonce = ?`
    const [link] = shop.all<Reusable & { revoked_at: number | null; expires_at: number }>(find, nonce)
    if (!link) return { closed: 'invalid' }
    const newest = 'SELECT order_id FROM reuse WHERE nonce = ? AND visitor = ? ORDER BY at DESC LIMIT 1'
    const [{ order_id: last } = { order_id: undefined }] = shop.all<{ order_id: string }>(newest, nonce, visitor)
    const at = now()
    const ended = link.revoked_at !== null ? 'revoked' : at >= link.expires_at ? 'expired' : undefined
    const closed = ended ?? limitOf(scope, link)
    if (order_id === undefined || ended) return { closed, ...(last && { last }) }
    if (last && last !== after) return { last }
    if (closed) return { closed }
    const write = 'INSERT INTO reuse (nonce, at, order_id, visitor) VALUES (?, ?, ?, ?)'
    shop.all(write, nonce, at, order_id, visitor)
    shop.all('UPDATE reusable SET made = made + 1 WHERE nonce = ?', nonce)
    return { last: order_id }
  })
}

function limitOf({ shop, now }: BooksScope, link: Reusable): Closed | undefined {
  const { nonce, max_orders, made, max_per_hour } = link
  if (max_orders !== null && made >= max_orders) return 'full'
  const since = 'SELECT count(*) AS count FROM reuse WHERE nonce = ? AND at > ?'
  const [row] = shop.all<{ count: number }>(since, nonce, now() - HOUR_MS)
  return (row?.count ?? 0) >= max_per_hour ? 'busy' : undefined
}

/** The orders that a link has made, the newest first. */
export const ordersOfLink = (
  { shop }: BooksScope,
  { nonce, limit, after = LATEST }: { nonce: string; limit: number; after?: Position | undefined },
): Answer<TimePlace> => {
  const query = `SELECT at, order_id AS id FROM reuse WHERE nonce = ? AND (at, order_id) < (?, ?)
    ORDER BY at DESC, order_id DESC LIMIT ?`
  return { rows: shop.all<TimePlace>(query, nonce, ...after, limit), books: [] }
}

/** Orders of a link that is over, or '' of all, that are not known to have ended: those first that were tried least. */
export function unendedOf({ shop, now }: BooksScope, nonce: string, limit: number): string[] {
  const closed = 'SELECT nonce FROM reusable JOIN link USING (short) WHERE coalesce(revoked_at, expires_at) <= ?'
  // For a day the cron tries those of all; then a person does.
  const which = nonce === '' ? `IN (${closed}) AND tries < 100` : '= ? AND tries IS NOT NULL'
  const query = `SELECT order_id FROM reuse WHERE nonce ${which} ORDER BY tries, at LIMIT ?`
  return shop.all<{ order_id: string }>(query, nonce || now(), limit).map(({ order_id }) => order_id)
}

/** Notes which of them have ended, and which were tried. */
export function noteEnded({ shop }: BooksScope, { ended, tried }: { ended: string[]; tried: string[] }): void {
  const these = 'order_id IN (SELECT value FROM json_each(?))'
  shop.all(`UPDATE reuse SET tries = tries + 1 WHERE ${these}`, JSON.stringify(tried))
  shop.all(`UPDATE reuse SET tries = NULL WHERE ${these}`, JSON.stringify(ended))
}
