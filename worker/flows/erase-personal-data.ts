import type { Context } from '../context.ts'
import { retentionMs } from '../env.ts'
import { describeError, report } from '../lib/log.ts'
import { eraseResponses } from '../store/attempts.ts'
import { attemptId, getCheckout, putCheckout } from '../store/checkouts.ts'
import { eraseDeadLetters } from '../store/dead-letters.ts'
import { eraseEvents, listEvents, orderKeyOf } from '../store/event-log.ts'
import { eraseError } from '../store/event-progress.ts'
import { eraseReceipt } from '../store/order.ts'

/**
 * Removes a person's data from everything that is stored of an order. The keys and what the books need stay: a repeated
 * webhook is still recognised, and totals stay right.
 *
 * @param before Only events that were received until then.
 * @returns How many events were changed.
 */
export async function erasePersonalData(
  context: Context,
  order_id: string,
  before = Number.POSITIVE_INFINITY,
): Promise<{ erased_events: number }> {
  const { store } = context
  const first = await eraseAttempt(context, order_id, before)
  let erased_events = first.erased
  for (let attempt = 2; ; attempt++) {
    const attempt_id = attemptId(order_id, attempt)
    // One that was announced, and whose payment was never made, is not counted.
    if (attempt > first.attempts && (await getCheckout(store, attempt_id)) === undefined) break
    erased_events += (await eraseAttempt(context, attempt_id, before)).erased
  }
  return { erased_events }
}

/** What arrives within an hour is removed by one alarm. */
const GRACE_MS = 3_600_000

/** Has what arrives of an order now removed after RETENTION_DAYS: by its gate; over KV alone the cron does it. */
export async function keepFor({ tasks, env, now }: Context, order_id: string): Promise<void> {
  const retention = retentionMs(env)
  if (retention !== undefined) await tasks?.eraseAt(order_id, now() + retention + GRACE_MS)
}

/** Removes what an order's gate has kept for RETENTION_DAYS. @returns When the rest is due. */
export async function eraseDue(context: Context, order_id: string): Promise<number | undefined> {
  const { store, now, env } = context
  const retention = retentionMs(env)
  if (retention === undefined) return undefined
  const before = now() - retention
  try {
    await erasePersonalData(context, order_id, before)
    const times = (await listEvents(store, await orderKeyOf(order_id))).map(({ received_at }) => received_at)
    const opened = (await getCheckout(store, order_id))?.opened_at ?? 0
    const next = Math.min(...[opened, ...times].filter((time) => time > before))
    return Number.isFinite(next) ? next + retention + GRACE_MS : undefined
  } catch (error) {
    report('retention_failed', { order_id, ...describeError(error) })
    throw error
  }
}

/** @returns How many events were changed, and how many attempts its checkout counts. */
async function eraseAttempt(
  { store, outbox, now }: Context,
  order_id: string,
  before: number,
): Promise<{ erased: number; attempts: number }> {
  const orderKey = await orderKeyOf(order_id)
  const due = new Set<string>()
  const erased = await eraseEvents(store, orderKey, now(), {
    before,
    // First of all: what fails here is found again by the next call. Over KV alone `onEvent` still gets the event.
    async eraseRest(event_id) {
      due.add(event_id)
      await eraseError(store, event_id, !outbox)
    },
  })
  await eraseResponses(store, orderKey)
  // Those that are due are removed by their time to live, and by the cron.
  if (before === Number.POSITIVE_INFINITY) await eraseDeadLetters(store, orderKey)
  await eraseReceipt(store, order_id)
  const checkout = await getCheckout(store, order_id)
  const holdsData = (checkout?.url ?? checkout?.link ?? checkout?.customer_email) !== undefined
  if (checkout && holdsData && (checkout.opened_at ?? 0) <= before) {
    const { url, link, customer_email, ...rest } = checkout
    await putCheckout(store, order_id, rest, { inKvFirst: true })
  }
  // What `onEvent` never took: its key stays known, so that the event is not queued again.
  for (const { event_id } of (await outbox?.list()) ?? []) if (due.has(event_id)) await outbox?.remove(event_id)
  return { erased, attempts: checkout?.attempts ?? 1 }
}
