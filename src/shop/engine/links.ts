// The links that POST /api/links made.

import type { SqlValue } from '../../till/database.ts'
import { catchUp } from '../../till/listed.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll, REJECTED, type Row } from '../tables.ts'
import { FIRST, placesOf, SOLD } from './places.ts'
import { linkAct } from './record-link.ts'

/** How many orders a reusable link sells. */
export interface Limits {
  /** Orders that are sold, or may still be paid, at most. Null: as many as there are customers. */
  max_orders: number | null
  max_per_hour: number
}

/** The state of a link. `rejected`: the service does not accept its payment. */
export type LinkState = 'sent' | 'opened' | 'rejected' | 'paid' | 'revoked' | 'expired'

/** How many orders a reusable link makes. */
export interface ReusableLink extends Limits {
  /** How many it has made. */
  made: number
  /** How many orders are sold or may still be paid. */
  taken: number
  /** How many orders are sold. */
  sold: number
  /** Whether it is revoked or expired, and an order of it may still be open: `DELETE` it again. */
  closing: boolean
}

/** A link of `POST /api/links`. Its times are ISO 8601, UTC. */
export interface Link {
  id: string
  order_id: string
  /** Hundredths of its currency's unit. */
  amount_minor: number
  currency: string
  /** Null, as the three that follow, when the personal data was removed. */
  description: string | null
  customer_name: string | null
  url: string | null
  short_url: string | null
  state: LinkState
  created_at: string
  expires_at: string
  revoked_at: string | null
  by: string
  /** The fields for which the service rejects its payment, as far as they are named. Null: not rejected. */
  rejected: string[] | null
  /** Null: it leads to one payment. */
  reusable: ReusableLink | null
}

/** A place in the list. */
export type LinkPlace = [created_at: number, short: string]

/** @param columns Columns of its row: the `nonce` and those after it belong to a reusable link. */
export async function addLink(scope: Scope, columns: { [name: string]: SqlValue; order_id: string }): Promise<void> {
  const names = Object.keys(columns)
  const insert = `INSERT INTO edgetill_link (${names}) VALUES (${names.map(() => '?')})`
  await queryAll(scope, [[insert, Object.values(columns)], linkAct(scope, 'link', columns.order_id)])
}

/** The token that a short address leads to. */
export async function tokenOfShort(scope: Scope, short: string): Promise<string | undefined> {
  const [row] = await query(scope, 'SELECT token FROM edgetill_link WHERE short = ?', short)
  return (row?.token ?? undefined) as string | undefined
}

/** `order_id`: the link's own, or an order that a reusable link has made. */
interface LinkQuery extends Partial<Record<'order_id' | 'id', string | undefined>> {
  limit: number
  after?: LinkPlace | undefined
  state?: LinkState | undefined
}

/** Links, newest first, and the place of the next page. */
export async function listLinks(
  scope: Scope,
  origin: string,
  { limit, after = [Number.MAX_SAFE_INTEGER, ''], order_id, id, state }: LinkQuery,
): Promise<{ links: Link[]; next: LinkPlace | undefined }> {
  await catchUp(scope.till)
  const now = scope.now()
  const linkState = `CASE WHEN o.status = 'success' THEN 'paid' WHEN l.revoked_at IS NOT NULL THEN 'revoked' WHEN l.expires_at <= ${now} THEN 'expired'
    WHEN m.id IS NOT NULL THEN 'rejected' WHEN o.order_id IS NOT NULL OR EXISTS (SELECT 1 FROM edgetill_reuse WHERE nonce = l.nonce) THEN 'opened' ELSE 'sent' END`
  const conditions: [sql: string, ...values: SqlValue[]][] = [['(l.created_at, l.short) < (?, ?)', ...after]]
  const madeByLink = 'l.nonce IN (SELECT nonce FROM edgetill_reuse WHERE order_id = ?)'
  if (order_id !== undefined) conditions.push([`(l.order_id = ? OR ${madeByLink})`, order_id, order_id])
  if (id !== undefined) conditions.push(['l.id = ?', id])
  if (state !== undefined) conditions.push([`${linkState} = ?`, state])
  const sql = `SELECT l.*, ${linkState} AS state, (SELECT count(*) FROM edgetill_reuse WHERE nonce = l.nonce AND ${FIRST}) AS made,
      ${placesOf('l')} AS taken, ${placesOf('l', SOLD)} AS sold, (SELECT count(*) FROM edgetill_reuse WHERE nonce = l.nonce AND
      next_at IS NOT NULL AND coalesce(l.revoked_at, l.expires_at) <= ${now}) AS closing, m.matter
    FROM edgetill_link l LEFT JOIN edgetill_order o ON o.order_id = l.order_id AND l.nonce IS NULL
      LEFT JOIN edgetill_matter m ON m.id = '${REJECTED}' || l.order_id
    WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ORDER BY l.created_at DESC, l.short DESC LIMIT ${limit + 1}`
  const rows = await query(scope, sql, ...conditions.flatMap(([, ...values]) => values))
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const links = rows.slice(0, limit).map((row) => described(row, origin))
  return { links, next: last && [Number(last.created_at), String(last.short)] }
}

function described(row: Row, origin: string): Link {
  const { id, order_id, currency, description, customer_name, state, token, short, made_by: by } = row
  const number = (name: string) => Number(row[name])
  const time = (name: string) => (row[name] === null ? null : new Date(number(name)).toISOString())
  return {
    ...{ id, order_id, currency, description, customer_name, by, amount_minor: number('amount'), state },
    url: token && `${origin}/checkout/${token}`,
    short_url: token && `${origin}/p/${short}`,
    ...{ created_at: time('created_at'), expires_at: time('expires_at'), revoked_at: time('revoked_at') },
    rejected: row.matter && JSON.parse(String(row.matter)).fields,
    reusable: row.nonce && {
      ...{ max_orders: row.max_orders === null ? null : number('max_orders'), max_per_hour: number('max_per_hour') },
      ...{ made: number('made'), taken: number('taken'), sold: number('sold'), closing: number('closing') > 0 },
    },
  } as Link
}

/**
 * Removes the personal data of an order's links, or of all that were made until a time, in milliseconds. A reusable
 * link has none.
 */
export async function eraseLinks(scope: Scope, which: string | number): Promise<void> {
  const where = typeof which === 'number' ? 'created_at <= ?' : 'order_id = ?'
  const set = 'UPDATE edgetill_link SET description = NULL, customer_name = NULL, token = NULL'
  await query(scope, `${set} WHERE ${where} AND token IS NOT NULL AND nonce IS NULL`, which)
}
