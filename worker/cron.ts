import type { Deps } from './deps.ts'
import type { Env } from './env.ts'
import { handle } from './receive.ts'
import { getEvent, orderKeyOf, webhookOf } from './store/events.ts'
import { deleteRetry, getRetry, isDone, listRetries } from './store/handled.ts'
import { type OrderReading, readOrder } from './store/read-order.ts'
import { listRecent, type RecentRow } from './store/recent.ts'
import { openState, type State } from './store/state.ts'

/** Work of one run, well below the 1,000 KV operations that one invocation may use. */
const RETRIES = 50
const ORDERS = 50
/** Events of the last two days are looked through for ones that nobody finished. */
const WINDOW_MS = 2 * 86_400_000
/** Younger ones may be in somebody's hands at this moment. */
const IN_HAND_MS = 120_000
/** What wrangler.toml says of the cron; it chooses which orders a run looks at. */
const PERIOD_MS = 300_000

/**
 * Runs `onEvent` again where it threw, and where a worker died between storing an event and finishing it. Without an
 * `onEvent` there is nothing to do. One event that always fails does not hold up the others.
 */
export async function runCron(deps: Deps, env: Env): Promise<{ finished: number; failed: number }> {
  const count = { finished: 0, failed: 0 }
  if (!deps.onEvent) return count
  const state = openState(env.STATE)
  const now = deps.now()
  for (const id of (await listRetries(state, now)).slice(0, RETRIES)) {
    await guarded(count, () => retry(deps, env, state, id))
  }
  for (const row of await slice(state, now)) {
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
    console.error('The cron could not finish an event; the next run will try again.', error)
  }
}

async function retry(deps: Deps, env: Env, state: State, id: string): Promise<boolean | undefined> {
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
  state: State,
  { order_id }: RecentRow,
  now: number,
): Promise<boolean | undefined> {
  const reading = await readOrder(state, order_id)
  let finished: boolean | undefined
  for (const { id, received_at } of reading.facts) {
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
  state: State,
  order_id: string,
  id: string,
  { facts, checkout }: OrderReading,
): Promise<boolean> {
  const stored = await getEvent(state, await orderKeyOf(order_id), id)
  // KV shows the event's key here but not yet its value: the next run will see it.
  if (!stored) return false
  const finished = await handle(deps, env, state, { id, event: webhookOf(stored) }, order_id, facts, checkout)
  if (finished) await deleteRetry(state, id)
  return finished
}

/**
 * The orders that this run looks at. The index of the last two days is cut into slices, and the time chooses one: every
 * order's turn comes, and nothing has to be remembered between runs.
 */
async function slice(state: State, now: number): Promise<RecentRow[]> {
  const orders = new Map<string, RecentRow>()
  let cursor: string | undefined
  do {
    const page = await listRecent(state, 1000, cursor)
    const fresh = page.rows.filter(({ time }) => now - time <= WINDOW_MS)
    for (const row of fresh) orders.set(row.order_id, row)
    cursor = fresh.length < page.rows.length ? undefined : page.cursor
  } while (cursor !== undefined)
  const slices = Math.max(1, Math.ceil(orders.size / ORDERS))
  const turn = Math.floor(now / PERIOD_MS) % slices
  return [...orders.values()].filter((_, index) => index % slices === turn)
}
