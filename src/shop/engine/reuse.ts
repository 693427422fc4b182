// Reusable links: any number of customers may pay. `edgetill_reuse` has a row for each time an order took a place of
// its link.

import type { ListedOrder } from '../../orders/listed-order.ts'
import type { SqlStatement } from '../../till/database.ts'
import { again, LOST } from '../../till/drive.ts'
import { catchUp } from '../../till/listed.ts'
import { listedOf } from '../../till/lists.ts'
import { readOrder } from '../../till/store.ts'
import { DAY_MS, HOUR_MS } from '../lib/day.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll, type Row } from '../tables.ts'
import { cancelOrder } from './open-checkout.ts'
import { FIRST, HAS_PLACE, isIn, placesOf, ROWS } from './places.ts'
import { act } from './record.ts'
import { linkAct } from './record-link.ts'

/** Why a link makes no order. */
export type Closed = 'invalid' | 'revoked' | 'expired' | 'full' | 'busy'

/** A visit of a link's page, or a press of its button. */
export interface ReuseVisit {
  nonce: string
  visitor: string
  /** Of a press: the visitor's order that had ended when the page was shown; '' for none. */
  after?: string
  /** Of a press: the id of a new order. */
  order_id?: string
}

const NUMBER = '(SELECT coalesce(max(number), 0) FROM edgetill_reuse WHERE nonce = l.nonce)'
/** A visitor's orders, except those that were cancelled to make room. */
const OWN = 'u.nonce = l.nonce AND u.visitor = ? AND (u.is_given = 0 OR u.sold > 0)'
/** Why the link `l` makes no order, as SQL with the values now and an hour ago. A link with few rows is never full. */
const CLOSED = `CASE WHEN l.revoked_at IS NOT NULL THEN 'revoked' WHEN l.expires_at <= ? THEN 'expired'
  WHEN l.max_orders <= ${NUMBER} AND l.max_orders <= ${placesOf('l')} THEN 'full' WHEN l.max_per_hour <=
  (SELECT count(*) FROM edgetill_reuse WHERE nonce = l.nonce AND ${FIRST} AND at > ?) THEN 'busy' END`

/**
 * The order of a link's visitor. A press creates an order if there is none, or if the visitor's last order was over
 * when the page was shown. So two presses of a page, or of two pages in the same browser, create a single order.
 */
export const orderOfVisit = (scope: Scope, visit: ReuseVisit): Promise<{ closed?: Closed; last?: string }> =>
  again(async () => {
    const { nonce, visitor, after = '', order_id } = visit
    const now = scope.now()
    const times = [now, now - HOUR_MS]
    const find = `SELECT ${CLOSED} AS closed, CASE WHEN l.max_orders <= ${NUMBER} THEN 1 ELSE 0 END AS is_near, r.order_id, r.number, o.shown,
        CASE WHEN ${HAS_PLACE} THEN 1 ELSE 0 END AS has_place, CASE WHEN l.max_orders IS NOT NULL AND ${isIn('failed')} THEN 1 ELSE 0 END AS has_failed
      FROM edgetill_link l LEFT JOIN edgetill_reuse r ON r.nonce = l.nonce AND r.number = (SELECT max(number) FROM edgetill_reuse u WHERE ${OWN})
      LEFT JOIN edgetill_order o ON o.order_id = r.order_id WHERE l.nonce = ?`
    const read = async () => (await query(scope, find, ...times, visitor, nonce))[0]
    let link = await read()
    if (link && (link.order_id !== null || Number(link.is_near) > 0)) {
      await catchUp(scope.till)
      link = await read()
    }
    if (!link) return { closed: 'invalid' }
    const closed = (link.closed ?? undefined) as Closed | undefined
    const last = (link.order_id ?? undefined) as string | undefined
    const hasLost = last !== undefined && Number(link.has_place) === 0
    const isEnded = closed === 'revoked' || closed === 'expired'
    // A failed order has given its place back, and can be paid again only if a place is free.
    const isLost = closed === 'full' && hasLost
    if (order_id === undefined || isEnded || isLost)
      return { ...(closed && { closed }), ...(last && !isLost && { last }) }
    const take = async (id: string, lost?: string) => {
      const [failed, next_at, despite] = lost === undefined ? ['-', 0, ''] : [lost, null, 'busy']
      // A concurrent writer of the same number has decided from an older state.
      const sql = `INSERT INTO edgetill_reuse (nonce, number, order_id, visitor, at, failed, is_given, sold, next_at)
        SELECT l.nonce, ${NUMBER} + 1, CAST(? AS text), CAST(? AS text), CAST(? AS bigint), CAST(? AS text), 0, 0, CAST(? AS bigint)
        FROM edgetill_link l WHERE l.nonce = ? AND coalesce(${CLOSED}, '') IN ('', '${despite}')
        AND NOT EXISTS (SELECT 1 FROM edgetill_reuse u WHERE ${OWN} AND u.number > ?) ON CONFLICT DO NOTHING RETURNING number`
      const values = [id, visitor, now, failed, next_at, nonce, ...times, visitor, Number(link?.number)]
      if ((await query(scope, sql, ...values)).length === 0) throw LOST
      return { last: id }
    }
    if (last !== undefined && last !== after) {
      // A cancelled order is not paid again.
      const takesAgain = hasLost && Number(link.has_failed) > 0 && !(await readOrder(scope.till, last)).isClosed
      const attempt = takesAgain && JSON.stringify(JSON.parse(String(link.shown)).order_id)
      return attempt ? take(last, `{"order_id":${attempt}`) : { last }
    }
    return closed ? { closed } : take(order_id)
  })

