import { actShop } from './books/actions.ts'
import { askPage } from './books/ask.ts'
import { addStrays, FILL, type Fill, lateOfBook, periodOfBook, progressOf, removeStrays } from './books/orders.ts'
import { forgetSums, tellAgain } from './books/register.ts'
import type { Place } from './books/tables.ts'
import { clockAhead, retentionMs, type ShopEnv } from './env.ts'
import { eraseStrays, listStrays as pageOfStrays } from './kv/strays.ts'
import { configurationProblems, describeProblems } from './lib/configuration.ts'
import { DAY_MS, HOUR_MS } from './lib/day.ts'
import { describeError, logError } from './lib/log.ts'
import { act, wake } from './order/actions.ts'
import { eraseSoon } from './order/erase.ts'
import { raiseAlert, raiseMisconfigured } from './order/raise-alert.ts'
import { relist } from './order/relist.ts'
import { attentionOfStray } from './order/store-event.ts'
import { endOrders } from './routes/reuse.ts'
import type { WaitUntil } from './runtime.ts'
import { type Deps, openScope, type Scope } from './scope.ts'

/**
 * Reports a wrong configuration, wakes the gates that have waited too long, and removes personal data that was there before
 * RETENTION_DAYS was set. Everything else is done by the alarm of each order's gate.
 */
export async function runCron(deps: Deps, env: ShopEnv, waitUntil?: WaitUntil): Promise<void> {
  const scope = openScope(deps, env, waitUntil)
  const problems = configurationProblems(env)
  // Before a customer meets it.
  if (problems.length > 0) raiseMisconfigured(scope, describeProblems(problems))
  let left = CALLS
  for (const work of [wakeGates, listStrays, eraseExpired]) left -= await work(scope, left).catch(failed)
}

function failed(error: unknown): number {
  logError('cron_failed', describeError(error))
  return 0
}

/** Calls of one run, of which the runtime allows 1,000; strays that it looks at, and gates that it wakes. */
const [CALLS, STRAYS, WOKEN] = [850, 1_000, 50]
/** An alarm that fails is repeated for two minutes, and what it leaves due is put off by a quarter of an hour: later it was lost. */
const WAITED_MS = HOUR_MS / 2

/**
 * An alarm that failed too often is never run again by the runtime: its gate sets another one when it is called. A book whose
 * storage was lost is filled again.
 */
async function wakeGates(scope: Scope): Promise<number> {
  const { env, now } = scope
  const retention = retentionMs(env)
  const query = {
    // A clock that was moved on has rung nothing.
    until: now() - (clockAhead(env) > 0 ? 0 : WAITED_MS),
    before: retention && now() - retention,
    limit: WOKEN,
  }
  const register = await actShop(scope, 1, lateOfBook, query)
  let [calls, toFill] = [1, register.fill?.isDone ? undefined : { number: 1, fill: register.fill }]
  const late = register.rows
  for (const { number } of register.books) {
    const { rows, fill } = await actShop(scope, number, lateOfBook, query)
    late.push(...rows)
    calls += 1
    if (!fill?.isDone) toFill ??= { number, fill }
  }
  for (const order_id of late.slice(0, WOKEN)) {
    // One that fails keeps no other one asleep.
    await act(scope, order_id, wake).catch((error: unknown) =>
      logError('cron_failed', { order_id, ...describeError(error) }),
    )
  }
  // Goes on with the closing of links that anybody may pay with, in 50 calls at most, which are beside those of CALLS.
  if (register.unended[0]) await endOrders(scope, '').catch(failed)
  return calls + WOKEN + (toFill ? await fillBook(scope, toFill.number, toFill.fill).catch(failed) : 0)
}

/** Orders that one run has published once more. */
const REFILLED = 150
/** Each is read from KV, and its gate called, which calls the books. */
const CALLS_OF_ONE = 4

/**
 * Fills a book again when its storage was lost: the gates of all orders that KV has, if they are in that book, publish them
 * once more; after the register's loss, of every book. A new shop has none, so this ends with its first run.
 */
async function fillBook(scope: Scope, number: number, known: Fill | undefined): Promise<number> {
  const { kv } = scope
  if (!known && number > 1) {
    await actShop(scope, 1, forgetSums, number)
    await actShop(scope, number, tellAgain)
  }
  const { rows, cursor } = await kv.page('order/', REFILLED, known?.cursor)
  let hasFailed = known?.hasFailed
  for (const { key } of rows) {
    try {
      const { order_id } = (await kv.get(key)) as { order_id: string }
      if (await act(scope, order_id, relist, number)) raiseAlert(scope, { kind: 'rebuilt', order_id: null })
    } catch (error) {
      hasFailed = true
      logError('cron_failed', { key, ...describeError(error) })
    }
  }
  // A failed order is tried again from the beginning.
  const value: Fill = cursor !== undefined ? { cursor, hasFailed } : hasFailed ? {} : { isDone: true }
  await actShop(scope, number, progressOf, { name: FILL, value })
  return rows.length * CALLS_OF_ONE
}

/** Repeats an alert about a stray that could not be sent, or was lost. @returns How many calls it made. */
async function listStrays(scope: Scope): Promise<number> {
  const { strays } = await pageOfStrays(scope.kv, STRAYS)
  const rows = strays.map((stray) => attentionOfStray(scope, stray))
  if (rows.length > 0) await actShop(scope, 1, addStrays, rows)
  return 2
}

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
async function eraseExpired(scope: Scope, calls: number): Promise<number> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  const name = 'retention'
  const kept = (await actShop(scope, 1, progressOf, { name })) as Progress | undefined
  if (retention === undefined) {
    if (kept) await actShop(scope, 1, progressOf, { name, value: null })
    return 0
  }
  const progress = kept?.retention === retention ? kept : { retention, since: now(), at: { since: 0, order_id: '' } }
  const before = now() - retention
  // A day of grace: a gate may have run with the previous settings for a while.
  const until = Math.min(before, progress.since + DAY_MS)
  if (kept === progress && until - kept.at.since < PAUSE_MS) return 0
  // Those that were written when there was no retention.
  const gone = await eraseStrays(kv, ({ received_at = 0 }) => received_at <= before)
  if (gone.length > 0) await actShop(scope, 1, removeStrays, gone)
  const at = await walk(scope, progress.at, until, calls)
  if (at !== kept?.at) await actShop(scope, 1, progressOf, { name, value: { ...progress, at } })
  return calls
}

/** @returns Where to resume: at the first order whose gate failed, or after the last one done. */
async function walk(scope: Scope, after: Place, until: number, limit: number): Promise<Place> {
  let failedAfter: Place | undefined
  let at = after
  const { page, next } = await askPage(
    scope,
    periodOfBook,
    { after, until, limit },
    { place: ({ since, order_id }) => [since, order_id], isBounded: true, from: after.since, to: until },
  )
  for (const order of page) {
    await act(scope, order.order_id, eraseSoon).catch((error: unknown) => {
      logError('retention_failed', { order_id: order.order_id, ...describeError(error) })
      failedAfter ??= at
    })
    at = order
  }
  return failedAfter ?? (next ? at : { since: Math.max(after.since, until), order_id: '' })
}
