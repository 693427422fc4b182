// The orders that need a person, as the log and the list of orders have them now.

import { isFinal } from '../../helpers/status.ts'
import { attemptId } from '../../orders/attempt-id.ts'
import { FLAGS } from '../../orders/listed-order.ts'
import type { SqlStatement } from '../../till/database.ts'
import { catchUp, putListed } from '../../till/listed.ts'
import { answeredBy, isOpen, type MoneyOperation } from '../../till/protocol.ts'
import { MAX_ATTEMPTS, NEVER } from '../../till/settle.ts'
import { type Reading, readOrders } from '../../till/store.ts'
import { hasEnded } from '../../till/unsettled.ts'
import { DAY_MS } from '../lib/day.ts'
import type { RaisedAlert } from '../options.ts'
import type { Scope } from '../scope.ts'
import { queryAll, type Row } from '../tables.ts'
import { lateAlerts } from './alerts.ts'

/** An open or failing matter needs a person after this long. */
const TEN_MINUTES_MS = 600_000

/** The flags that need a person, each a bit of `flags` in the list of orders. */
export const FLAG_BITS: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(
  FLAGS.slice(1).map((flag, i) => [flag, 2 ** (i + 1)]),
)
const ALL = /* @__PURE__ */ [...FLAG_BITS.values()].reduce((all, bit) => all + bit)

/**
 * The flags of an order that a person has marked as done. A later event undoes this, but a refund or void does so only
 * for `over_refund`.
 */
const DONE = `SELECT coalesce(sum(d.bit), 0) FROM edgetill_done d WHERE d.order_id = o.order_id AND d.bit > 0 AND NOT EXISTS (SELECT 1 FROM edgetill_log l
  WHERE l.order_id = d.order_id AND l.number > d.number AND l.kind = 'event' AND (d.bit = ${FLAG_BITS.get('over_refund')}
  OR (l.summary NOT LIKE '%"method":"refund"%' AND l.summary NOT LIKE '%"method":"void"%')))`

/** Orders with flags that are not done: `bits`. @param and An additional condition of `edgetill_order o`. */
const flagged = (and: string): string =>
  `(SELECT order_id, since, flags & (${ALL} - done) AS bits FROM (SELECT o.order_id, o.since, (${DONE}) AS done, o.flags
    FROM edgetill_order o WHERE o.flags > 1 ${and}) f) b WHERE bits > 0`
const COUNT = /* @__PURE__ */ [...FLAG_BITS.values()].map((bit) => `(bits & ${bit}) / ${bit}`).join(' + ')

/** The rows of the log that may need a person, each found by an index. */
function rowsOf(clock: string, order_id?: string): SqlStatement {
  const which = order_id === undefined ? '' : 'l.order_id = ? AND'
  const isOld = (ms: number) => `l.written_at <= ${clock} - ${ms}`
  const hasFailed = `(l.attempts > 5 OR (l.error IS NOT NULL AND (l.attempts = 5 OR ${isOld(TEN_MINUTES_MS)})))`
  const conditions = [
    `l.is_open > 0 AND (l.kind IN ('end', 'payment') OR l.is_open > 1 OR (l.kind = 'operation' AND ${isOld(TEN_MINUTES_MS)}))`,
    `l.kind = 'operation' AND l.next_at > 0 AND l.is_open = 0 AND ${isOld(DAY_MS)}`,
    `l.kind = 'event' AND l.next_at > 0 AND ${hasFailed}`,
  ]
  const selects = conditions.map(
    (
      condition,
      i,
    ) => `SELECT l.order_id, l.attempt, l.kind, l.id, l.attempts, ${i >> 1} AS is_failing, coalesce(o.since, l.written_at) AS since
      FROM edgetill_log l LEFT JOIN edgetill_order o ON o.order_id = l.order_id WHERE ${which} ${condition}`,
  )
  return [selects.join(' UNION ALL '), order_id === undefined ? [] : [order_id, order_id, order_id]]
}

/** A matter for a person other than a flag. `state`: the status of an open payment or operation at the service. */
export interface Matter {
  alert: RaisedAlert
  state?: 'pending' | 'unknown'
}

/** An order that needs a person. */
export interface Needing {
  order_id: string
  /** When its first row was written, milliseconds since 1970. */
  since: number
  /** Its flags that are not done. */
  bits: number
  matters: Matter[]
}

/** The identity of an item, stored when it is done. */
export const itemOf = ({ alert }: Matter): string => JSON.stringify(alert)

/**
 * Finds the orders that need a person. Flags are counted: orders with only flags are listed up to `limit`.
 * @param order_id Looks only at this order, which has rows.
 * @returns `count`: how many flags are not done. `isWhole`: whether all changed orders were read.
 */
