import { retentionMs } from '../env.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import type { OrderScope } from '../scope.ts'
import { attemptId, getCheckout, orderOf, putCheckout } from '../store/checkouts.ts'
import { eraseEvents, listEvents, orderKeyOf } from '../store/event-log.ts'
import { deleteFailing } from '../store/failing-events.ts'
import { ignoreOutage } from '../store/kv.ts'
import { eraseResponses } from '../store/money-operations.ts'
import { eraseReceipt } from '../store/order.ts'
import { eraseStrays } from '../store/strays.ts'

/** What is due within an hour of the first event is removed by one alarm. */
const GRACE_MS = 3_600_000

/**
 * Removes a person's data from everything that is stored of an order. The keys and what the books need stay: a repeated
 * webhook is still recognised, and totals stay right.
 *
 * @param named The order, or an attempt at paying it.
 * @returns How many events were changed.
 */
export async function erasePersonalData(scope: OrderScope, named: string): Promise<{ erased_events: number }> {
  const erased = await erase(scope, await orderOf(scope.store, named), Number.POSITIVE_INFINITY)
  logInfo('personal_data_erased', { order_id: named, ...erased })
  return erased
}

async function erase(scope: OrderScope, order_id: string, before: number): Promise<{ erased_events: number }> {
  const first = await eraseAttempt(scope, order_id, before)
  let erased_events = first.erased
  for (let attempt = 2; ; attempt++) {
    const attempt_id = attemptId(order_id, attempt)
    // An attempt that was announced, and whose payment was never made, is not counted.
    if (attempt > first.attempts && (await getCheckout(scope.store, attempt_id)) === undefined) break
    erased_events += (await eraseAttempt(scope, attempt_id, before)).erased
  }
  return { erased_events }
}

/** Has what is stored of an order now removed after RETENTION_DAYS. */
export async function scheduleErasure({ erasures, env, now }: OrderScope, order_id: string): Promise<void> {
  const retention = retentionMs(env)
  if (retention !== undefined) await erasures.eraseAt(order_id, now() + retention + GRACE_MS)
}

/** Has the gate look now for what has been kept for RETENTION_DAYS. */
export function eraseSoon({ erasures, now }: OrderScope, order_id: string): Promise<void> {
  return erasures.eraseAt(order_id, now())
}

/** Removes what has been kept for RETENTION_DAYS. @returns When the rest is due. */
export async function eraseDue(scope: OrderScope, order_id: string): Promise<number | undefined> {
  const { store, now, env } = scope
  const retention = retentionMs(env)
  if (retention === undefined) return undefined
  const before = now() - retention
  try {
    await erase(scope, order_id, before)
    const times = (await listEvents(store, await orderKeyOf(order_id))).map(({ received_at }) => received_at)
    const opened = (await getCheckout(store, order_id))?.opened_at ?? 0
    const next = Math.min(...[opened, ...times].filter((time) => time > before))
    return Number.isFinite(next) ? next + retention + GRACE_MS : undefined
  } catch (error) {
    logError('retention_failed', { order_id, ...describeError(error) })
    throw error
  }
}

/** @returns How many events were changed, and how many attempts its checkout counts. */
async function eraseAttempt(
  { kv, store, outbox, now }: OrderScope,
  order_id: string,
  before: number,
): Promise<{ erased: number; attempts: number }> {
  const orderKey = await orderKeyOf(order_id)
  const { due, erased } = await eraseEvents({ kv, store }, orderKey, now(), before)
  await eraseResponses(store, orderKey)
  // Those that are due are removed by their time to live, and by the cron.
  if (before === Number.POSITIVE_INFINITY) await eraseStrays(kv, orderKey)
  await eraseReceipt(store, order_id)
  const checkout = await getCheckout(store, order_id)
  const holdsData = (checkout?.url ?? checkout?.link ?? checkout?.customer_email) !== undefined
  if (checkout && holdsData && (checkout.opened_at ?? 0) <= before) {
    const { url, link, customer_email, description, ...rest } = checkout
    await putCheckout(store, order_id, rest)
  }
  // An event that `onEvent` never handled: its key stays known, so that it is not queued again.
  for (const { event_id, listed } of await outbox.list()) {
    if (!due.has(event_id)) continue
    await outbox.remove(event_id)
    // A row that stays leads to nothing, and names the order alone.
    if (listed) await deleteFailing(kv, event_id).catch(ignoreOutage)
  }
  return { erased, attempts: checkout?.attempts ?? 1 }
}
