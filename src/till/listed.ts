// The rows of the lists, folded from an order's log. A row of the log is `unlisted` until a list, or `settle`, has
// folded it.

import { isFinal } from '../helpers/status.ts'
import { holdsMoney } from '../orders/fold.ts'
import { listedColumns, paperAmong } from '../orders/listed-order.ts'
import { takingsOf } from '../orders/takings.ts'
import type { SqlStatement, SqlValue } from './database.ts'
import { again, LOST, sideBySide } from './drive.ts'
import type { TillScope } from './events.ts'
import { isOpen } from './protocol.ts'
import { checkOwner, type Reading, type Row, readOrder, run, runAll, selectOrder, update } from './store.ts'

/** A row of a list's table. */
export type ListRow = Record<string, SqlValue>

/** A value for comparison: Postgres returns some numbers as texts. */
const textOf = (value: SqlValue | undefined): string | null => (value == null ? null : String(value))

const MOST_BEHIND = 500
/** Orders that are read, and written, together: a Worker may make 1,000 calls. */
const TOGETHER = 20

/** An order to fold. `unlisted`: rows that were written later stay marked as unlisted. */
type Behind = Pick<Row, 'order_id' | 'unlisted'>

/** Folds at most 500 orders with unlisted rows. @returns Whether no order is left. */
export async function catchUp(scope: TillScope): Promise<boolean> {
  const sql = `SELECT v.owner, b.* FROM (SELECT max(owner) AS owner FROM edgetill_version) v LEFT JOIN (SELECT order_id, max(unlisted) AS unlisted
    FROM edgetill_log WHERE unlisted IS NOT NULL GROUP BY order_id ORDER BY order_id LIMIT ${MOST_BEHIND + 1}) b ON b.unlisted > 0`
  const rows = await run(scope, sql)
  checkOwner(scope, rows[0] as Row)
  const behind = rows.filter(({ order_id }) => order_id !== null).slice(0, MOST_BEHIND)
  const parts = Array.from({ length: Math.ceil(behind.length / TOGETHER) }, () => behind.splice(0, TOGETHER))
  await sideBySide(parts, (part) => putListed(scope, part))
  return rows.length <= MOST_BEHIND
}

/** Folds orders, and marks their rows as listed. */
export async function putListed(scope: TillScope, behind: readonly Behind[]): Promise<void> {
  const newer = `SELECT id, written_at, summary, body, unlisted FROM edgetill_log WHERE order_id = ? AND (number = 1 OR (kind = 'event' AND
    unlisted IS NOT NULL)) ORDER BY number`
  await again(async () => {
    // The list's row before the log: another process that has written since may have read a newer log.
    const reads = behind.flatMap(({ order_id }): SqlStatement[] => [
      ['SELECT * FROM edgetill_order WHERE order_id = ?', [order_id]],
      ['SELECT * FROM edgetill_money WHERE order_id = ?', [order_id]],
      selectOrder(scope, order_id),
      [newer, [order_id]],
    ])
    const read = await runAll(scope, reads)
    const puts = await Promise.all(behind.map((one, i) => fold(scope, one, read.slice(4 * i))))
    const written = await runAll(scope, puts.flat())
    if (written.flat().filter((row) => 'order_id' in row).length < behind.length) throw LOST
  })
}

/** The statements that list an order. */
async function fold(
  scope: TillScope,
  { order_id, unlisted: until }: Behind,
  read: readonly (readonly object[])[],
): Promise<SqlStatement[]> {
  const [[before = {}], money, log, rows] = read as [ListRow[], ListRow[], Row[], Row[]]
  const { next, attempts } = await readOrder(scope, order_id, '', [], log)
  const records = rows.flatMap(({ id, summary, body, unlisted }) => {
    const { record, erased } = JSON.parse(body)
    return record && unlisted !== null ? { ...JSON.parse(summary ?? '{}'), ...record, erased, id } : []
  })
  const paper = paperAmong(before, records, attempts)
  const isPaid = attempts.some(({ order }) => holdsMoney(order.totals))
  const isUnknown = attempts.some(
    ({ calls, payment, order }) => calls.some(isOpen) || (isPaid && payment && !isFinal(order.status ?? '')),
  )
  const token = crypto.randomUUID()
  const listed = { ...paper, ...listedColumns(order_id, attempts, isUnknown, await scope.flagged?.(attempts)) }
  const columns: ListRow = { order_id, token, since: Number(rows[0]?.written_at), ...listed }
  const names = Object.keys(columns)
  // A column that is set is written into its indexes too.
  const changed = names.filter((name) => textOf(before[name]) !== textOf(columns[name]))
  const put = `INSERT INTO edgetill_order (${names}) VALUES (${names.map(() => '?')}) ON CONFLICT (order_id) DO UPDATE SET
    ${changed.map((name) => `${name} = excluded.${name}`)} WHERE edgetill_order.token = ? RETURNING order_id`
  const isOwn = 'EXISTS (SELECT 1 FROM edgetill_order WHERE order_id = ? AND token = ?)'
  const own = [order_id, token]
  const done = update('unlisted = NULL', `order_id = ? AND number < ? AND unlisted <= ? AND ${isOwn}`)
  return [
    [put, [...Object.values(columns), before.token ?? null]],
    ...attempts.flatMap((one) =>
      moneyOf(one, money, paper.payway).map(
        ([sql, values]): SqlStatement => [sql.replace('?own', isOwn), [order_id, ...values, ...own]],
      ),
    ),
    [done, [order_id, next, until, ...own]],
  ]
}

/**
 * Statements for an attempt's changed operations. The order's id goes before their values, the values of `?own` after.
 */
function moneyOf({ attempt, order, events }: Reading, before: readonly ListRow[], payway: SqlValue): SqlStatement[] {
  const known = new Map(before.filter((row) => Number(row.attempt) === attempt).map((row) => [String(row.id), row]))
  const counted = takingsOf(events, order.method)
  const gone = [...known.keys()].filter((id) => !counted.some(({ key }) => key === id))
  const remove = `DELETE FROM edgetill_money WHERE order_id = ? AND attempt = ${attempt} AND id = ? AND ?own`
  const put = counted.flatMap(({ key, kind, amount, fee, currency, successes }): SqlStatement[] => {
    const old = known.get(key)
    const method = old?.method ?? payway
    const values = [kind, method, amount, fee, currency]
    if (old && values.join() === [old.kind, old.method, old.amount, old.fee, old.currency].join()) return []
    const at = old?.at ?? Math.min(...successes.map(({ written_at }) => Number(written_at)))
    const sql = `INSERT INTO edgetill_money (order_id, attempt, at, amount, fee, id, kind, method, currency) SELECT CAST(? AS text), ${[attempt, at, amount, fee]},
      CAST(? AS text), CAST(? AS text), CAST(? AS text), CAST(? AS text) WHERE ?own ON CONFLICT (order_id, attempt, id) DO UPDATE SET kind = excluded.kind,
      method = excluded.method, amount = excluded.amount, fee = excluded.fee, currency = excluded.currency`
    return [[sql, [key, kind, method, currency]]]
  })
  return [...gone.map((id): SqlStatement => [remove, [id]]), ...put]
}
