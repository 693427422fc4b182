// After a restored backup: the till is marked, and the events that KV has received since then are stored again.

import { attemptOf } from '../../orders/attempt-id.ts'
import { recordOf } from '../../schemas/read.ts'
import { readEvent } from '../../schemas/read-event.ts'
import { storeEvent } from '../../till/events.ts'
import { tillOver } from '../../till/till.ts'
import type { LoggedEvent, StoredEvent } from '../kv/events.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'
import { erasePersonalData } from './erase.ts'
import { hooksOf } from './hooks.ts'

/** Events that one request reads from KV: an invocation may make 1,000 calls. */
const PAGE = 200

/** `since`: the time that counts. `events`: how many were missing. `erased`: how many orders were erased again. */
export type Recovered = { since: string; events: number; erased: number; place: string | undefined }

/**
 * Marks the till as restored, and takes a page of KV's events into it, without calling `onEvent`.
 * @param place Where the last page ended. @throws {ConfigError} for a time in the future.
 */
export async function recoverShop(scope: Scope, since: number, place?: string): Promise<Recovered> {
  const date = new Date(since)
  const counts = place === undefined ? (await tillOver(scope.till).recover({ since: date })).since : date
  const { copies } = scope
  const page = await copies?.page('event/', PAGE, place)
  let events = 0
  const erased = new Set<string>()
  for (const { key, metadata } of page?.rows ?? []) {
    const stored = (await copies?.get(key)) as StoredEvent | undefined
    if (!stored) continue
    if (stored.received_at >= counts.getTime() && (await takeBack(scope, key, metadata as LoggedEvent, stored)))
      events += 1
    if ((stored.erased_at ?? 0) >= counts.getTime()) erased.add(String(stored.event.order_id))
  }
  for (const order_id of erased) await erasePersonalData(scope, order_id)
  return { since: counts.toISOString(), events, erased: erased.size, place: page?.cursor }
}

/** Stores an event of KV, unless its row is there. It is not copied to KV again. */
async function takeBack(scope: Scope, key: string, metadata: LoggedEvent, stored: StoredEvent): Promise<boolean> {
  const event = readEvent(stored.event)
  const { base_id } = attemptOf(String(recordOf(event).order_id))
  const id = key.slice(key.lastIndexOf('/') + 1)
  const sql = "SELECT id FROM edgetill_log WHERE order_id = ? AND kind = 'event' AND id = ?"
  if ((await query(scope, sql, base_id, id)).length > 0) return false
  const till = { ...scope.till, ...hooksOf({ ...scope, copies: undefined, onEvent: undefined }) }
  const { expected } = { ...metadata, ...(stored.summary as Partial<LoggedEvent>) }
  await storeEvent(till, event, { notify: false, expected, id })
  return true
}
