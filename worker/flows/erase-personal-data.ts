import type { Context } from '../context.ts'
import { report } from '../lib/log.ts'
import { eraseResponses } from '../store/attempts.ts'
import { attemptId, getCheckout, putCheckout } from '../store/checkouts.ts'
import { eraseDeadLetters } from '../store/dead-letters.ts'
import { eraseEvents, orderKeyOf } from '../store/event-log.ts'

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
  const attempts = (await getCheckout(context.store, order_id))?.attempts ?? 1
  let erased_events = 0
  for (let attempt = 1; attempt <= attempts; attempt++) {
    erased_events += await eraseAttempt(context, attemptId(order_id, attempt), before)
  }
  report('personal_data_erased', { order_id, erased_events })
  return { erased_events }
}

async function eraseAttempt({ store, outbox, now }: Context, order_id: string, before: number): Promise<number> {
  const orderKey = await orderKeyOf(order_id)
  const erased = await eraseEvents(store, orderKey, now(), before)
  await eraseResponses(store, orderKey)
  await eraseDeadLetters(store, orderKey)
  const checkout = await getCheckout(store, order_id)
  if (checkout?.url !== undefined || checkout?.link !== undefined) {
    const { url, link, ...rest } = checkout
    await putCheckout(store, order_id, rest)
  }
  // What `onEvent` never took: its key stays known, so that the event is not queued again.
  for (const { event_id, received_at, event } of (await outbox?.list()) ?? []) {
    if (received_at <= before && event.order_id === order_id) await outbox?.remove(event_id)
  }
  return erased
}
