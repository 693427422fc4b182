// The audit record: the acts of the shop's people on its orders.

import { sha256Base64url } from '../../lib/sha256.ts'
import { baseOrderId } from '../../orders/attempt-id.ts'
import type { SqlStatement } from '../../till/database.ts'
import { answeredBy, isDeclined, type MoneyOperation } from '../../till/protocol.ts'
import { type Reading, readNamed, readOrders } from '../../till/store.ts'
import { describeError, logError } from '../lib/log.ts'
import { notFound, ProblemError } from '../lib/problem.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll, type Row } from '../tables.ts'
import { scheduleErasure } from './schedule.ts'

/** An act of a person on an order. */
export interface RecordEntry {
  /** ISO 8601, UTC. */
  at: string
  by: string
  action: string
  /** Hundredths of its currency's unit. */
  amount_minor?: number
  currency?: string
  /** The text of a note, gone once personal data was removed; for `attention_done` the kind of the item. */
  text?: string
  /**
   * The outcome as known now: `done`; `pending` or `rejected` if the service accepted the request and has not executed
   * it yet, or will not; else the code of the error. Absent for entries that are older than this field.
   */
  result?: string
}

/** An entry as it is stored. */
type StoredEntry = Omit<RecordEntry, 'at' | 'amount_minor'> & { amount?: number }
type End = { result: string; amount?: number }

/** An act that begins. All acts on an order with the same `key` are one entry. */
export type Act = Pick<StoredEntry, 'action' | 'text'> & { key?: string }

/** An entry, when it was written, in milliseconds since 1970, and its id. */
export interface RecordRow {
  id: string
  at: number
  order_id: string
  entry: StoredEntry
}

/** An entry as the API shows it. */
export const shownEntry = (at: number, { amount, ...entry }: StoredEntry): RecordEntry => ({
  ...{ at: new Date(at).toISOString(), ...entry },
  ...(amount !== undefined && { amount_minor: amount }),
})

const rowOf = (row: Row): RecordRow => ({
  ...{ id: String(row.id), at: Number(row.at), order_id: String(row.order_id) },
  entry: JSON.parse(String(row.entry)),
})

/** Inserts or updates an entry. Entries of the same millisecond keep their order. */
function put(scope: Scope, id: string, order_id: string, entry: StoredEntry, isNew = false): SqlStatement {
  const sql = `INSERT INTO edgetill_act (id, at, order_id, entry) SELECT CAST(? AS text), CASE WHEN max(at) >= ? THEN max(at) + 1 ELSE ? END,
    CAST(? AS text), CAST(? AS text) FROM edgetill_act WHERE order_id = ? ON CONFLICT (id) DO
    ${isNew ? 'NOTHING' : 'UPDATE SET entry = excluded.entry'}`
  const now = scope.now()
  return [sql, [id, now, now, order_id, JSON.stringify(entry), order_id]]
}

const SELECT = 'SELECT id, at, order_id, entry FROM edgetill_act'

/** The id of a money call's entry. */
const keyedId = (action: string, keyHash: string, order_id: string): string => `${action} ${keyHash} ${order_id}`

const plainEnd = (value: unknown): End => ({ result: value === false ? 'failed' : 'done' })

/**
 * Runs an act and records its actor before, so that no act is anonymous, and its outcome after.
 * @param endOf The outcome that the returned value stands for.
 */
export async function act<T>(
  scope: Scope,
  named: string,
  { key, ...what }: Act,
  run: () => Promise<T>,
  endOf: (value: T) => End = plainEnd,
): Promise<T> {
  const { by } = scope
  if (by === undefined) return run()
  const order_id = baseOrderId(named)
  const id = key === undefined ? crypto.randomUUID() : keyedId(what.action, sha256Base64url(key), order_id)
  const entry: StoredEntry = { by, ...what }
  const find: SqlStatement = [`${SELECT} WHERE id = ?`, [id]]
  // If this write fails, the one in `finally` repeats it.
  const begun = key === undefined ? [put(scope, id, order_id, entry)] : [find, put(scope, id, order_id, entry, true)]
  const [[found] = []] = (await queryAll(scope, begun).catch(ignoreOutage)) ?? []
  let end: End = { result: 'failed' }
  try {
    const value = await run()
    end = endOf(value)
    return value
  } catch (error) {
    end = { result: error instanceof ProblemError ? error.problem.code : String(describeError(error).code ?? 'failed') }
    throw error
  } finally {
    // No act fails because it could not be recorded. Only a successful act is logged here: a failure has its own line.
    await queryAll(scope, [endedAs(end)]).catch((error: unknown) => {
      ignoreOutage(error)
      if (end.result === 'done') logError('not_recorded', { order_id, ...describeError(error) })
    })
  }

  function endedAs(end: End): SqlStatement {
    // A wrong input, or an unknown order, is not an act.
    if (!found && /^(invalid_input|not_found)$/.test(end.result)) return ['DELETE FROM edgetill_act WHERE id = ?', [id]]
    // A rejected second request under a used key does not change the entry of the first request.
    const isOther = found && end.result === 'idempotency_key_reused'
    const first = found && !isOther ? rowOf(found).entry : entry
    return put(scope, isOther ? crypto.randomUUID() : id, order_id, { ...first, ...end })
  }
}

