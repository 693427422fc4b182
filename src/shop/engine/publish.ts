// `order/<order key>` in KV: the order for other programs to read, written at most once in ten seconds, and in its last
// state always.

import { orderKey } from '../../orders/order-key.ts'
import type { SqlStatement } from '../../till/database.ts'
import { type Reading, readOrder } from '../../till/store.ts'
import { later } from '../later.ts'
import { describeError, logError } from '../lib/log.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'
import { orderOf } from './show.ts'

/** KV takes one write of a key in a second; a read may show the value of a minute ago. */
const PUBLISH_MS = 10_000
/** After this long a write that was begun is made again: its process has died. */
const RETRY_MS = 60_000
const AT_ONCE = 100

/** Marks an order to be written soon: by the process that changes it, or by the cron if that process dies. */
export const publishSoon = (scope: Scope, order_id: string): SqlStatement => [
  `INSERT INTO edgetill_copy (order_id, written_at, due_at) VALUES (?, 0, ?) ON CONFLICT (order_id) DO UPDATE SET
    due_at = CASE WHEN edgetill_copy.due_at < excluded.due_at THEN edgetill_copy.due_at ELSE excluded.due_at END`,
  [order_id, scope.now() + PUBLISH_MS],
]

/**
 * Writes an order to KV, unless that was done a moment ago: then it is due.
 * @param known The current order, if it was read.
 */
export async function publish(scope: Scope, order_id: string, known?: Reading): Promise<void> {
  if (!scope.copies) return
  const now = scope.now()
  const claim = `INSERT INTO edgetill_copy (order_id, written_at, due_at) VALUES (?, ?, ?) ON CONFLICT (order_id) DO UPDATE SET
    written_at = CASE WHEN edgetill_copy.written_at <= ? THEN excluded.written_at ELSE edgetill_copy.written_at END,
    due_at = CASE WHEN edgetill_copy.written_at <= ? THEN excluded.due_at ELSE edgetill_copy.written_at + ${PUBLISH_MS} END RETURNING due_at`
  const [row] = await query(scope, claim, order_id, now, now + RETRY_MS, now - PUBLISH_MS, now - PUBLISH_MS)
  if (Number(row?.due_at) !== now + RETRY_MS) return waitAndPublish(scope, order_id, Number(row?.due_at) - now)
  const reading = known ?? (await readOrder(scope.till, order_id))
  if (reading.events.length > 0) await scope.copies.put(`order/${orderKey(order_id)}`, storedOrder(reading))
  // A row may have come since it was read, and an older copy may have taken the place of another process's.
  const end = `UPDATE edgetill_copy SET due_at = CASE WHEN due_at = ? AND NOT EXISTS (SELECT 1 FROM edgetill_log WHERE order_key = ? AND number >= ?)
    THEN NULL ELSE coalesce(due_at, ?) - 1 END WHERE order_id = ?`
  await query(scope, end, now + RETRY_MS, reading.order_key, reading.next, now + PUBLISH_MS, order_id)
}

/**
 * The value: the order as `GET /api/orders/:order_id` returns it, without `attempts` and the customer's e-mail address.
 */
function storedOrder(reading: Reading): object {
  const { attempts: _, customer_email: __, ...value } = orderOf(reading)
  return value
}

/** With a test's clock nothing waits: the cron writes the copy when it is due. */
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
    // It is no longer a moment ago.
    await publish(scope, id).catch((error: unknown) =>
      logError('order_not_published', { order_id: id, ...describeError(error) }),
    )
  }
}