/** Orders that one visit of a full link cancels at most. */
const FREED = 5

/**
 * Cancels orders of a full link that are unpaid after an hour, the oldest first. Each frees its place once the service
 * has confirmed.
 */
export async function freePlaces(scope: Scope, nonce: string): Promise<boolean> {
  const sql = `SELECT r.order_id FROM ${ROWS} WHERE r.nonce = ? AND r.sold = 0 AND ${HAS_PLACE} AND ${isIn('waiting', 'failed')}
    GROUP BY r.order_id HAVING max(r.at) <= ? ORDER BY max(r.at) LIMIT ${FREED}`
  const ids = idsOf(await query(scope, sql, nonce, scope.now() - HOUR_MS))
  const calls = await Promise.allSettled(ids.map((id) => cancelOrder(scope, id)))
  const cancelled = ids.filter((_, i) => calls[i]?.status === 'fulfilled')
  if (cancelled.length === 0) return false
  const give = `UPDATE edgetill_reuse SET is_given = 1, next_at = NULL WHERE ${among(cancelled)} AND sold = 0`
  await query(scope, give, ...cancelled)
  return true
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ order_id }) => String(order_id))
const among = (ids: readonly string[]): string => (ids.length > 0 ? `order_id IN (${ids.map(() => '?')})` : '1 = 0')

type Reused = { nonce: string; order_id: string }

/** Changes how many orders a link sells at most. @returns Whether there is such a link. */
export const limitReusable = (scope: Scope, link: Reused, max_orders: number): Promise<boolean> =>
  change(scope, link, 'change_link', 'max_orders = ?', max_orders)

/** Closes a link: it makes no more orders. @returns Whether there is such a link. */
export const closeReusable = (scope: Scope, link: Reused): Promise<boolean> =>
  change(scope, link, 'revoke_link', 'revoked_at = coalesce(revoked_at, ?)', scope.now(), 'AND revoked_at IS NULL')

/** @param where The act is recorded only if this condition holds. */
async function change(
  scope: Scope,
  { nonce, order_id }: Reused,
  action: 'change_link' | 'revoke_link',
  set: string,
  value: number,
  where = '',
): Promise<boolean> {
  const [, changed = []] = await queryAll(scope, [
    linkAct(scope, action, order_id, `WHERE EXISTS (SELECT 1 FROM edgetill_link WHERE nonce = ? ${where})`, nonce),
    [`UPDATE edgetill_link SET ${set} WHERE nonce = ? RETURNING short`, [value, nonce]],
  ])
  return changed.length > 0
}

/** How many orders one call of {@link endOrders} cancels at most. */
const CANCELLED = 20
/** The pause before the cron tries again to cancel an order. After a day a person has to do it. */
const PAUSE_MS = HOUR_MS / 4

