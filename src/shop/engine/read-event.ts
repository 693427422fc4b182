import { storedId } from '../../orders/attempt-id.ts'
import { recordFrom } from '../../till/records.ts'
import { type Reading, readNamed } from '../../till/store.ts'
import type { StoredEvent } from '../kv/events.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'

/** The events of an attempt under their wire names, the newest first. @param id Only this event. */
export async function readEvents(
  scope: Scope,
  { base_id, attempt, bases }: Reading,
  id?: string,
): Promise<(StoredEvent & { id: string })[]> {
  const sql = `SELECT id, written_at, summary, body FROM edgetill_log WHERE order_id = ? AND attempt = ? AND kind = 'event'
    ${id === undefined ? '' : 'AND id = ?'} ORDER BY number DESC`
  const rows = await query(scope, sql, storedId(base_id), attempt, ...(id === undefined ? [] : [id]))
  return rows.map(({ id, written_at, summary, body }) => {
    const stored = JSON.parse(String(body))
    const base = bases.find(({ number }) => number === stored.of)?.record
    return {
      id: String(id),
      received_at: Number(written_at),
      event: recordFrom(stored, JSON.parse(String(summary)), base),
      ...(stored.issues?.length > 0 && { issues: stored.issues }),
      ...(stored.erased && { erased_at: stored.erased }),
    }
  })
}

/** An event of an order, or of an attempt at paying it. */
export async function readEvent(scope: Scope, named: string, id: string): Promise<StoredEvent | undefined> {
  const [reading] = await readNamed(scope.till, named)
  return (await readEvents(scope, reading, id))[0]
}
