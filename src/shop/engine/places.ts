// The places of a reusable link: which of its orders have a place, and how many it has sold.

import { holdsMoney } from '../../orders/fold.ts'
import { MONEY_STATES, type MoneyState } from '../../orders/money-state.ts'
import type { Reading } from '../../till/store.ts'
import { isReuseId } from '../lib/links.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll } from '../tables.ts'

/** A condition: the listed order is in any of these states. */
export const isIn = (...states: MoneyState[]): string =>
  `coalesce(o.state, 0) IN (${states.map((state) => MONEY_STATES.indexOf(state))})`

/** The condition of an order's first row. Each later row contains the attempt that had failed before. */
export const FIRST: string = "failed = '-'"
/** The condition that a row's order is sold. The row is joined with its order in the lists. */
export const SOLD: string = `(r.sold > 0 OR ${isIn('paid', 'reserved', 'partly_charged', 'partly_refunded', 'refunded')})`
/**
 * The condition that a row has a place: its order is sold, or may still be paid. An order loses its place when it is
 * cancelled to make room, or when a payment fails after it took the place.
 */
export const HAS_PLACE: string = `((r.is_given = 0 OR ${SOLD}) AND NOT (${isIn('released')}
  OR ${isIn('failed')} AND substr(o.shown, 1, length(r.failed)) <> r.failed))`
export const ROWS: string = 'edgetill_reuse r LEFT JOIN edgetill_order o ON o.order_id = r.order_id'

/** How many orders of a link have a place. @param link The name of its row in the query. */
export const placesOf = (link: string, condition = '1 = 1'): string =>
  `(SELECT count(DISTINCT r.order_id) FROM ${ROWS} WHERE r.nonce = ${link}.nonce AND ${HAS_PLACE} AND ${condition})`

/** Notes the sale of a link's order, once. @returns Whether the link had already sold as many as it may. */
export async function isOverSold(scope: Scope, { base_id, attempts }: Reading): Promise<boolean> {
  if (!isReuseId(base_id) || !attempts.some(({ order }) => holdsMoney(order.totals))) return false
  const known = 'SELECT max(sold) AS sold, min(sold) AS least FROM edgetill_reuse WHERE order_id = ?'
  const [row] = await query(scope, known, base_id)
  if (Number(row?.least ?? 1) > 0) return Number(row?.sold) > 1
  const count = `SELECT count(DISTINCT r.order_id) FROM ${ROWS} WHERE r.nonce = edgetill_reuse.nonce AND r.order_id <> edgetill_reuse.order_id
    AND r.sold > 0 AND NOT ${isIn('released')}`
  const [, , [now] = []] = await queryAll(scope, [
    // Here one of two simultaneous sales waits for the other.
    [
      'UPDATE edgetill_link SET nonce = nonce WHERE nonce = (SELECT nonce FROM edgetill_reuse WHERE order_id = ? LIMIT 1)',
      [base_id],
    ],
    [
      `UPDATE edgetill_reuse SET next_at = NULL, sold = CASE WHEN (SELECT max_orders FROM edgetill_link l WHERE l.nonce = edgetill_reuse.nonce)
        <= (${count}) THEN 2 ELSE 1 END WHERE order_id = ? AND sold = 0`,
      [base_id],
    ],
    [known, [base_id]],
  ])
  return Number(now?.sold) > 1
}
