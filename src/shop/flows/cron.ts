import { act, wake } from '../actions.ts'
import { retentionMs, type ShopEnv } from '../env.ts'
import { configurationProblems } from '../lib/configuration.ts'
import { describeError, logError } from '../lib/log.ts'
import type { WaitUntil } from '../runtime.ts'
import { type Deps, openScope, type Scope } from '../scope.ts'
import { listOldestFirst } from '../store/order-index.ts'
import { eraseOldStrays } from '../store/strays.ts'
import { listWatched } from '../store/watchlist.ts'
import { erasePersonalData } from './erase-personal-data.ts'
import { raiseMisconfigured } from './raise-alert.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Reports a wrong configuration, wakes the gates that have waited too long, and removes personal data that was there before
 * RETENTION_DAYS was set. Everything else is done by the alarm of each order's gate.
 */
export async function runCron(deps: Deps, env: ShopEnv, waitUntil?: WaitUntil): Promise<void> {
  const scope = openScope(deps, env, waitUntil)
  const problems = configurationProblems(env)
  // Before a customer meets it.
  if (problems.length > 0) raiseMisconfigured(scope, { problems })
  await wakeGates(scope).catch((error: unknown) => logError('cron_failed', describeError(error)))
  await eraseExpired(scope)
}

/** Gates that one run wakes. */
const WOKEN = 50
/** A gate looks at an open order 15 minutes after it was opened: an hour later its alarm was lost. */
const WAITED_MS = HOUR_MS

/** An alarm that failed too often is never run again by the runtime: its gate sets another one when it is called. */
async function wakeGates(scope: Scope): Promise<void> {
  const { rows } = await listWatched(scope.kv, 1000)
  const late = rows.filter(({ since }) => scope.now() - since >= WAITED_MS).sort((a, b) => b.since - a.since)
  for (const { order_id } of late.slice(0, WOKEN)) {
    // One that fails keeps no other one asleep.
    await act(scope, order_id, wake).catch((error: unknown) =>
      logError('cron_failed', { order_id, ...describeError(error) }),
    )
  }
}

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
  /** When the cron first saw it, milliseconds since 1970: until then no gate has an alarm for it. */
  since: number
  /** What was written to the index until then is done. */
  at: number
  /** Set while a run has left something to the next one: since when it has been this. */
  left_since?: number
}

/**
 * Removes the personal data of the orders that were there when RETENTION_DAYS was set, the oldest first: the gates of later
 * ones have an alarm for it. Orders that a run does not reach are left to the next one.
 *
 * Key `retention`; value: how far it has come; gone when RETENTION_DAYS is empty.
 */
export async function eraseExpired(scope: Scope): Promise<void> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  try {
    const kept = (await kv.get(KEY)) as Progress | undefined
    if (retention === undefined) return await (kept && kv.delete(KEY))
    const progress =
      kept?.retention === retention ? kept : { retention, since: now(), at: now() - Math.max(INDEX_MS, retention) }
    const before = now() - retention
    // A day of grace: a gate may have run with the previous settings for a while.
    const until = Math.min(before - ROW_MS, progress.since + DAY_MS)
    if (kept === progress && kept.left_since === undefined && until - kept.at < PAUSE_MS) return
    await eraseOldStrays(kv, before)
    const next = await walk(scope, progress, { before, until })
    if (next.at !== kept?.at || next.left_since !== kept.left_since) await kv.put(KEY, next)
  } catch (error) {
    failed(error)
  }
}

const KEY = 'retention'

async function walk(
  scope: Scope,
  { retention, since, at, left_since }: Progress,
  { before, until }: { before: number; until: number },
): Promise<Progress> {
  const { kv } = scope
  const now = scope.now()
  const leave = (from: number): Progress => {
    return { retention, since, at: from, left_since: from === at ? (left_since ?? now) : now }
  }
  /** The first order that could not be erased. */
  let left: number | undefined
  let done = at
  // Of a gate its call alone is one of this run's.
  let orders = 0
  try {
    for await (const { rows, newest } of listOldestFirst(kv, at, until)) {
      for (const { order_id, time } of rows) {
        // The same millisecond may have another row.
        done = time - 1
        if (kv.calls + orders++ >= CALLS) return leave(left ?? done)
        const erased = await act(scope, order_id, erasePersonalData, before).catch((error) => failed(error, order_id))
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
  logError('retention_failed', { order_id, ...describeError(error) })
}
