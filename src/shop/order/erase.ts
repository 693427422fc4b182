import { bookkeepingOf } from '../../money/personal-data.ts'
import { orderKey } from '../../orders/order-key.ts'
import { actShop } from '../books/actions.ts'
import { askAll } from '../books/ask.ts'
import { eraseLinks } from '../books/links.ts'
import { removeStrays } from '../books/orders.ts'
import { retentionMs } from '../env.ts'
import { eraseStrays } from '../kv/strays.ts'
import { attemptId, baseOrderId } from '../lib/attempt-id.ts'
import { HOUR_MS } from '../lib/day.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { ignoreOutage, StorageError } from '../lib/storage-error.ts'
import { getCheckout, orderOf, putCheckout } from './checkouts.ts'
import { getEvent, importEvents, keyOf, listEvents } from './events.ts'
import { eraseResponses } from './order.ts'
import { getPublished, touch } from './published.ts'
import { eraseQueued } from './queue.ts'
import { takeStock } from './rebuild.ts'
import { eraseNotes, noteTimes } from './record.ts'
import { type Erasure, eraseAt, GRACE_MS, putErasure } from './schedule.ts'
import type { OrderScope } from './scope.ts'

/** Until an alarm goes on with what is left: KV takes one write of a key in a second. */
const REST_MS = 1_000
/** Until one that a person waits for is tried again after a failure. */
const FAILED_MS = 60_000

/** The result of an erasure. */
export interface Erased {
  /** How many events were changed. */
  erased_events: number
  /** How many are left to the alarm, a part at a time. */
  events_left: number
}

/**
 * Removes a person's data from everything that is stored of an order, at most 200 events of each attempt at once; an alarm
 * goes on with the rest. The keys and what the books need stay: a repeated webhook is still recognised, totals stay right,
 * and `onEvent` is still called for what waits for it.
 *
 * @param named The order, or an attempt at paying it.
 */
export async function erasePersonalData(scope: OrderScope, named: string): Promise<Erased> {
  const { store, now } = scope
  const { rebuilt_at } = await takeStock(scope, named)
  // A gate that was lost has no record of which attempts belong together.
  const order_id = rebuilt_at === null ? orderOf(store, named) : baseOrderId(named)
  const before = now()
  const erased = await erase(scope, order_id, before, true)
  if (erased.events_left > 0) await eraseAt(store, order_id, before + REST_MS, before)
  logInfo('personal_data_erased', { order_id: named, ...erased })
  return erased
}

async function erase(scope: OrderScope, order_id: string, before: number, isAsked: boolean): Promise<Erased> {
  eraseNotes(scope.store, before)
  // The cron removes the data that RETENTION_DAYS covers.
  if (isAsked) await askAll(scope, eraseLinks, order_id)
  const attempts = getCheckout(scope.store, order_id)?.attempts ?? 1
  const sum = { erased_events: 0, events_left: 0 }
  for (let attempt = 1; ; attempt++) {
    const attempt_id = attemptId(order_id, attempt)
    // One that was announced, and whose payment was never made, is not counted; a gate that was lost has counted none.
    if (attempt > attempts && !getCheckout(scope.store, attempt_id) && !getPublished(scope.store, attempt_id))
      return sum
    const { erased, left } = await eraseAttempt(scope, attempt_id, before, isAsked)
    sum.erased_events += erased
    sum.events_left += left
  }
}

/** Has the gate look now for what has been kept for RETENTION_DAYS. */
export const eraseSoon = ({ store, now }: OrderScope, order_id: string): Promise<void> =>
  eraseAt(store, order_id, now())

/** Does the erasures that are due; one that fails is tried again later. */
export async function eraseDue(scope: OrderScope): Promise<void> {
  const { store, now } = scope
  const query = `SELECT order_id, id, task ->> 'before' AS before FROM task WHERE kind = 'erase' AND next_at <= ?`
  for (const erasure of store.all<Erasure>(query, now())) {
    const { order_id, id } = erasure
    try {
      const next_at = await eraseOne(scope, erasure)
      if (next_at !== undefined) await putErasure(store, erasure, next_at)
      else store.all("DELETE FROM task WHERE kind = 'erase' AND order_id = ? AND id = ?", order_id, id)
    } catch (error) {
      logError('retention_failed', { order_id, ...describeError(error) })
      ignoreOutage(error)
      // A person waits for it.
      if (id === 'asked') await putErasure(store, erasure, now() + FAILED_MS).catch(ignoreOutage)
    }
  }
}

