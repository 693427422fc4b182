import { retentionMs } from '../env.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'

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

/** Has an order's personal data removed at this time, unless it is to be earlier. @param before See {@link Erasure}. */
export async function eraseAt(store: OrderStore, order_id: string, at: number, before?: number): Promise<void> {
  const id = before === undefined ? '' : 'asked'
  const query = `SELECT next_at FROM task WHERE kind = 'erase' AND order_id = ? AND id = ? AND next_at <= ?
    AND coalesce(task ->> 'before', 0) >= ?`
  if (store.all(query, order_id, id, at, before ?? 0).length === 0)
    await putErasure(store, { order_id, id, before: before ?? null }, at)
}

export const putErasure = (store: OrderStore, { order_id, id, before }: Erasure, at: number): Promise<void> => {
  const write = "INSERT OR REPLACE INTO task (kind, order_id, id, next_at, task) VALUES ('erase', ?, ?, ?, ?)"
  return store.writeDue(at, () => void store.all(write, order_id, id, at, JSON.stringify({ before })))
}
