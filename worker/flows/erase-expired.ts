import type { Context } from '../context.ts'
import { retentionMs } from '../env.ts'
import { describeError, report } from '../lib/log.ts'
import { eraseOldDeadLetters } from '../store/dead-letters.ts'
import { listOldestFirst } from '../store/order-index.ts'
import { actionsOf } from './order-actions.ts'

const DAY_MS = 86_400_000
/** How long an order's row in the index lives. */
const INDEX_MS = 400 * DAY_MS
/** A row is that of an order's first event of a day: a day later all events of that day are due. */
const ROW_MS = DAY_MS
/** Where nothing is overdue, the cron looks this often. */
const PAUSE_MS = DAY_MS / 4
/** How long an order that cannot be erased is tried again in each run. */
const RETRIED_MS = 3 * DAY_MS

/** From so many calls of KV on, no further order is erased: one run may make 1,000, and an order with many events takes many. */
const CALLS = 800

/** How far the cron has come: the value of `retention`. */
interface Progress {
  /** RETENTION_DAYS, in milliseconds. Another value begins anew. */
  retention: number
  /** When the cron first saw it, and over KV alone last, milliseconds since 1970: until then no gate has an alarm for it. */
  since: number
  /** What was written to the index until then is done. */
  at: number
  /** Set while a run has left something to the next one: since when it has been this. */
  left_since?: number
}

/**
 * Removes the personal data of orders whose RETENTION_DAYS are over, the oldest first: over KV alone of all orders, with
 * the gate of those that were there when RETENTION_DAYS was set, because the gates of the others have an alarm for it.
 * What a run does not come to is left to the next one.
 *
 * Key `retention`; value: how far it has come; gone when RETENTION_DAYS is empty.
 */
export async function eraseExpired(context: Context): Promise<void> {
  const { store, env, now } = context
  const retention = retentionMs(env)
  try {
    const kept = (await store.get(KEY)) as Progress | undefined
    if (retention === undefined) return await (kept && store.delete(KEY))
    const progress =
      kept?.retention === retention ? kept : { retention, since: now(), at: now() - Math.max(INDEX_MS, retention) }
    const before = now() - retention
    // A day of grace: a gate may have run with the previous settings for a while.
    const until = Math.min(before - ROW_MS, env.ORDER_GATE ? progress.since + DAY_MS : Number.POSITIVE_INFINITY)
    if (kept === progress && kept.left_since === undefined && until - kept.at < PAUSE_MS) return
    await eraseOldDeadLetters(store, before)
    const next = await walk(context, progress, { before, until })
    if (!env.ORDER_GATE) next.since = now()
    const hasMoved = next.at !== kept?.at || next.left_since !== kept.left_since
    if (hasMoved || next.since - kept.since >= PAUSE_MS) await store.put(KEY, next)
  } catch (error) {
    failed(error)
  }
}

const KEY = 'retention'

async function walk(
  context: Context,
  { retention, since, at, left_since }: Progress,
  { before, until }: { before: number; until: number },
): Promise<Progress> {
  const { store } = context
  const now = context.now()
  const leave = (from: number): Progress => {
    return { retention, since, at: from, left_since: from === at ? (left_since ?? now) : now }
  }
  /** The first order that could not be erased. */
  let left: number | undefined
  let done = at
  // Of a gate its call alone is one of this run's.
  let orders = 0
  try {
    for await (const { rows, newest } of listOldestFirst(store, at, until)) {
      for (const { order_id, time } of rows) {
        // The same millisecond may have another row.
        done = time - 1
        if ((store.calls ?? 0) + orders++ >= CALLS) return leave(left ?? done)
        const erased = await actionsOf(context, order_id)
          .erase(before)
          .catch((error) => failed(error, order_id))
        const isGivenUp = done === at && now - (left_since ?? now) >= RETRIED_MS
        if (!erased && !isGivenUp) left ??= done
      }
      done = newest
    }
  } catch (error) {
    failed(error)
    return leave(left ?? done)
  }
  return left === undefined ? { retention, since, at: Math.max(at, until) } : leave(left)
}

function failed(error: unknown, order_id: string | null = null): void {
  report('retention_failed', { order_id, ...describeError(error) })
}