/**
 * Cancels the unpaid orders of a closed link, least recently tried first.
 * @param nonce The link's, or '' for all links that were closed or revoked.
 * @returns Whether some orders may still be paid: then call again.
 */
export async function endOrders(scope: Scope, nonce: string): Promise<boolean> {
  const now = scope.now()
  const day = `BETWEEN ${now - DAY_MS} AND ${now}`
  const closed = `SELECT nonce FROM edgetill_link WHERE nonce IS NOT NULL AND coalesce(revoked_at, expires_at) ${day}`
  const [which, values] = nonce === '' ? [`nonce IN (${closed}) AND next_at <= ${now}`, []] : ['nonce = ?', [nonce]]
  await catchUp(scope.till)
  const isPaid =
    "EXISTS (SELECT 1 FROM edgetill_order o WHERE o.order_id = edgetill_reuse.order_id AND o.status = 'success')"
  // A revoked link that was never opened has nothing to cancel.
  const revoked = `UNION ALL SELECT v.order_id, v.next_at FROM edgetill_revoked v JOIN edgetill_order o ON o.order_id = v.order_id
    WHERE v.next_at <= ${now} AND v.at ${day} AND coalesce(o.status, '') <> 'success'`
  const [, found = []] = await queryAll(scope, [
    [`UPDATE edgetill_reuse SET next_at = NULL WHERE ${which} AND next_at IS NOT NULL AND ${isPaid}`, values],
    [
      `SELECT order_id, next_at FROM edgetill_reuse WHERE ${which} AND next_at IS NOT NULL ${nonce === '' ? revoked : ''}
        ORDER BY next_at LIMIT ${CANCELLED + 1}`,
      values,
    ],
  ])
  const tried = idsOf(found).slice(0, CANCELLED)
  const ends = await Promise.all(tried.map((id) => end(scope, id)))
  const ended = tried.filter((_, i) => ends[i])
  const noted = ['edgetill_reuse', 'edgetill_revoked'].map((table): SqlStatement => {
    const next_at = `CASE WHEN ${among(ended)} THEN NULL ELSE CAST(? AS bigint) END`
    const sql = `UPDATE ${table} SET next_at = ${next_at} WHERE next_at IS NOT NULL AND ${among(tried)}`
    return [sql, [...ended, now + PAUSE_MS, ...tried]]
  })
  if (tried.length > 0) await queryAll(scope, noted)
  return found.length > CANCELLED || ended.length < tried.length
}

/** Cancels an order. @returns Whether it can no longer be paid. */
async function end(scope: Scope, order_id: string): Promise<boolean> {
  try {
    await act(scope, order_id, { action: 'cancel' }, () => cancelOrder(scope, order_id))
    return true
  } catch {
    // A rejected order may have been paid since the list showed it.
    return hasEnded(scope, order_id).catch(() => false)
  }
}

/** Whether a visitor who presses the button again means another order. */
export async function hasEnded(scope: Scope, order_id: string): Promise<boolean> {
  const { attempts, isClosed } = await readOrder(scope.till, order_id)
  return isClosed || attempts.some(({ order }) => order.status === 'success')
}

/**
 * A page of a reusable link's orders, the newest first, or the single order of another link; only orders that were
 * opened.
 * @returns `next`: the number of the page's last order, if there are more.
 */
export async function ordersOfLink(
  scope: Scope,
  { nonce, order_id, reusable }: Reused & { reusable?: true },
  { limit, after = 2 ** 31 - 1 }: { limit: number; after?: number | undefined },
): Promise<{ orders: ListedOrder[]; next: number | undefined }> {
  const of = reusable
    ? `, r.number FROM edgetill_reuse r JOIN edgetill_order o ON o.order_id = r.order_id WHERE r.nonce = ? AND r.number < ? AND ${FIRST}
      ORDER BY r.number DESC LIMIT ${limit + 1}`
    : ' FROM edgetill_order o WHERE o.order_id = ?'
  const rows = await query(scope, `SELECT o.shown, o.since${of}`, ...(reusable ? [nonce, after] : [order_id]))
  const page = rows.slice(0, limit)
  return { orders: page.map(listedOf), next: rows.length > limit ? Number(page.at(-1)?.number) : undefined }
}