export async function findNeeding(
  scope: Scope,
  limit: number,
  order_id?: string,
): Promise<{ count: number; orders: Needing[]; isWhole: boolean }> {
  const { till } = scope
  const listed = order_id === undefined ? [] : [{ order_id, unlisted: NEVER }]
  const isWhole = await (listed.length > 0 ? putListed(till, listed).then(() => true) : catchUp(till))
  const ofOrder = order_id === undefined ? [] : [order_id]
  const list = flagged(order_id === undefined ? '' : 'AND o.order_id = ?')
  const [rows, values] = rowsOf(till.database.clock, order_id)
  const [[sum] = [], flags = [], found = [], done = []] = await queryAll(scope, [
    [`SELECT coalesce(sum(${COUNT}), 0) AS count FROM ${list}`, ofOrder],
    [`SELECT order_id, since, bits FROM ${list} ORDER BY since, order_id LIMIT ${limit}`, ofOrder],
    [rows, values],
    [
      `SELECT order_id, item FROM edgetill_done WHERE bit = 0 AND order_id IN (SELECT order_id FROM (${rows}) r)`,
      values,
    ],
  ])
  const isDone = new Set(done.map((row) => `${row.order_id} ${row.item}`))
  const orders = new Map<string, Needing>()
  for (const { order_id, matters, ...one } of await readMatters(scope, found)) {
    const open = matters.filter((matter) => !isDone.has(`${order_id} ${itemOf(matter)}`))
    if (open.length > 0) orders.set(order_id, { ...one, order_id, matters: open })
  }
  for (const row of flags) {
    const order_id = String(row.order_id)
    const needing = orders.get(order_id) ?? { order_id, since: Number(row.since), matters: [] }
    orders.set(order_id, { ...needing, bits: Number(row.bits) })
  }
  return { count: Number(sum?.count), orders: [...orders.values()], isWhole }
}

/** Every matter of every order other than its flags, done or not. */
export async function findMatters(scope: Scope): Promise<Matter[]> {
  const [found = []] = await queryAll(scope, [rowsOf(scope.till.database.clock)])
  return (await readMatters(scope, found)).flatMap(({ matters }) => matters)
}

async function readMatters(scope: Scope, found: readonly Row[]): Promise<Needing[]> {
  const orders = new Map<string, Row[]>()
  for (const row of found) orders.set(String(row.order_id), [...(orders.get(String(row.order_id)) ?? []), row])
  const isRead = (rows: readonly Row[]) => rows.some((row) => Number(row.is_failing) === 0)
  const open = [...orders].flatMap(([order_id, rows]) => (isRead(rows) ? order_id : []))
  const readings = await readOrders(scope.till, open)
  return [...orders].map(([order_id, rows]) => {
    const attempts = isRead(rows) ? (readings.shift() as Reading).attempts : []
    return { order_id, since: Number(rows[0]?.since), bits: 0, matters: mattersOf(order_id, attempts, rows) }
  })
}

function mattersOf(order_id: string, attempts: readonly Reading[], rows: readonly Row[]): Matter[] {
  const failing = rows.filter(({ is_failing }) => Number(is_failing) > 0)
  const failed = failing.map(({ id, attempt, attempts }): Matter => {
    const kind = Number(attempts) < MAX_ATTEMPTS ? 'on_event_failing' : 'on_event_given_up'
    const attempt_id = attemptId(order_id, Number(attempt))
    return { alert: { kind, order_id: attempt_id, event_id: String(id), attempts: Number(attempts) } }
  })
  const late = attempts.flatMap((one) => lateAlerts(one.order_id, one))
  return [...attempts.flatMap((one) => openIn(one, rows)), ...late.map((alert) => ({ alert })), ...failed]
}

/** The open payment and operations of an attempt. */
function openIn({ order_id, attempt, order, calls, payment, now }: Reading, rows: readonly Row[]): Matter[] {
  const isOpenFor = (one: MoneyOperation, ms: number) => now - one.started_at >= ms
  const operations = calls.flatMap((one): Matter[] => {
    const { id, kind, late, maybeLost, started_at } = one
    const isUnknown = isOpen(one) && !answeredBy(calls, one, order.operations)
    const isPending = !isOpen(one) && !hasEnded(one, order.operations) && isOpenFor(one, DAY_MS)
    if (late || !(isPending || (isUnknown && (maybeLost || isOpenFor(one, TEN_MINUTES_MS))))) return []
    const since = new Date(started_at).toISOString()
    const alert = { kind: 'operation_unsettled', order_id, since, operation: kind, attempt_id: id } as const
    return [{ alert, state: isPending ? 'pending' : 'unknown' }]
  })
  const isMarked = rows.some((row) => row.kind === 'payment' && Number(row.attempt) === attempt)
  if (!isMarked || !payment || isFinal(order.status ?? '')) return operations
  const since = new Date(Number(payment.written_at)).toISOString()
  const state = order.status === 'pending' ? 'pending' : 'unknown'
  return [{ alert: { kind: 'checkout_open', order_id, since }, state }, ...operations]
}
