import { act, actShop, wake } from './actions.ts'
import { clockAhead, retentionMs, type ShopEnv } from './env.ts'
import { eraseSoon } from './flows/erase-personal-data.ts'
import { raiseMisconfigured } from './flows/raise-alert.ts'
import { eraseLinks } from './flows/shop-links.ts'
import { lateOfMonth, monthsOfShop, periodOfMonth, progressOf } from './flows/shop-list.ts'
import { configurationProblems } from './lib/configuration.ts'
import { describeError, logError } from './lib/log.ts'
import type { WaitUntil } from './runtime.ts'
import { type Deps, openScope, type Scope } from './scope.ts'
import { monthOf, type Place } from './store/shop-tables.ts'
import { eraseOldStrays } from './store/strays.ts'

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
  // A clock that was moved on has rung nothing.
  const until = scope.now() - (clockAhead(scope.env) > 0 ? 0 : WAITED_MS)
  const late: string[] = []
  for (const month of await actShop(scope, undefined, monthsOfShop)) {
    if (late.length < WOKEN)
      late.push(...(await actShop(scope, month, lateOfMonth, { until, limit: WOKEN - late.length })))
  }
  for (const order_id of late) {
    // One that fails keeps no other one asleep.
    await act(scope, order_id, wake).catch((error: unknown) =>
      logError('cron_failed', { order_id, ...describeError(error) }),
    )
  }
}

/** Where nothing is overdue, the cron looks this often. */
const PAUSE_MS = DAY_MS / 4
/** Gates that one run may call; the runtime allows 1,000 calls. */
const CALLS = 800

/** How far the cron has come. */
interface Progress {
  /** RETENTION_DAYS, in milliseconds. Another value begins anew. */
  retention: number
  /** When the cron first saw it, milliseconds since 1970: until then no gate has an alarm for it. */
  since: number
  /** The orders until there are done. */
  at: Place
}

/**
 * Has the gates of the orders that were there when RETENTION_DAYS was set remove their personal data, the oldest first: the
 * gates of later orders have an alarm for it. Orders that a run does not reach are left to the next one.
 */
async function eraseExpired(scope: Scope): Promise<void> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  const name = 'retention'
  const kept = (await actShop(scope, undefined, progressOf, { name })) as Progress | undefined
  if (retention === undefined) {
    if (kept) await actShop(scope, undefined, progressOf, { name, value: null })
    return
  }
  const progress = kept?.retention === retention ? kept : { retention, since: now(), at: { since: 0, order_id: '' } }
  const before = now() - retention
  // A day of grace: a gate may have run with the previous settings for a while.
  const until = Math.min(before, progress.since + DAY_MS)
  if (kept === progress && until - kept.at.since < PAUSE_MS) return
  await eraseOldStrays(kv, before)
  await actShop(scope, undefined, eraseLinks, { before })
  const at = await walk(scope, progress.at, until)
  if (at !== kept?.at) await actShop(scope, undefined, progressOf, { name, value: { ...progress, at } })
}

/** @returns How far it came: to the first order whose gate failed, as long as the calls of a run suffice for all after it. */
async function walk(scope: Scope, after: Place, until: number): Promise<Place> {
  let failedAfter: Place | undefined
  let at = after
  let left = CALLS
  for (const month of (await actShop(scope, undefined, monthsOfShop)).reverse()) {
    if (month < monthOf(after.since) || month > monthOf(until)) continue
    const orders = await actShop(scope, month, periodOfMonth, { after: at, until, limit: left })
    for (const order of orders) {
      await act(scope, order.order_id, eraseSoon).catch((error: unknown) => {
        logError('retention_failed', { order_id: order.order_id, ...describeError(error) })
        failedAfter ??= at
      })
      at = order
    }
    left -= orders.length
    if (left <= 0) return failedAfter ?? at
  }
  return failedAfter ?? { since: Math.max(after.since, until), order_id: '' }
}
