import { recordFrom } from '../../till/records.ts'
import { readNamed } from '../../till/store.ts'
import type { StoredEvent } from '../kv/events.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'

/** An event of an order, or of an attempt at paying it, under its wire names. */
export async function readEvent(scope: Scope, named: string, id: string): Promise<StoredEvent | undefined> {
  const [{ order_key, attempt, bases }] = await readNamed(scope.till, named)
  const sql = `SELECT written_at, summary, body FROM edgetill_log WHERE order_key = ? AND attempt = ? AND kind = 'event' AND id = ?`
  const [row] = await query(scope, sql, order_key, attempt, id)
  if (!row) return undefined
  const stored = JSON.parse(String(row.body))
  const base = bases.find(({ number }) => number === stored.of)?.record
  return {
    received_at: Number(row.written_at),
    event: recordFrom(stored, JSON.parse(String(row.summary)), base),
    ...(stored.issues?.length > 0 && { issues: stored.issues }),
    ...(stored.erased && { erased_at: stored.erased }),
  }
}
