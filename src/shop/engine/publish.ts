// `order/<order key>` in KV: the order for other programs to read. It is written at most once in ten seconds; the last
// state is always written.

import { orderKey } from '../../orders/order-key.ts'
import type { SqlStatement } from '../../till/database.ts'
import { type Reading, readOrder } from '../../till/store.ts'
import { later } from '../later.ts'
import { describeError, logError } from '../lib/log.ts'
import type { Order } from '../lib/shown-order.ts'
import type { RaisedAlert } from '../options.ts'
import type { Scope } from '../scope.ts'
import { query, type Row } from '../tables.ts'
import { alertsOfChange, raiseAlert } from './alerts.ts'
import { scheduleErasure } from './schedule.ts'
import { orderOf } from './show.ts'

/** KV takes one write of a key in a second; a read may show the value of a minute ago. */
const PUBLISH_MS = 10_000
/** A write that has not ended after this long is repeated: its process has died. */
const RETRY_MS = 60_000
const AT_ONCE = 100

/**
 * Claims the write of an order, and the alerts about it: if this process dies, the cron repeats it. If the order was
 * written within ten seconds, the next write is due after them.
 */
export function claimCopy(scope: Scope, order_id: string): SqlStatement {
  const now = scope.now()
  const isOld = `edgetill_copy.written_at <= ${now - PUBLISH_MS}`
  const sql = `INSERT INTO edgetill_copy (order_id, written_at, due_at, reported) VALUES (?, ?, ?, 0) ON CONFLICT (order_id) DO UPDATE SET
    written_at = CASE WHEN ${isOld} THEN excluded.written_at ELSE edgetill_copy.written_at END,
    due_at = CASE WHEN ${isOld} THEN excluded.due_at ELSE edgetill_copy.written_at + ${PUBLISH_MS} END RETURNING *`
  return [sql, [order_id, now, now + RETRY_MS]]
}

/**
 * Writes an order to KV. If it was written within ten seconds, schedules the next write instead.
 * @param known The current order, if it was read. @param claimed The row of {@link claimCopy}, if that was run.
 */
export async function publish(scope: Scope, order_id: string, known?: Reading, claimed?: Row): Promise<void> {
  const [sql, values] = claimCopy(scope, order_id)
  const row = claimed ?? (await query(scope, sql, ...values))[0]
  const [reportedTo, due_at] = [Number(row?.reported), Number(row?.due_at)]
  const isClaimed = due_at - Number(row?.written_at) === RETRY_MS
  if (!isClaimed && scope.copies) {
    waitAndPublish(scope, order_id, due_at - scope.now())
    if (!known) return
  }
  const reading = known ?? (await readOrder(scope.till, order_id))
  const order = await orderOf(scope, reading)
  // Alerts do not wait.
  const hasAlerts = await raiseAlerts(scope, reading, order, reportedTo)
  if (!isClaimed) {
    const sql = 'UPDATE edgetill_copy SET reported = ? WHERE order_id = ?'
    return void (hasAlerts && (await query(scope, sql, reading.next - 1, order_id)))
  }
  if (reading.events.length > 0) await scope.copies?.put(`order/${orderKey(order_id)}`, storedOrder(order))
  // A row may have come since the order was read, and this copy may have replaced another process's newer one.
  const end = `UPDATE edgetill_copy SET reported = ?, due_at = CASE WHEN due_at = ? AND NOT EXISTS (SELECT 1 FROM edgetill_log WHERE order_id = ?
    AND number >= ?) THEN NULL ELSE coalesce(due_at, ?) - 1 END WHERE order_id = ?`
  const { base_id, next } = reading
  await query(scope, end, next - 1, due_at, base_id, next, scope.now() + PUBLISH_MS, order_id)
}

/**
 * Raises the alerts of an order's events after the row `reportedTo`, and schedules the removal of their personal data.
 * @returns Whether there were alerts.
 */
async function raiseAlerts(scope: Scope, reading: Reading, order: Order, reportedTo: number): Promise<boolean> {
  const { order_id, events, calls } = reading
  const newEvents = events.filter(({ id, number }) => number > reportedTo && !calls.some((one) => one.id === id))
  if (newEvents.length === 0) return false
  await scheduleErasure(scope, reading)
  const odd = newEvents.flatMap(({ id, odd: fields }): RaisedAlert[] =>
    fields ? [{ kind: 'unexpected_shape', order_id, event_id: id, fields }] : [],
  )
  const alerts = [...odd, ...alertsOfChange(reading.upTo(reportedTo), { ...reading, flags: order.flags })]
  for (const alert of alerts) raiseAlert(scope, alert)
  return alerts.length > 0
}

/**
 * The value: the order as `GET /api/orders/:order_id` returns it, without `attempts` and the customer's e-mail address.
 */
function storedOrder({ attempts: _, customer_email: __, ...value }: Order): object {
  return value
}

/** Publishes after a pause. With a test's clock nothing waits: the cron writes the copy when it is due. */
function waitAndPublish(scope: Scope, order_id: string, ms: number): void {
  if (!scope.isRealTime || ms <= 0) return
  later(scope, 'order_not_published', order_id, async () => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    await publishDue(scope, order_id)
  })
}

/** Writes the copies that are due: of an order, or of all. */
export async function publishDue(scope: Scope, order_id?: string): Promise<void> {
  const which = order_id === undefined ? '' : 'AND order_id = ?'
  const due = `SELECT order_id FROM edgetill_copy WHERE due_at <= ? ${which} ORDER BY due_at LIMIT ${AT_ONCE}`
  for (const row of await query(scope, due, scope.now(), ...(order_id === undefined ? [] : [order_id]))) {
    const id = String(row.order_id)
    // The pause is over, so this call writes.
    await publish(scope, id).catch((error: unknown) =>
      logError('order_not_published', { order_id: id, ...describeError(error) }),
    )
  }
}
