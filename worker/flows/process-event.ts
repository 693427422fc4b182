import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import type { ReceivedEvent } from '../on-event.ts'
import type { WebhookEvent, WebhookForm } from '../sdk.ts'
import { recordOf, summarizeEvent } from '../sdk.ts'
import { type CheckoutRecord, getCheckout } from '../store/checkouts.ts'
import { putDeadLetter } from '../store/dead-letters.ts'
import { type LoggedEvent, listEvents, orderIdOf, orderKeyOf, putEvent } from '../store/event-log.ts'
import { deleteRetry, isDone, putDone, putRetry } from '../store/event-progress.ts'
import { type KvStore, StorageError } from '../store/kv.ts'
import { dayOf, putRecent } from '../store/order-index.ts'
import { orderFrom } from '../store/read-order.ts'

/**
 * Takes in a genuine event: when this returns, the event is durable, and `onEvent` has run or will run again.
 *
 * @param form The form as received; undefined for the answer to a re-send.
 * @throws {StorageError} when KV failed: nothing may be acknowledged.
 */
export async function receiveEvent(
  deps: Deps,
  env: Env,
  state: KvStore,
  event: WebhookEvent,
  form?: WebhookForm,
): Promise<void> {
  const now = deps.now()
  const order_id = orderIdOf(event)
  if (order_id === undefined) {
    await putDeadLetter(state, form?.data ?? JSON.stringify(recordOf(event)), 'no_order_id', now)
    return
  }
  const [summary, orderKey] = [summarizeEvent(event), await orderKeyOf(order_id)] as const
  const [known, done, checkout] = await Promise.all([
    listEvents(state, orderKey),
    deps.onEvent && isDone(state, summary.id),
    deps.onEvent && getCheckout(state, order_id),
  ])
  const seen = known.some(({ id }) => id === summary.id)
  if (!seen) {
    // The index first: an event whose row is missing would never be listed, a row without an event does no harm.
    if (!known.some(({ received_at }) => dayOf(received_at) === dayOf(now))) await putRecent(state, order_id, now)
    await putEvent(state, orderKey, summary, event, now, form)
  }
  if (!deps.onEvent || done) return
  const summaries: LoggedEvent[] = [...known, { ...summary, received_at: now }]
  const handled = await handle(deps, env, state, { id: summary.id, event }, order_id, summaries, checkout)
  if (handled && seen) await deleteRetry(state, summary.id).catch(ignore)
}

/**
 * Takes in the answer to a re-send. The service sends the webhook at the same moment, so that KV may refuse this second
 * write to the event's key: nobody waits for an acknowledgement here, and the other write is of the same event.
 */
export async function receiveResent(deps: Deps, env: Env, state: KvStore, event: WebhookEvent): Promise<void> {
  try {
    await receiveEvent(deps, env, state, event)
  } catch (error) {
    if (!(error instanceof StorageError && error.tooSoon)) throw error
  }
}

/**
 * Runs `onEvent` for a stored event and records how it went.
 * @returns Whether it succeeded.
 * @throws {StorageError} when neither success nor failure could be recorded.
 */
export async function handle(
  deps: Deps,
  env: Env,
  state: KvStore,
  received: ReceivedEvent,
  order_id: string,
  summaries: readonly LoggedEvent[],
  checkout: CheckoutRecord | undefined,
): Promise<boolean> {
  try {
    await deps.onEvent?.(received, orderFrom(order_id, summaries, checkout), env)
    await putDone(state, received.id, deps.now())
    return true
  } catch (error) {
    console.error(`onEvent has not finished event ${received.id}; it will be tried again.`, error)
    await putRetry(state, received.id, order_id, error, deps.now())
    return false
  }
}

/** Keeps a genuine webhook that cannot be read. */
export function receiveUnreadable(deps: Deps, state: KvStore, data: string, reason: string): Promise<void> {
  return putDeadLetter(state, data, reason, deps.now())
}

// The cron finds `done` and deletes it then.
function ignore(): void {}
