import { type Context, contextOf, type Deps } from '../context.ts'
import { type Env, retentionMs } from '../env.ts'
import { describeError, report } from '../lib/log.ts'
import { getEvent, orderKeyOf, webhookOf } from '../store/event-log.ts'
import { deleteRetry, getRetry, isDone, listRetries } from '../store/event-progress.ts'
import { type OrderReading, readOrder } from '../store/order.ts'
import { listRecent, listRecentOfDay, type RecentRow } from '../store/order-index.ts'
import { actionsOf } from './order-actions.ts'
import { runOnEvent } from './run-on-event.ts'

/** Work of one run, below the 1,000 KV operations that one invocation may use. */
const RETRIES = 40
const ORDERS = 60
const ERASED = 20
const MINUTE_MS = 60_000
/** What wrangler.toml says of the cron. */
const PERIOD_MS = 15 * MINUTE_MS
/** Younger events may be in progress at this moment; older ones were looked at before. */
const IN_PROGRESS_MS = 2 * MINUTE_MS
const WINDOW_MS = 48 * 60 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/**
 * How old an order's row in the index is when its events are looked through: once soon, once when the day is over, and
 * once more, because that look too may die or meet a KV that fails.
 */
const LOOKS_MS = [60 * MINUTE_MS, DAY_MS, 25 * 60 * MINUTE_MS]
/** Every other run looks at orders: at all that came to that age since the last look. */
const LOOK_MS = 2 * PERIOD_MS

/**
 * Removes personal data after RETENTION_DAYS. Over KV alone it also runs `onEvent` again where it failed, and where a
 * worker died between storing an event and finishing it; with the gate each order's own alarm does that.
 */
export async function runCron(deps: Deps, env: Env): Promise<{ finished: number; failed: number }> {
  const context = contextOf(deps, env)
  const count = { finished: 0, failed: 0 }
  await eraseExpired(context)
  if (!deps.onEvent || env.ORDER_GATE) return count
  const now = deps.now()
  // The longest due first, so that none is left out for ever.
  for (const id of (await listRetries(context.store, now)).slice(0, RETRIES)) {
    await guarded(count, () => retry(context, id))
  }
  const looks = Math.floor(now / PERIOD_MS) % (LOOK_MS / PERIOD_MS) === 0
  for (const row of looks ? await ordersToSweep(context, now) : []) {
    await guarded(count, () => sweep(context, row, now))
  }
  return count
}

/** Over three days, so that an order that one run could not erase is erased by a later one. */
async function eraseExpired(context: Context): Promise<void> {
  const retention = retentionMs(context.env)
  if (retention === undefined) return
  try {
    let left = ERASED
    for (const day of [3, 2, 1]) {
      const before = context.now() - retention
      for (const { order_id, time } of await listRecentOfDay(context.store, before - day * DAY_MS)) {
        if (left === 0) return
        if (time > before) continue
        const { erased_events } = await actionsOf(context, order_id).erase(before)
        if (erased_events > 0) left--
      }
    }
  } catch (error) {
    report('retention_failed', describeError(error))
  }
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

/** @returns False when an event of the order failed, true when one was finished, undefined when there was none. */
async function sweep(context: Context, { order_id }: RecentRow, now: number): Promise<boolean | undefined> {
  const { store, env } = context
  const reading = await readOrder(store, order_id, env.POS_ID, false)
  let finished: boolean | undefined
  for (const { id, received_at } of reading.events) {
    const age = now - received_at
    if (age < IN_PROGRESS_MS || age > WINDOW_MS) continue
    if ((await isDone(store, id)) || (await getRetry(store, id))) continue
    finished = (await finish(context, order_id, id, reading)) === true && finished !== false
  }
  return finished
}

/** @returns Undefined when the event itself cannot be read. */
async function finish(
  context: Context,
  order_id: string,
  id: string,
  { order }: OrderReading,
): Promise<boolean | undefined> {
  const stored = await getEvent(context.store, await orderKeyOf(order_id), id)
  // KV shows the event's key here but not its value yet: the next run will see it.
  if (!stored) return undefined
  const finished = await runOnEvent(context, { id, event: webhookOf(stored) }, order)
  if (finished) await deleteRetry(context.store, id)
  return finished
}

/**
 * The orders that this run looks at: a list costs as much as a write, so each order is looked through at three ages of its
 * row, and nothing has to be remembered between runs. Beyond about {@link ORDERS} new orders in half an hour the newest
 * are left out: bind ORDER_GATE then (worker/README.md).
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
  const due = rows.filter(({ time }) => LOOKS_MS.some((age) => now - time >= age && now - time < age + LOOK_MS))
  if (due.length > ORDERS) report('cron_overloaded', { orders: due.length, looked_at: ORDERS })
  return due.slice(-ORDERS)
}
