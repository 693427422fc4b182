import type { Context } from '../context.ts'
import { clientConfig } from '../env.ts'
import { describeError, report } from '../lib/log.ts'
import {
  type CallOptions,
  isApiError,
  listOrderOperations,
  type OrderLookup,
  type ResolvedOutcome,
  readEvent,
  recordOf,
  resendWebhook,
  resolveOutcome,
  summarizeEvent,
  type UnresolvedCall,
  type WebhookEvent,
} from '../sdk.ts'
import { type LoggedEvent, listEvents, orderIdOf, orderKeyOf } from '../store/event-log.ts'
import { receiveResent } from './process-event.ts'

/** A look-up that the schedule makes is repeated by the schedule, not at once. */
export const ONE_LOOK: CallOptions = { maxRetries: 0, timeoutMs: 10_000 }

/** What is known of a call from before it, and how patiently it is looked up. */
interface Before extends Pick<CallOptions, 'maxRetries' | 'timeoutMs'> {
  known?: readonly string[] | undefined
  /** Milliseconds after the call from which an absence counts. */
  settleAfterMs?: number
}

/**
 * Asks the service what became of a call, by look-up first, and takes in what it shows of the order like its webhooks.
 *
 * @throws {StorageError} when what it shows could not be stored: nothing may be concluded.
 * @throws {ConfigError} when the worker is misconfigured.
 */
export async function askService(
  context: Context,
  call: UnresolvedCall & { order_id: string },
  options: Before,
): Promise<ResolvedOutcome> {
  const { now } = context
  const seen: WebhookEvent[] = []
  const resolved = await resolveOutcome(lookupOf(context, call, seen), call, { ...options, now })
  await takeIn(context, call.order_id, seen)
  return resolved
}

/** What `resolveOutcome` asks: it keeps what was seen, and logs why something was not. */
function lookupOf({ env, fetch }: Context, { operation, order_id }: UnresolvedCall, seen: WebhookEvent[]): OrderLookup {
  const config = clientConfig(env, fetch)
  const logged = (error: unknown): never => {
    // "No such order", or no such path: the next look-up tells.
    if (!(isApiError(error) && error.status === 404)) {
      report('service_not_asked', { order_id: order_id ?? null, operation, ...describeError(error) })
    }
    throw error
  }
  return {
    async listOrderOperations(input, options) {
      const events = await listOrderOperations(config, input, options).catch(logged)
      seen.push(...events)
      return events
    },
    async resendWebhook(input, options) {
      const event = await resendWebhook(config, input, options).catch(logged)
      seen.push(event)
      return event
    },
  }
}

/** Takes in what tells something new of the order: one list, and what each new event costs. */
async function takeIn(context: Context, order_id: string, seen: readonly WebhookEvent[]): Promise<void> {
  // `init` says no more than that the customer has not paid: it has no webhook either.
  const events = seen.flatMap((event) => eventOf(order_id, event)).filter(({ record }) => record.status !== 'init')
  if (events.length === 0) return
  const known = await listEvents(context.store, await orderKeyOf(order_id))
  for (const event of events) {
    if (!known.some((one) => saysTheSame(one, event))) await receiveResent(context, event)
  }
}

/** What the service shows of an order need not name it; what names another order is none of this one's. */
export function eventOf(order_id: string, event: WebhookEvent): WebhookEvent[] {
  const named = orderIdOf(event)
  if (named !== undefined) return named === order_id ? [event] : []
  const { method, status } = summarizeEvent(event)
  if (method === undefined || status === undefined) return []
  return [readEvent({ ...recordOf(event), order_id })]
}

/** A listed record can differ from its webhook in fields that do not count: `onEvent` must not see both. */
function saysTheSame(known: LoggedEvent, event: WebhookEvent): boolean {
  const one = summarizeEvent(event)
  const ids = [one.operation_id, one.transaction_id, one.payment_id]
  const own = ids.findIndex((id) => id !== undefined)
  const isSame = [known.operation_id, known.transaction_id, known.payment_id][own] === ids[own]
  return isSame && known.method === one.method && known.status === one.status && known.amount === one.amount
}
