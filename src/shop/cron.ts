import { actShop } from './books/actions.ts'
import { lateOfMonth, periodOfMonth, progressOf, startRun } from './books/orders.ts'
import { monthOf, type Place } from './books/tables.ts'
import { clockAhead, retentionMs, type ShopEnv } from './env.ts'
import { eraseOldStrays } from './kv/strays.ts'
import { configurationProblems } from './lib/configuration.ts'
import { describeError, logError } from './lib/log.ts'
import { act, wake } from './order/actions.ts'
import { eraseSoon } from './order/erase.ts'
import { raiseAlert, raiseMisconfigured } from './order/raise-alert.ts'
import { relist } from './order/relist.ts'
import type { WaitUntil } from './runtime.ts'
import { type Deps, openScope, type Scope } from './scope.ts'

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
  try {
    const retention = retentionMs(env)
    const months = await actShop(scope, undefined, startRun, retention && scope.now() - retention)
    let left = CALLS
    for (const work of [wakeGates, refill, eraseExpired]) {
      left -= await work(scope, months, left).catch(failed)
    }
  } catch (error) {
    failed(error)
  }
}

function failed(error: unknown): number {
  logError('cron_failed', describeError(error))
  return 0
}

/** Calls of one run; the runtime allows 1,000. */
const CALLS = 850
/** Gates that one run wakes. */
const WOKEN = 50
/** A gate looks at an open order 15 minutes after it was opened: an hour later its alarm was lost. */
const WAITED_MS = HOUR_MS
/** A new order is listed within seconds. An alarm that fails is repeated for two minutes. */
const AWAITED_MS = HOUR_MS / 4

/** An alarm that failed too often is never run again by the runtime: its gate sets another one when it is called. */
async function wakeGates(scope: Scope, months: string[]): Promise<number> {
  // A clock that was moved on has rung nothing.
  const until = scope.now() - (clockAhead(scope.env) > 0 ? 0 : WAITED_MS)
  const awaited = scope.now() - AWAITED_MS
  const late: string[] = []
  for (const month of months) {
    late.push(...(await actShop(scope, month, lateOfMonth, { month, until, awaited, limit: WOKEN - late.length })))
  }
  for (const order_id of late) {
    // One that fails keeps no other one asleep.
    await act(scope, order_id, wake).catch((error: unknown) =>
      logError('cron_failed', { order_id, ...describeError(error) }),
    )
  }
  return WOKEN
}

/** Orders that one run has published once more. */
const REFILLED = 150
/** Each is read from KV, and its gate called, which calls the shop's objects. */
const CALLS_OF_ONE = 4

/**
 * Fills the shop's objects again when the storage of one was lost: the gates of all orders that KV has publish them once
 * more. A new shop has none, so this ends with its first run.
 */
async function refill(scope: Scope): Promise<number> {
  const { kv } = scope
  const name = 'refill'
  const known = (await actShop(scope, undefined, progressOf, { name })) as Refill | undefined
  if (known?.isDone) return 0
  const { rows, cursor } = await kv.page('order/', REFILLED, known?.cursor)
  let hasFailed = known?.hasFailed
  for (const { key } of rows) {
    try {
      const { order_id } = (await kv.get(key)) as { order_id: string }
      if (await act(scope, order_id, relist)) raiseAlert(scope, { kind: 'rebuilt', order_id: null })
    } catch (error) {
      hasFailed = true
      logError('cron_failed', { key, ...describeError(error) })
    }
  }
  // What failed is tried again from the beginning.
  const value: Refill = cursor !== undefined ? { cursor, hasFailed } : hasFailed ? {} : { isDone: true }
  await actShop(scope, undefined, progressOf, { name, value })
  return rows.length * CALLS_OF_ONE
}

/** How far the shop's objects are filled: absent where the one without a month is new, or one was lost. */
type Refill = { cursor?: string; hasFailed?: boolean | undefined; isDone?: true }

/** Where nothing is overdue, the cron looks this often. */
const PAUSE_MS = DAY_MS / 4

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
async function eraseExpired(scope: Scope, months: string[], calls: number): Promise<number> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  const name = 'retention'
  const kept = (await actShop(scope, undefined, progressOf, { name })) as Progress | undefined
  if (retention === undefined) {
    if (kept) await actShop(scope, undefined, progressOf, { name, value: null })
    return 0
  }
  const progress = kept?.retention === retention ? kept : { retention, since: now(), at: { since: 0, order_id: '' } }
  const before = now() - retention
  // A day of grace: a gate may have run with the previous settings for a while.
  const until = Math.min(before, progress.since + DAY_MS)
  if (kept === progress && until - kept.at.since < PAUSE_MS) return 0
  await eraseOldStrays(kv, before)
  const at = await walk(scope, months, progress.at, until, calls)
  if (at !== kept?.at) await actShop(scope, undefined, progressOf, { name, value: { ...progress, at } })
  return calls
}

/** @returns How far it came: to the first order whose gate failed, as long as the calls of a run suffice for all after it. */
async function walk(scope: Scope, months: string[], after: Place, until: number, calls: number): Promise<Place> {
  let failedAfter: Place | undefined
  let at = after
  let left = calls
  for (const month of [...months].sort()) {
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
