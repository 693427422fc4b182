import { isApiError, isConfigError, isInvalidInputError } from '../../errors.ts'
import type { CallOptions } from '../../http/types.ts'
import { storeNews } from '../../money/calls.ts'
import { listOrderOperations } from '../../operations/list-order-operations.ts'
import { resendWebhook } from '../../operations/resend-webhook.ts'
import type { ResolvedOutcome } from '../../outcome/decide.ts'
import type { OrderLookup } from '../../outcome/look-up.ts'
import { keepingSeen, lookUpOrder } from '../../outcome/look-up.ts'
import { resolveOutcome, type UnresolvedCall } from '../../outcome/resolve-outcome.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { clientConfig } from '../env.ts'
import { describeError, logError } from '../lib/log.ts'
import { ProblemError, problemOf } from '../lib/problem.ts'
import { listEvents } from './events.ts'
import type { OrderScope } from './scope.ts'
import { storeShown } from './store-event.ts'

/** A look-up that the schedule makes is repeated by the schedule, not at once. */
export const ONE_LOOK: CallOptions = { maxRetries: 0, timeoutMs: 10_000 }

/** The state before a call, and how patiently its outcome is looked up. */
interface Before extends Pick<CallOptions, 'maxRetries' | 'timeoutMs'> {
  known?: readonly string[] | undefined
  /** Milliseconds after the call from which an absence counts. */
  settleAfterMs?: number
}

/**
 * Asks the service what became of a call, by look-up first, and stores what it shows of the order like webhooks.
 *
 * @throws {StorageError} when what it shows could not be stored: nothing may be concluded.
 * @throws {ConfigError} when the worker is misconfigured.
 */
export async function askService(
  scope: OrderScope,
  call: UnresolvedCall & { order_id: string },
  options: Before,
): Promise<ResolvedOutcome> {
  const { now } = scope
  const seen: WebhookEvent[] = []
  const resolved = await resolveOutcome(lookupOf(scope, call, seen), call, { ...options, now })
  await storeNew(scope, call.order_id, seen)
  return resolved
}

/** The look-ups of `resolveOutcome`: they keep what they see, and log their failures. */
function lookupOf(
  { env, fetch }: OrderScope,
  { operation, order_id }: Pick<UnresolvedCall, 'operation' | 'order_id'>,
  seen: WebhookEvent[],
): OrderLookup {
  const config = clientConfig(env, fetch)
  const logged = (error: unknown): never => {
    // "No such order", or no such path: the next look-up tells.
    if (!(isApiError(error) && error.status === 404)) {
      logError('service_not_asked', { order_id: order_id ?? null, operation, ...describeError(error) })
    }
    throw error
  }
  const lookup: OrderLookup = {
    listOrderOperations: (input, options) => listOrderOperations(config, input, options).catch(logged),
    resendWebhook: (input, options) => resendWebhook(config, input, options).catch(logged),
  }
  return keepingSeen(lookup, seen)
}

/** Stores what the service lists, or the latest of each kind. @throws {ProblemError} when it cannot be asked. */
export async function storeListed(scope: OrderScope, order_id: string): Promise<void> {
  const seen: WebhookEvent[] = []
  const lookup = lookupOf(scope, { operation: 'listOrderOperations', order_id }, seen)
  try {
    await lookUpOrder(lookup, { order_id }, ['capture', 'refund', 'void'], {})
  } catch (error) {
    if (isConfigError(error) || isInvalidInputError(error)) throw error
    const title = 'Nothing was sent: the service could not be asked what was made before.'
    throw new ProblemError(503, 'connection', title, problemOf(error)?.detail)
  }
  await storeNew(scope, order_id, seen)
}

/** Stores the events that say something new of the order. */
const storeNew = (scope: OrderScope, order_id: string, seen: readonly WebhookEvent[]): Promise<void> =>
  storeNews(order_id, seen, listEvents(scope.store, order_id), (event) => storeShown(scope, event))
