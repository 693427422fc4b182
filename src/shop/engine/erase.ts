// Erasing personal data: of an order on request, and of all orders after RETENTION_DAYS.

import { attemptId } from '../../orders/attempt-id.ts'
import { orderKey } from '../../orders/order-key.ts'
import { catchUp } from '../../till/listed.ts'
import { bookkeepingOf } from '../../till/personal-data.ts'
import { eraseOrder, NEVER } from '../../till/settle.ts'
import { readNamed } from '../../till/store.ts'
import { retentionMs } from '../env.ts'
import { keyOf, type StoredEvent } from '../kv/events.ts'
import { eraseStrays } from '../kv/strays.ts'
import { HOUR_MS } from '../lib/day.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { ignoreOutage, StorageError } from '../lib/storage-error.ts'
import type { Scope } from '../scope.ts'
import { isFirst, query, queryAll, type Row } from '../tables.ts'
import { eraseLinks } from './links.ts'
import { eraseNotes } from './record.ts'
import { GRACE_MS, putErasure } from './schedule.ts'

/** The pause before the cron goes on with the rest: KV takes one write of a key in a second. */
const REST_MS = 1_000
/** Writes that began before an erasure are stored within this time, and are erased too. */
const MEANWHILE_MS = 60_000
/** The pause before a failed erasure is tried again: a requested erasure, and one by retention. */
const [FAILED_MS, PUT_OFF_MS] = [60_000, HOUR_MS / 4]
/** Events that are erased at once: each is read from KV and written to it. An invocation may make 1,000 calls. */
const ERASED_AT_ONCE = 200
/** How many calls the erasures of one cron run may make. */
const CALLS = 800
/** Orders that a run of the cron reads. */
const ORDERS = 150

/** The result of an erasure. */
export interface Erased {
  /** How many events were changed. */
  erased_events: number
  /** How many events are left to the cron, which erases a part at a time. */
  events_left: number
}

/**
 * `place`: every event up to this key is erased. `later`: when the remaining rows were written. `calls`: how many calls
 * were made, roughly.
 */
type Done = Erased & { place: string; later: number[]; calls: number }

/**
 * Removes a person's data from every record of an order, at most 200 events at once; the cron goes on with the rest.
 * Keys and bookkeeping stay: a repeated webhook is still recognised, totals stay right, and `onEvent` is still called
 * for waiting events.
 *
 * @param named The order, or an attempt at paying it.
 */
export async function erasePersonalData(scope: Scope, named: string): Promise<Erased> {
  const [{ base_id }] = await readNamed(scope.till, named)
  const before = scope.now()
  // If this process dies, the cron goes on.
  await putErasure(scope, base_id, before, before + REST_MS)
  const { erased_events, events_left, place } = await erase(scope, base_id, before, true)
  await query(
    scope,
    'UPDATE edgetill_erasure SET next_at = ?, place = ? WHERE order_id = ? AND before_at = ?',
    ...[before + (events_left > 0 ? REST_MS : MEANWHILE_MS), events_left > 0 ? place : '', base_id, before],
  )
  logInfo('personal_data_erased', { order_id: named, erased_events, events_left })
  return { erased_events, events_left }
}

async function erase(scope: Scope, order_id: string, before: number, isRequested: boolean, place = ''): Promise<Done> {
  const notes = await eraseNotes(scope, order_id, before)
  const rows = await eraseOrder(scope.till, order_id, before)
  const attempts = [...new Set([1, ...rows.map(({ attempt }) => Number(attempt))])]
  if (isRequested) {
    await catchUp(scope.till)
    await eraseLinks(scope, order_id)
    const keys = attempts.map((attempt) => orderKey(attemptId(order_id, attempt)))
    await removeStrays(scope, ({ order = '' }) => keys.includes(order))
  }
  const copies = new Map<string, { at: number; metadata: object }>()
  for (const attempt of attempts) {
    // A process that died after it had written an event to KV has left no row.
    for (const { key, metadata } of (await scope.copies?.list(keyOf(attemptId(order_id, attempt), ''))) ?? []) {
      const known = (metadata ?? {}) as { received_at?: number }
      copies.set(key, { at: Number(known.received_at), metadata: known })
    }
  }
  for (const { attempt, id, summary, written_at } of rows.filter(({ kind }) => kind === 'event')) {
    const key = keyOf(attemptId(order_id, Number(attempt)), id)
    const at = Number(written_at)
    const { metadata = { ...JSON.parse(summary ?? '{}'), received_at: at } } = copies.get(key) ?? {}
    copies.set(key, { at, metadata })
  }
  const done = await eraseCopies(scope, copies, before, place)
  return { ...done, calls: done.calls + attempts.length, later: [...notes, ...rows.flatMap(({ later }) => later)] }
}

async function removeStrays(scope: Scope, isDue: Parameters<typeof eraseStrays>[1]): Promise<void> {
  const gone = await eraseStrays(scope.kv, isDue)
  const remove = 'DELETE FROM edgetill_matter WHERE id = ?'
  if (gone.length > 0)
    await queryAll(
      scope,
      gone.map((id) => [remove, [id]] as const),
    )
}

