// The takings by the days of a time zone, and the operations behind them.

import { dayIn } from '../lib/day.ts'
import { attemptId } from '../orders/attempt-id.ts'
import {
  boundsOf,
  type DaySum,
  type DaysQuery,
  type DayTotal,
  sumDays,
  type TillOperation,
  takenOf,
} from '../orders/day-sums.ts'
import type { TillOptions } from './events.ts'
import type { ListRow } from './listed.ts'
import { beginList, type Page } from './lists.ts'
import { run } from './store.ts'

/** Days, and a page of their operations. */
export interface OperationsQuery extends DaysQuery, Page {}

const DAY_MS = 86_400_000
/** Every time zone begins its days at a multiple of this. */
const QUARTER_MS = DAY_MS / 96

const totalOf = ({ currency, method, kind, count = 1, amount, fee }: ListRow, day: string): DayTotal => ({
  ...{ day, currency: String(currency), method: String(method ?? 'unknown'), kind: kind as DayTotal['kind'] },
  ...{ count: Number(count), amount: Number(amount), fee: Number(fee) },
})

/** The takings of days, one row for a day, currency and way of payment. */
export async function listDays(scope: TillOptions, query: DaysQuery): Promise<DaySum[]> {
  const [start, end, zone] = boundsOf(query)
  await beginList(scope, {}, /$/)
  const sql = `SELECT at / ${QUARTER_MS} AS quarter, currency, method, kind, count(*) AS count, CAST(sum(amount) AS double precision) AS amount,
    CAST(sum(fee) AS double precision) AS fee
    FROM edgetill_money WHERE at >= ? AND at < ? GROUP BY 1, 2, 3, 4`
  const rows = await run<ListRow>(scope, sql, start, end)
  const quarters = new Set(rows.map(({ quarter }) => Number(quarter)))
  const days = new Map([...quarters].map((quarter) => [quarter, dayIn(quarter * QUARTER_MS, zone)]))
  return sumDays(rows.map((row) => totalOf(row, days.get(Number(row.quarter)) as string)))
}

/** A page of the operations of days, the oldest first. */
export async function listOperations(
  scope: TillOptions,
  query: OperationsQuery,
): Promise<{ operations: TillOperation[]; cursor: string | null }> {
  const { limit = 50 } = query
  const [start, end, zone] = boundsOf(query)
  const [at = start, attempt = 0, id = '', last = ''] = await beginList(scope, query, /^(\d+)\/(\d+)\/(.*)\n(.*)$/s)
  const sql = `SELECT m.*, o.shown, o.last_four FROM edgetill_money m JOIN edgetill_order o ON o.order_id = m.order_id WHERE m.at >= ? AND m.at < ?
    AND (m.at > ? OR m.order_id > ? OR (m.order_id = ? AND (m.attempt > ? OR (m.attempt = ? AND m.id > ?))))
    ORDER BY m.at, m.order_id, m.attempt, m.id LIMIT ${limit + 1}`
  const after = [Number(at), last, last, Number(attempt), Number(attempt), id]
  const rows = await run<ListRow>(scope, sql, Number(at), end, ...after)
  const operations = rows.slice(0, limit).map((row): TillOperation => {
    const day = dayIn(Number(row.at), zone)
    const { kind, method, amount, fee, currency } = totalOf(row, day)
    const { reference = null, description = null, customer_name = null } = JSON.parse(String(row.shown))
    const order_id = attemptId(String(row.order_id), Number(row.attempt))
    return {
      ...{ at: new Date(Number(row.at)).toISOString(), day, order_id },
      ...{ kind: kind === 'given_back' ? 'voided' : kind, method, amount_minor: amount, fee_minor: fee, currency },
      taken_minor: takenOf({ kind, amount }),
      ...{ reference, description, customer_name, last_four: row.last_four as string | null },
    }
  })
  const final = rows.length > limit && rows[limit - 1]
  return { operations, cursor: final ? `${final.at}/${final.attempt}/${final.id}\n${final.order_id}` : null }
}