/** @throws {ProblemError} if there is no such order. */
export async function addNote(scope: Scope, named: string, text: string): Promise<void> {
  const [reading] = await readNamed(scope.till, named)
  if (reading.attempts.length === 0) throw notFound('order')
  await scheduleErasure(scope, reading)
  const { by = 'api' } = scope
  await queryAll(scope, [
    put(scope, crypto.randomUUID(), baseOrderId(named), { by, action: 'note', text, result: 'done' }),
  ])
}

/**
 * The acts of people on an order, the oldest first, with the current outcomes of money calls in the order's currency.
 */
export async function shownRecord(scope: Scope, { base_id, attempts }: Reading): Promise<RecordRow[]> {
  const rows = await query(scope, `${SELECT} WHERE order_id = ? ORDER BY at, id`, baseOrderId(base_id))
  return rows.map((row) => asOfNow(rowOf(row), attempts))
}

/** A page of the acts of people on all orders, the newest first. A note's text may name a customer. */
export async function listActs(
  scope: Scope,
  {
    limit,
    after = [Number.MAX_SAFE_INTEGER, ''],
  }: { limit: number; after?: readonly [at: number, id: string] | undefined },
): Promise<{ entries: (RecordEntry & { order_id: string })[]; next: [at: number, id: string] | undefined }> {
  const [at, last] = after
  const sql = `${SELECT} WHERE at <= ? AND (at < ? OR id < ?) ORDER BY at DESC, id DESC LIMIT ${limit + 1}`
  const found = (await query(scope, sql, at, at, last)).map(rowOf)
  const page = found.slice(0, limit)
  const moved = page.filter(({ entry }) => /^(capture|refund|void)$/.test(entry.action))
  const readings = await readOrders(scope.till, [...new Set(moved.map(({ order_id }) => order_id))])
  const entries = page.map((row) => {
    const { attempts = [] } = readings.find(({ base_id }) => base_id === row.order_id) ?? {}
    const { text, ...entry } = asOfNow(row, attempts).entry
    const shown = text !== undefined && entry.action !== 'note' && { text }
    return { ...shownEntry(row.at, { ...entry, ...shown }), order_id: row.order_id }
  })
  const end = page.at(-1)
  return { entries, next: found.length > limit && end ? [end.at, end.id] : undefined }
}

function asOfNow(row: RecordRow, attempts: readonly Reading[]): RecordRow {
  const { id, order_id, entry } = row
  const currency = attempts.find(({ order }) => order.currency !== null)?.order.currency
  const isOfEntry = ({ kind, keyHash }: MoneyOperation) => id === keyedId(kind, keyHash, order_id)
  const attempt = attempts.find(({ calls }) => calls.some(isOfEntry))
  const result = attempt ? endNow(attempt, isOfEntry, entry.result) : entry.result
  const current = {
    ...(result !== undefined && { result }),
    ...(entry.amount !== undefined && currency && { currency }),
  }
  return { ...row, entry: { ...entry, ...current } }
}

/** The current outcome of a key's operation, which may differ from the response to its call. */
function endNow(
  { calls, order: { operations } }: Reading,
  isOfEntry: (one: MoneyOperation) => boolean,
  stored?: string,
): string | undefined {
  const call = calls.filter(isOfEntry).at(-1) as MoneyOperation
  const { outcome, operation_id } = call
  if (call.late && !isDeclined(call)) return 'outcome_unknown'
  const shown =
    operation_id === undefined ? answeredBy(calls, call, operations) : operations.find(({ id }) => id === operation_id)
  if (shown) return shown.status === 'success' ? 'done' : shown.status === 'failure' ? 'rejected' : 'pending'
  // Whether the entry's result was stored before the end was known.
  const isOpen = /(unknown|unsettled|in_progress)$/.test(stored ?? 'unknown')
  if (outcome === 'done') return isOpen ? 'done' : stored
  if (outcome === 'rejected') return isOpen ? 'not_executed' : stored
  return outcome === 'not_sent' ? stored : 'outcome_unknown'
}

/**
 * Removes the texts of an order's notes, which may name a customer. @param before Notes up to this time.
 * @returns When the remaining notes were written.
 */
export async function eraseNotes(scope: Scope, order_id: string, before: number): Promise<number[]> {
  const rows = await query(scope, `${SELECT} WHERE order_id = ? AND entry LIKE '%"note"%'`, baseOrderId(order_id))
  const notes = rows.map(rowOf).filter(({ entry }) => entry.action === 'note' && entry.text !== undefined)
  const old = notes.filter(({ at }) => at <= before)
  const erase = old.map(({ id, entry: { text: _, ...entry } }): SqlStatement => {
    return ['UPDATE edgetill_act SET entry = ? WHERE id = ?', [JSON.stringify(entry), id]]
  })
  if (erase.length > 0) await queryAll(scope, erase)
  return notes.filter(({ at }) => at > before).map(({ at }) => at)
}
