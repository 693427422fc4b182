import { actShop } from '../books/actions.ts'
import { eraseLinks } from '../books/links.ts'
import { retentionMs } from '../env.ts'
import { eraseStrays } from '../kv/strays.ts'
import { attemptId } from '../lib/attempt-id.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import { getCheckout, orderOf, putCheckout } from './checkouts.ts'
import { eraseEvents, importEvents, listEvents, orderKeyOf } from './events.ts'
import { eraseResponses } from './order.ts'
import { touch } from './published.ts'
import { eraseNotes, noteTimes } from './record.ts'
import { GRACE_MS } from './schedule.ts'
import type { OrderScope } from './scope.ts'

/** Until an alarm goes on with what is left: KV takes one write of a key in a second. */
const REST_MS = 1_000

/** What an erasure has done. */
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
  const { store, now, erasures } = scope
  const order_id = await orderOf(store, named)
  const before = now()
  const erased = await erase(scope, order_id, before, true)
  if (erased.events_left > 0) await erasures.eraseAt(order_id, before + REST_MS, before)
  logInfo('personal_data_erased', { order_id: named, ...erased })
  return erased
}

async function erase(scope: OrderScope, order_id: string, before: number, isAsked: boolean): Promise<Erased> {
  eraseNotes(scope.store, before)
  // What RETENTION_DAYS covers, the cron removes.
  if (isAsked) await actShop(scope, undefined, eraseLinks, { order_id })
  const first = await eraseAttempt(scope, order_id, before, isAsked)
  const sum = { erased_events: first.erased, events_left: first.left }
  for (let attempt = 2; ; attempt++) {
    const attempt_id = attemptId(order_id, attempt)
    // An attempt that was announced, and whose payment was never made, is not counted.
    if (attempt > first.attempts && (await getCheckout(scope.store, attempt_id)) === undefined) break
    const { erased, left } = await eraseAttempt(scope, attempt_id, before, isAsked)
    sum.erased_events += erased
    sum.events_left += left
  }
  return sum
}

/** Has the gate look now for what has been kept for RETENTION_DAYS. */
export function eraseSoon({ erasures, now }: OrderScope, order_id: string): Promise<void> {
  return erasures.eraseAt(order_id, now())
}

/**
 * Removes what has been kept for RETENTION_DAYS, or goes on with an erasure that a person asked for.
 *
 * @param asked Of the latter: what was received until then, milliseconds since 1970. @returns When the rest is due.
 */
export async function eraseDue(
  scope: OrderScope,
  order_id: string,
  asked: number | undefined,
): Promise<number | undefined> {
  const { store, now, env } = scope
  const retention = retentionMs(env)
  if (asked === undefined && retention === undefined) return undefined
  const before = asked ?? now() - (retention ?? 0)
  try {
    const { events_left } = await erase(scope, order_id, before, asked !== undefined)
    if (events_left > 0) return now() + REST_MS
    if (asked !== undefined || retention === undefined) return undefined
    const times = (await listEvents(store, await orderKeyOf(order_id))).map(({ received_at }) => received_at)
    const opened = (await getCheckout(store, order_id))?.opened_at ?? 0
    const next = Math.min(...[opened, ...times, ...noteTimes(store)].filter((time) => time > before))
    return Number.isFinite(next) ? next + retention + GRACE_MS : undefined
  } catch (error) {
    if (error instanceof StorageError && error.tooSoon) return now() + REST_MS
    logError('retention_failed', { order_id, ...describeError(error) })
    throw error
  }
}

/** @returns How many events were changed, how many are left, and how many attempts its checkout counts. */
async function eraseAttempt(
  { kv, store, outbox, now, eventsInTurn }: OrderScope,
  order_id: string,
  before: number,
  isAsked: boolean,
): Promise<{ erased: number; left: number; attempts: number }> {
  const orderKey = await orderKeyOf(order_id)
  // A webhook that is halfway stored would write, or report, what is erased here.
  const { waiting, erased, left } = await eventsInTurn(async () => {
    // A gate that died after it had written an event to KV does not know of it.
    await importEvents(kv, store, order_id)
    return eraseEvents({ kv, store }, orderKey, now(), before)
  })
  for (const event_id of waiting) outbox.erase(event_id)
  await eraseResponses(store, orderKey)
  // Those that are due are removed by their time to live, and by the cron.
  if (isAsked) await eraseStrays(kv, orderKey)
  const checkout = await getCheckout(store, order_id)
  const holdsData =
    (checkout?.url ?? checkout?.link ?? checkout?.customer_email ?? checkout?.customer_name) !== undefined
  if (checkout && holdsData && (checkout.opened_at ?? 0) <= before) {
    const { url, link, customer_email, customer_name, description, ...rest } = checkout
    await putCheckout(store, order_id, rest)
  }
  await store.writeDue(now(), () => touch(store, order_id, now(), { create: false }))
  return { erased, left, attempts: checkout?.attempts ?? 1 }
}
