import { type Context, contextOf, type Deps } from '../context.ts'
import type { Env } from '../env.ts'
import { configurationProblems } from '../lib/configuration.ts'
import { describeError, report } from '../lib/log.ts'
import { deleteRetry, getRetry, isDone, listRetries, listUnqueued } from '../store/event-progress.ts'
import { readOrder } from '../store/order.ts'
import { listRecent, type RecentRow } from '../store/order-index.ts'
import { eraseExpired } from './erase-expired.ts'
import { actionsOf } from './order-actions.ts'
import { raiseAlert } from './raise-alert.ts'
import { reconcileOpen } from './reconcile.ts'
import { finish, isSpent, sweep, WINDOW_MS } from './sweep.ts'

/** Work of one run, as far as the 1,000 KV operations that one invocation may use suffice. */
const RETRIES = 40
const ORDERS = 60
const MINUTE_MS = 60_000
/** What wrangler.toml says of the cron. */
const PERIOD_MS = 15 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/**
 * How old an order's row in the index is when its events are looked through: once soon, once when the day is over, and
 * once more, because that look too may die or meet a KV that fails.
 */
const LOOKS_MS = [60 * MINUTE_MS, DAY_MS, 25 * 60 * MINUTE_MS]
/** Every other run looks at orders: at all that came to that age since the last look. */
const LOOK_MS = 2 * PERIOD_MS

/**
 * Checks the configuration and removes personal data after RETENTION_DAYS. Over KV alone it also asks about what has been
 * open for long, and runs `onEvent` again where it failed, and where a worker died between storing an event and finishing
 * it; with the gate each order's own alarm does that, also for what the cron hands over when the gate was bound.
 */
export async function runCron(
  deps: Deps,
  env: Env,
  waitUntil?: Context['waitUntil'],
): Promise<{ finished: number; failed: number }> {
  const context = contextOf(deps, env, waitUntil)
  const count = { finished: 0, failed: 0 }
  checkConfiguration(context)
  try {
    if (env.ORDER_GATE) await handed(() => handOver(context))
    else await settleOverKv(context, count)
  } finally {
    // With the calls that the rest has left.
    await eraseExpired(context)
  }
  return count
}

const HANDOVER = 'handover'
/** So long after the cron first saw the gate a worker without one may still write, and KV may hide it. */
const HANDOVER_MS = 60 * MINUTE_MS

/**
 * Hands what waits in KV alone to the gates of its orders, from when the gate was bound until nothing is left: the events
 * that `onEvent` failed on or gave up, and what is open. Each row is then marked as its gate's.
 *
 * Key `handover`; value: since when the cron knows the gate, and whether it is over; gone when the gate is removed.
 */
async function handOver(context: Context): Promise<void> {
  const { store, now } = context
  const kept = (await store.get(HANDOVER)) as { since: number; over?: true } | undefined
  if (kept?.over) return
  const since = kept?.since ?? now()
  const events = await listUnqueued(store)
  for (const event_id of events.slice(0, RETRIES)) {
    await handed(async () => {
      const retry = await getRetry(store, event_id)
      if (retry) await actionsOf(context, retry.order_id).adopt({ event_id, retry })
    })
  }
  const open = (await context.open.list()).filter(({ gated }) => !gated)
  for (const row of open.slice(0, RETRIES)) await handed(() => actionsOf(context, row.order_id).adopt({ open: row }))
  const over = events.length + open.length === 0 && now() - since >= HANDOVER_MS && { over: true as const }
  if (over || !kept) await store.put(HANDOVER, { since, ...over })
}

/** What fails is handed over by the next run. */
async function handed(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => report('cron_failed', describeError(error)))
}

async function settleOverKv(context: Context, count: { finished: number; failed: number }): Promise<void> {
  await handed(async () => void ((await context.store.get(HANDOVER)) && (await context.store.delete(HANDOVER))))
  await reconcileOpen(context)
  if (!context.onEvent) return
  const now = context.now()
  // The longest due first, so that none is left out for ever.
  for (const id of (await listRetries(context.store, now)).slice(0, RETRIES)) {
    if (!isSpent(context)) await guarded(count, () => retry(context, id))
  }
  const looks = Math.floor(now / PERIOD_MS) % (LOOK_MS / PERIOD_MS) === 0
  const orders = looks ? await ordersToSweep(context, now) : []
  let looked_at = 0
  for (const { order_id } of orders.slice(0, ORDERS)) {
    if (isSpent(context)) break
    await guarded(count, () => sweep(context, order_id))
    looked_at++
  }
  if (looked_at < orders.length) report('cron_overloaded', { orders: orders.length, looked_at })
}

/** Reports a wrong configuration without a request, before a customer meets it. */
function checkConfiguration(context: Context): void {
  const misconfigured = configurationProblems(context.env).map(({ binding, problem }) => `${binding}: ${problem}`)
  if (misconfigured.length > 0) raiseAlert(context, { kind: 'configuration', order_id: null, misconfigured })
}

async function guarded(
  count: { finished: number; failed: number },
  work: () => Promise<boolean | undefined>,
): Promise<void> {
  try {
    const finished = await work()
    if (finished !== undefined) count[finished ? 'finished' : 'failed']++
  } catch (error) {
    count.failed++
    report('cron_failed', describeError(error))
  }
}

async function retry(context: Context, id: string): Promise<boolean | undefined> {
  const { store, env, now } = context
  const kept = await getRetry(store, id)
  if (!kept) return undefined
  if (await isDone(store, id)) {
    await deleteRetry(store, id)
    return undefined
  }
  const finished = await finish(context, kept.order_id, id, await readOrder(store, kept.order_id, env.POS_ID, false))
  // Removed by hand: it would keep a place for ever.
  if (finished === undefined && now() - kept.next_at > WINDOW_MS) await deleteRetry(store, id)
  return finished ?? false
}

/**
 * The orders that this run may look at, in turn from each age: a list costs as much as a write, so each order is looked
 * through at three ages of its row, and nothing has to be remembered between runs. Where the calls of a run do not suffice
 * for all, each age begins with another third of them. Beyond about {@link ORDERS} new orders in half an hour some are left
 * out: bind ORDER_GATE then (worker/README.md, "To bind the gate later").
 */
async function ordersToSweep({ store }: Context, now: number): Promise<RecentRow[]> {
  const oldest = Math.max(...LOOKS_MS) + LOOK_MS
  const rows: RecentRow[] = []
  let cursor: string | undefined
  do {
    const page = await listRecent(store, 1000, cursor)
    rows.push(...page.rows)
    cursor = page.rows.some(({ time }) => now - time > oldest) ? undefined : page.cursor
  } while (cursor !== undefined)
  const ages = LOOKS_MS.map((age, i) => {
    const due = rows.filter(({ time }) => now - time >= age && now - time < age + LOOK_MS).reverse()
    const first = Math.floor((due.length * i) / LOOKS_MS.length)
    return [...due.slice(first), ...due.slice(0, first)]
  })
  return Array.from({ length: rows.length }, (_, i) => ages.flatMap((due) => due[i] ?? [])).flat()
}
