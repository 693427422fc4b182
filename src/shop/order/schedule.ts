import { awaitOrder } from '../books/orders.ts'
import { retentionMs } from '../env.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { describeError, logError } from '../lib/log.ts'
import type { Published } from './published.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'
import { tellBook } from './tell-book.ts'

/**
 * Tells the book in the background of an order that has changed and of which the list does not say that something
 * is due: should its alarm be lost, the cron finds it there. @returns Whether the book knows.
 */
export function announce(scope: OrderScope, named: string): boolean {
  const { store, now, waitUntil } = scope
  const order_id = baseOrderId(named)
  const query = `SELECT * FROM published WHERE order_id = ? AND next_at IS NOT NULL AND due_at IS NULL`
  const [changed] = store.all<Published>(query, order_id)
  if (!changed) return false
  const row = { order_id, since: changed.since, at: now() }
  const told = tellBook(scope, changed, awaitOrder, row).catch((error: unknown) => {
    logError('order_not_announced', { order_id, ...describeError(error) })
  })
  waitUntil?.(told)
  return true
}

/** One alarm removes all events that are due within an hour of the first one. */
export const GRACE_MS = 3_600_000

/** Has what is stored of an order now removed after RETENTION_DAYS. */
export async function scheduleErasure({ store, env, now }: OrderScope, order_id: string): Promise<void> {
  const retention = retentionMs(env)
  if (retention !== undefined) await eraseAt(store, order_id, now() + retention + GRACE_MS)
}

/** An erasure that is due: a row of `task` of the kind `erase`. */
export interface Erasure {
  order_id: string
  /** `asked` where a person asked for it. */
  id: 'asked' | ''
  /** Of one that a person asked for: what was received until then, milliseconds since 1970. */
  before: number | null
}

/**
 * Has an order's personal data removed at this time, unless it is to be removed before.
 *
 * @param before See {@link Erasure}.
 */
export async function eraseAt(store: OrderStore, order_id: string, at: number, before?: number): Promise<void> {
  const id = before === undefined ? '' : 'asked'
  const query = "SELECT next_at FROM task WHERE kind = 'erase' AND order_id = ? AND id = ? AND next_at <= ?"
  if (store.all(query, order_id, id, at).length === 0)
    await putErasure(store, { order_id, id, before: before ?? null }, at)
}

export const putErasure = (store: OrderStore, { order_id, id, before }: Erasure, at: number): Promise<void> => {
  const write = "INSERT OR REPLACE INTO task (kind, order_id, id, next_at, task) VALUES ('erase', ?, ?, ?, ?)"
  return store.writeDue(at, () => void store.all(write, order_id, id, at, JSON.stringify({ before })))
}