/** Removes a person's data from the events in KV; the keys, the metadata and the fold's fields stay. */
async function eraseCopies(
  { copies: kv, now }: Scope,
  copies: ReadonlyMap<string, { at: number; metadata: object }>,
  before: number,
  place: string,
): Promise<Omit<Done, 'later'>> {
  const erased_at = now()
  const due = [...copies].filter(([key, { at }]) => key > place && !(at > before)).sort(([a], [b]) => (a < b ? -1 : 1))
  if (!kv) return { erased_events: due.length, events_left: 0, place, calls: 0 }
  const rest = Math.max(due.length - ERASED_AT_ONCE, 0)
  const done = { erased_events: 0, events_left: rest, place, calls: 5 }
  for (const [key, { at, metadata }] of due.slice(0, ERASED_AT_ONCE)) {
    done.calls += 2
    const stored = (await kv.get(key)) as StoredEvent | undefined
    // KV may show it a moment later; an event that has been absent for an hour was deleted by hand.
    if (!stored && erased_at - at < HOUR_MS) throw new StorageError('The storage hides an event.')
    if (stored && stored.erased_at === undefined) {
      const value = { ...stored, event: bookkeepingOf(stored.event, stored.event), erased_at }
      const newMetadata = stored.summary ? { received_at: stored.received_at, value: true } : metadata
      if (await kv.put(key, value, newMetadata).then(() => true, unlessTooSoon)) done.erased_events++
      else done.events_left++
    }
    if (done.events_left === rest) done.place = key
  }
  return done
}

/** KV takes one write of a key in a second: the event is left for the next run. */
function unlessTooSoon(error: unknown): false {
  if (!(error instanceof StorageError && error.tooSoon)) throw error
  return false
}

/** Goes on with requested erasures, and removes data older than RETENTION_DAYS, a part in each run of the cron. */
export async function eraseDue(scope: Scope): Promise<void> {
  const { now, env } = scope
  const retention = retentionMs(env)
  const [rows = [], [progress] = []] = await queryAll(scope, [
    [`SELECT * FROM edgetill_erasure WHERE next_at <= ? ORDER BY next_at LIMIT ${ORDERS}`, [now()]],
    [`SELECT * FROM edgetill_erasure WHERE order_id = ''`, []],
  ])
  const budget = { calls: CALLS }
  for (const row of rows) {
    if (budget.calls > 0) await eraseRow(scope, budget, String(row.order_id), row)
  }
  if (retention === undefined) {
    // Requested erasures stay.
    if (progress) await query(scope, `DELETE FROM edgetill_erasure WHERE order_id = '' OR before_at = 0`)
    return
  }
  if (await isFirst(scope, 'erase strays', HOUR_MS)) {
    const before = now() - retention
    await removeStrays(scope, ({ received_at = 0 }) => received_at <= before)
    await query(scope, `DELETE FROM edgetill_matter WHERE at <= ? AND id NOT LIKE 'rejected %'`, before)
    await eraseLinks(scope, before)
  }
  await walk(scope, retention, progress, budget)
}

/**
 * Erases old orders, the oldest first. The row with an empty id contains the last erased order. After a change of
 * RETENTION_DAYS it starts over.
 */
async function walk(scope: Scope, retention: number, progress: Row | undefined, budget: Budget): Promise<void> {
  const isSame = Number(progress?.before_at) === retention
  const [since, last] = (isSame ? JSON.parse(String(progress?.place)) : [0, '']) as [number, string]
  const sql = `SELECT order_id, since FROM edgetill_order WHERE since <= ? AND since >= ? AND (since > ? OR order_id > ?)
    ORDER BY since, order_id LIMIT ${ORDERS}`
  const page = await query(scope, sql, scope.now() - retention - GRACE_MS, since, since, last)
  let end: Row | undefined
  for (const row of page) {
    if (budget.calls <= 0) break
    await eraseRow(scope, budget, String(row.order_id))
    end = row
  }
  const put = `INSERT INTO edgetill_erasure (order_id, before_at, next_at, place) VALUES ('', ?, ${NEVER}, ?) ON CONFLICT (order_id) DO UPDATE SET
    before_at = excluded.before_at, place = excluded.place`
  const place = JSON.stringify(end ? [Number(end.since), end.order_id] : [since, last])
  if (end || !isSame) await query(scope, put, retention, place)
}

/** How many calls a run of the cron may still make. */
type Budget = { calls: number }

/**
 * Erases an order, and leaves the rest, newer data and failures to a later run of the cron.
 * @param row The row that made it due.
 */
async function eraseRow(scope: Scope, budget: Budget, order_id: string, row?: Row): Promise<void> {
  const retention = retentionMs(scope.env)
  const at = scope.now()
  const until = Number(row?.before_at ?? 0)
  const before = until > 0 ? until + MEANWHILE_MS : at - (retention ?? 0)
  const again = async (next_at: number, rest: number, place = ''): Promise<void> => {
    const sql = `INSERT INTO edgetill_erasure (order_id, before_at, next_at, place) VALUES (?, ?, ?, ?) ON CONFLICT (order_id) DO UPDATE SET
      before_at = excluded.before_at, next_at = excluded.next_at, place = excluded.place WHERE edgetill_erasure.before_at <= ?`
    await query(scope, sql, order_id, rest, next_at, place, until)
  }
  try {
    const { calls, events_left, later, place } = await erase(
      scope,
      order_id,
      before,
      until > 0,
      String(row?.place ?? ''),
    )
    budget.calls -= calls
    if (events_left > 0) await again(at + REST_MS, until, place)
    else if (until > 0 && at < before) await again(before, until)
    else if (retention !== undefined && later.length > 0) await again(Math.min(...later) + retention + GRACE_MS, 0)
    else if (row)
      await query(scope, 'DELETE FROM edgetill_erasure WHERE order_id = ? AND before_at <= ?', order_id, until)
  } catch (error) {
    budget.calls -= ERASED_AT_ONCE
    logError('retention_failed', { order_id, ...describeError(error) })
    await again(at + (until > 0 ? FAILED_MS : PUT_OFF_MS), until, String(row?.place ?? '')).catch(ignoreOutage)
  }
}
