// Schedules the removal of orders' personal data.

import type { Reading } from '../../till/store.ts'
import { retentionMs } from '../env.ts'
import { HOUR_MS } from '../lib/day.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'

/** Data is removed this long after it is due, so that one run removes all data of an hour. */
export const GRACE_MS: number = HOUR_MS

/** Schedules the removal of new data after RETENTION_DAYS, if the cron has erased the order before. */
export async function scheduleErasure(scope: Scope, { base_id, attempts }: Reading): Promise<void> {
  const retention = retentionMs(scope.env)
  if (retention === undefined) return
  const now = scope.now()
  const rows = attempts.flatMap(({ events, payment }) => [...events, ...(payment ? [payment] : [])])
  // The cron will still erase this order for the first time, and returns for newer data then.
  if (Math.min(...rows.map(({ written_at }) => Number(written_at))) > now - retention) return
  await putErasure(scope, base_id, 0, now + retention + GRACE_MS)
}

/**
 * Schedules the removal of an order's personal data, at the earlier of two times.
 * @param before 0: data older than RETENTION_DAYS.
 */
export async function putErasure(scope: Scope, order_id: string, before: number, at: number): Promise<void> {
  const earlier =
    'CASE WHEN edgetill_erasure.next_at < excluded.next_at THEN edgetill_erasure.next_at ELSE excluded.next_at END'
  const later =
    'CASE WHEN edgetill_erasure.before_at > excluded.before_at THEN edgetill_erasure.before_at ELSE excluded.before_at END'
  const sql = `INSERT INTO edgetill_erasure (order_id, before_at, next_at, place) VALUES (?, ?, ?, '') ON CONFLICT (order_id) DO UPDATE SET
    next_at = ${earlier}, before_at = ${later}, place = ''`
  await query(scope, sql, order_id, before, at)
}
