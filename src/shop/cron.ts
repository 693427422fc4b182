import { act, wake } from './actions.ts'
import { retentionMs, type ShopEnv } from './env.ts'
import { eraseSoon } from './flows/erase-personal-data.ts'
import { raiseMisconfigured } from './flows/raise-alert.ts'
import { configurationProblems } from './lib/configuration.ts'
import { describeError, logError } from './lib/log.ts'
import type { WaitUntil } from './runtime.ts'
import { type Deps, openScope, type Scope } from './scope.ts'
import { listOldestFirst } from './store/order-index.ts'
import { eraseOldStrays } from './store/strays.ts'
import { listWatched } from './store/watchlist.ts'

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
  for (const work of [wakeGates, eraseExpired]) {
    await work(scope).catch((error: unknown) => logError('cron_failed', describeError(error)))
  }
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
/** Calls of KV and of gates that one run may make; the runtime allows 1,000. */
const CALLS = 800

/** How far the cron has come: the value of `retention`. */
interface Progress {
  /** RETENTION_DAYS, in milliseconds. Another value begins anew. */
  retention: number
  /** When the cron first saw it, milliseconds since 1970: until then no gate has an alarm for it. */
  since: number
  /** The rows that were written to the index until then are done. */
  at: number
}

const KEY = 'retention'

/**
 * Has the gates of the orders that were there when RETENTION_DAYS was set remove their personal data, the oldest first: the
 * gates of later orders have an alarm for it. Orders that a run does not reach are left to the next one.
 *
 * Key `retention`; gone when RETENTION_DAYS is empty.
 */
async function eraseExpired(scope: Scope): Promise<void> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  const kept = (await kv.get(KEY)) as Progress | undefined
  if (retention === undefined) return void (kept && (await kv.delete(KEY)))
  const progress =
    kept?.retention === retention ? kept : { retention, since: now(), at: now() - Math.max(INDEX_MS, retention) }
  const before = now() - retention
  // A day of grace: a gate may have run with the previous settings for a while.
  const until = Math.min(before - ROW_MS, progress.since + DAY_MS)
  if (kept === progress && until - kept.at < PAUSE_MS) return
  await eraseOldStrays(kv, before)
  const at = await walk(scope, progress.at, until)
  if (at !== kept?.at) await kv.put(KEY, { ...progress, at })
}

/** @returns How far it came: to the first order whose gate failed, as long as the calls of a run suffice for all after it. */
async function walk(scope: Scope, after: number, until: number): Promise<number> {
  const { kv } = scope
  let failedAt: number | undefined
  let gates = 0
  for await (const { rows } of listOldestFirst(kv, after, until)) {
    for (const { order_id, time } of rows) {
      // The same millisecond may have another row.
      if (kv.calls + gates++ >= CALLS) return time - 1
      await act(scope, order_id, eraseSoon).catch((error: unknown) => {
        logError('retention_failed', { order_id, ...describeError(error) })
        failedAt ??= time - 1
      })
    }
  }
  return failedAt ?? Math.max(after, until)
}
