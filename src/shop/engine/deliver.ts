// The events that `onEvent` has failed on: their list, and another call.

import { attemptId } from '../../orders/attempt-id.ts'
import { pauseAfter } from '../../till/queue.ts'
import { doRow, MAX_ATTEMPTS, makeDue, NEVER } from '../../till/settle.ts'
import type { Row } from '../../till/store.ts'
import { notFound, ProblemError } from '../lib/problem.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'

/** An event that `onEvent` failed on, with the number of failures and the last error's name and message. */
export interface FailingEvent {
  id: string
  order_id: string
  attempts: number
  error: string
  /** Only a replay calls `onEvent` again. */
  given_up: boolean
  /** When `onEvent` is called again, ISO 8601, UTC. */
  next_at: string | null
}

/**
 * Rows on which `onEvent` has failed. A row whose process died in the first call does not count: it is called again
 * anyway.
 */
const FAILING = `kind = 'event' AND next_at IS NOT NULL AND (error IS NOT NULL OR attempts > 1)`

/** {@link FAILING} events, and events that a replay has queued. */
const WAITING = `(${FAILING} OR (kind = 'event' AND next_at IS NOT NULL AND attempts = 0))`

const orderIdOf = (row: Row): string => attemptId(row.order_id, Number(row.attempt))

/** The failing events, those that were given up included, after an id; `failed_at`: when the last call failed. */
export async function listFailing(
  scope: Scope,
  limit: number,
  after = '',
): Promise<(FailingEvent & { failed_at: number })[]> {
  const sql = `SELECT order_id, attempt, id, attempts, error, next_at FROM edgetill_log WHERE ${FAILING} AND id > ? ORDER BY id LIMIT ${limit}`
  const rows = (await query(scope, sql, after)) as readonly unknown[] as Row[]
  return rows.map((row) => {
    const attempts = Number(row.attempts)
    const given_up = attempts >= MAX_ATTEMPTS
    const next_at = Number(row.next_at)
    return {
      ...{ id: row.id, order_id: orderIdOf(row), attempts, error: row.error ?? '', given_up },
      next_at: given_up ? null : new Date(next_at).toISOString(),
      failed_at: next_at - (given_up ? NEVER : pauseAfter(attempts)),
    }
  })
}

/** The order of an event that `onEvent` fails on. @throws {ProblemError} if there is none. */
export async function orderOfFailing(scope: Scope, id: string): Promise<string> {
  const sql = `SELECT order_id, attempt FROM edgetill_log WHERE ${WAITING} AND id = ?`
  const [row] = (await query(scope, sql, id)) as readonly unknown[] as Row[]
  if (!row) throw notFailing()
  return orderIdOf(row)
}

/** How many events are failing. */
export async function countFailing(scope: Scope): Promise<number> {
  const [row] = await query(scope, `SELECT count(*) AS count FROM edgetill_log WHERE ${FAILING}`)
  return Number(row?.count)
}

/** Restarts the delivery of a failed event, as if it had just arrived. @returns Its row, undefined if there is none. */
const again = ({ till }: Scope, id: string): Promise<Row | undefined> => makeDue(till, `${WAITING} AND id = ?`, id)

/**
 * Calls `onEvent` now for an event that it failed on.
 * @throws {ProblemError} when the event is not failing, or there is no `onEvent`: the event goes on waiting for one.
 */
export async function replayEvent(scope: Scope, id: string): Promise<boolean> {
  if (!scope.onEvent) throw noOnEvent()
  const row = await again(scope, id)
  if (!row) throw notFailing()
  await doRow(scope.till, row)
  const sql = 'SELECT next_at FROM edgetill_log WHERE order_id = ? AND number = ?'
  return (await query(scope, sql, row.order_id, row.number))[0]?.next_at === null
}

/** Has `onEvent` called soon for an event that it has failed on. @returns Whether it will be. */
export const replaySoon = async (scope: Scope, id: string): Promise<boolean> => (await again(scope, id)) !== undefined

export const noOnEvent = (): ProblemError =>
  new ProblemError(409, 'no_on_event', 'There is no onEvent to call.', 'The event waits until one is deployed.')

const notFailing = (): ProblemError => notFound('event is failing')