/** Removes what has been kept for RETENTION_DAYS, or goes on with what a person asked for. @returns When the rest is due. */
async function eraseOne(scope: OrderScope, { order_id, before: asked }: Erasure): Promise<number | undefined> {
  const { store, now, env } = scope
  const retention = retentionMs(env)
  if (asked === null && retention === undefined) return undefined
  const before = asked ?? now() - (retention ?? 0)
  try {
    const { events_left } = await erase(scope, order_id, before, asked !== null)
    if (events_left > 0) return now() + REST_MS
  } catch (error) {
    if (error instanceof StorageError && error.tooSoon) return now() + REST_MS
    throw error
  }
  if (asked !== null || retention === undefined) return undefined
  const times = listEvents(store, order_id).map(({ received_at }) => received_at)
  const opened = getCheckout(store, order_id)?.opened_at ?? 0
  const next = Math.min(...[opened, ...times, ...noteTimes(store)].filter((time) => time > before))
  return Number.isFinite(next) ? next + retention + GRACE_MS : undefined
}

/** @returns How many events were changed, and how many are left. */
async function eraseAttempt(
  scope: OrderScope,
  order_id: string,
  before: number,
  isAsked: boolean,
): Promise<{ erased: number; left: number }> {
  const { kv, store, eventsInTurn } = scope
  // A webhook that is halfway stored would write, or report, what is erased here.
  const done = await eventsInTurn(async () => {
    // A gate that died after it had written an event to KV does not know of it.
    await importEvents(kv, store, order_id)
    return eraseEvents(scope, order_id, before)
  })
  eraseResponses(store, order_id)
  // Those that are due are removed by their time to live, and by the cron.
  const strays = isAsked ? await eraseStrays(kv, ({ order }) => order === orderKey(order_id)) : []
  if (strays.length > 0) await actShop(scope, 1, removeStrays, strays)
  await store.writeDue(store.now(), () => {
    const checkout = getCheckout(store, order_id)
    if (checkout && (checkout.opened_at ?? 0) <= before) {
      const { url, link, customer_email, customer_name, customer_phone, description, ...rest } = checkout
      putCheckout(store, order_id, rest)
    }
    touch(store, order_id, { create: false })
  })
  return done
}

/** Events that one turn erases: each is read from KV and written to it. An invocation may make 1,000 calls. */
const ERASED_AT_ONCE = 200

/**
 * Removes a person's data from events of an order that were received until `before`, at most {@link ERASED_AT_ONCE} of them;
 * the keys, the metadata and the fold's fields stay.
 */
async function eraseEvents(
  { kv, store }: OrderScope,
  order_id: string,
  before: number,
): ReturnType<typeof eraseAttempt> {
  const erased_at = store.now()
  const key = orderKey(order_id)
  const due = 'FROM event WHERE order_key = ? AND erased = 0 AND received_at <= ?'
  let erased = 0
  type Due = { id: string; received_at: number; summary: string }
  const query = `SELECT id, received_at, summary ${due} LIMIT ?`
  for (const { id, received_at, summary } of store.all<Due>(query, key, before, ERASED_AT_ONCE)) {
    const stored = await getEvent(kv, order_id, id)
    // KV may show it a moment later; an event that has been absent for an hour was deleted by hand.
    if (!stored && erased_at - received_at < HOUR_MS) throw new StorageError('The storage hides an event.', false)
    if (stored && stored.erased_at === undefined) {
      const value = { ...stored, event: bookkeepingOf(stored.event, stored.event), erased_at }
      const metadata = stored.summary ? { received_at, value: true } : (JSON.parse(summary) as object)
      const isWritten = await kv.put(keyOf(order_id, id), value, metadata).then(() => true, unlessTooSoon)
      if (!isWritten) continue
      erased++
    }
    // In one step: it may still wait for `onEvent`.
    const query = 'UPDATE event SET erased = 1, receipt_url = NULL, last_four = NULL WHERE order_key = ? AND id = ?'
    store.all(query, key, id)
    eraseQueued(store, id)
  }
  const [row] = store.all<{ count: number }>(`SELECT count(*) AS count ${due}`, key, before)
  return { erased, left: row?.count ?? 0 }
}

/** KV takes one write of a key in a second: the event is one of those that are left. */
function unlessTooSoon(error: unknown): false {
  if (!(error instanceof StorageError && error.tooSoon)) throw error
  return false
}
