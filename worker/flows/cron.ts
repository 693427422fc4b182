import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import { getEvent, orderKeyOf, webhookOf } from '../store/event-log.ts'
import { deleteRetry, getRetry, isDone, listRetries } from '../store/event-progress.ts'
import { type KvStore, openKvStore } from '../store/kv.ts'
import { listRecent, type RecentRow } from '../store/order-index.ts'
import { type OrderReading, readOrder } from '../store/read-order.ts'
import { handle } from './process-event.ts'

/** Work of one run, below the 1,000 KV operations that one invocation may use. */
const RETRIES = 40
const ORDERS = 60
const MINUTE_MS = 60_000
/** What wrangler.toml says of the cron. */
const PERIOD_MS = 15 * MINUTE_MS
/** Younger events may be in somebody's hands at this moment; for older ones nobody looks any more. */
const IN_HAND_MS = 2 * MINUTE_MS
const WINDOW_MS = 48 * 60 * MINUTE_MS
/**
 * How old an order's row in the index is when its events are looked through: once soon, once when the day is over, and
 * once more, because that look too may die or meet a KV that fails.
 */
const LOOKS_MS = [60 * MINUTE_MS, 24 * 60 * MINUTE_MS, 25 * 60 * MINUTE_MS]
/** Every other run looks at orders: at all that came to that age since the last look. */
const LOOK_MS = 2 * PERIOD_MS

/**
 * Runs `onEvent` again where it threw, and where a worker died between storing an event and finishing it. Without an
 * `onEvent` there is nothing to do. One event that always fails does not hold up the others.
 */
export async function runCron(deps: Deps, env: Env): Promise<{ finished: number; failed: number }> {
  const count = { finished: 0, failed: 0 }
  if (!deps.onEvent) return count
  const state = openKvStore(env.STATE)
  const now = deps.now()
  for (const id of (await listRetries(state, now)).slice(0, RETRIES)) {
    await guarded(count, () => retry(deps, env, state, id))
  }
  const looks = Math.floor(now / PERIOD_MS) % (LOOK_MS / PERIOD_MS) === 0
  for (const row of looks ? await ordersToSweep(state, now) : []) {
    await guarded(count, () => sweep(deps, env, state, row, now))
  }
  return count
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
    console.error('The cron could not finish an event; a later run will try again.', error)
  }
}

async function retry(deps: Deps, env: Env, state: KvStore, id: string): Promise<boolean | undefined> {
  const kept = await getRetry(state, id)
  if (!kept) return undefined
  if (await isDone(state, id)) {
    await deleteRetry(state, id)
    return undefined
  }
  return finish(deps, env, state, kept.order_id, id, await readOrder(state, kept.order_id))
}

/** @returns False when an event of the order failed, true when one was finished, undefined when there was none. */
async function sweep(
  deps: Deps,
  env: Env,
  state: KvStore,
  { order_id }: RecentRow,
  now: number,
): Promise<boolean | undefined> {
  const reading = await readOrder(state, order_id)
  let finished: boolean | undefined
  for (const { id, received_at } of reading.summaries) {
    const age = now - received_at
    if (age < IN_HAND_MS || age > WINDOW_MS) continue
    if ((await isDone(state, id)) || (await getRetry(state, id))) continue
    finished = (await finish(deps, env, state, order_id, id, reading)) && finished !== false
  }
  return finished
}

async function finish(
  deps: Deps,
  env: Env,
  state: KvStore,
  order_id: string,
  id: string,
  { summaries, checkout }: OrderReading,
): Promise<boolean> {
  const stored = await getEvent(state, await orderKeyOf(order_id), id)
  // KV shows the event's key here but not yet its value: the next run will see it.
  if (!stored) return false
  const finished = await handle(deps, env, state, { id, event: webhookOf(stored) }, order_id, summaries, checkout)
  if (finished) await deleteRetry(state, id)
  return finished
}

/**
 * The orders that this run looks at: a list costs as much as a write, so each order is looked through at three ages of its
 * row, and nothing has to be remembered between runs. Beyond about {@link ORDERS} new orders in half an hour the newest
 * are left out: use a Queue then (worker/README.md, "Grow").
 */
async function ordersToSweep(state: KvStore, now: number): Promise<RecentRow[]> {
  const oldest = Math.max(...LOOKS_MS) + LOOK_MS
  const rows: RecentRow[] = []
  let cursor: string | undefined
  do {
    const page = await listRecent(state, 1000, cursor)
    rows.push(...page.rows)
    cursor = page.rows.some(({ time }) => now - time > oldest) ? undefined : page.cursor
  } while (cursor !== undefined)
  const due = rows.filter(({ time }) => LOOKS_MS.some((age) => now - time >= age && now - time < age + LOOK_MS))
  if (due.length > ORDERS) console.error(`The cron looks at ${ORDERS} of ${due.length} orders.`)
  return due.slice(-ORDERS)
}
