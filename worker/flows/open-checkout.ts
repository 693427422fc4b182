import type { Deps } from '../deps.ts'
import { clientConfig, type Env } from '../env.ts'
import type { CheckoutLink, CheckoutOrder } from '../lib/checkout-link.ts'
import { resultLink } from '../lib/result-link.ts'
import {
  type CreatePaymentInput,
  type CreateSplitPurchaseInput,
  cancelPayment,
  createPayment,
  createSplitPurchase,
  isApiError,
  isOutcomeUnknownError,
  recordOf,
  resendWebhook,
  type WebhookEvent,
} from '../sdk.ts'
import { attemptId, type CheckoutRecord, getCheckout, putCheckout } from '../store/checkouts.ts'
import { type KvStore, StorageError } from '../store/kv.ts'
import { readOrder } from '../store/read-order.ts'
import { receiveResent } from './process-event.ts'

/** What becomes of an opened link. */
export type Opening =
  /** The customer pays there, or sees there how it went. */
  | { kind: 'redirect'; url: string }
  /** Somebody is opening it at this moment; another look will tell. */
  | { kind: 'wait' }
  /** The order was opened before with another amount or currency. */
  | { kind: 'changed' }

/** One opening of one link. */
interface Visit {
  deps: Deps
  env: Env
  state: KvStore
  link: CheckoutLink
  /** Whether an address that another opening is about to write may be waited for. */
  mayWait: boolean
}

/**
 * Brings a link's customer to the checkout: the existing one, or a new one. There is one payment however often and
 * however concurrently a link is opened, because the service takes an order_id once (assumption, see `wasUsed`).
 *
 * @throws The SDK's errors when the service fails, {@link StorageError} when KV does.
 */
export async function openCheckout(visit: Visit): Promise<Opening> {
  const { state, link } = visit
  const { amount, currency, order_id } = link.order
  const checkout = await getCheckout(state, order_id)
  // The first opening, or one that cannot be seen here: the service takes the order_id once, whatever is known here.
  if (!checkout) return create(visit, 1)
  if (checkout.amount !== amount || checkout.currency !== currency) return { kind: 'changed' }
  const { attempts, url } = checkout
  const { order } = await readOrder(state, attemptId(order_id, attempts))
  if (order.status === 'success') return result(visit, attempts)
  if (order.status === 'failure') {
    // Cancelled here, by an opening that did not live to make the next attempt; or failed for good.
    const replaced = !url && (await getCheckout(state, attemptId(order_id, attempts + 1))) !== undefined
    return replaced ? reconcile(visit, attempts) : result(visit, attempts)
  }
  return url === undefined ? reconcile(visit, attempts) : { kind: 'redirect', url }
}

/** Creates the n-th attempt's payment. */
async function create(visit: Visit, attempt: number, unknownToService = false): Promise<Opening> {
  const { deps, env, state, link } = visit
  const order_id = attemptId(link.order.order_id, attempt)
  let url: string
  try {
    const config = clientConfig(env, deps.fetch)
    const input = {
      ...link.order,
      order_id,
      server_url: link.order.server_url ?? `${link.origin}/webhooks`,
      result_url: link.order.result_url ?? (await resultLink(link.origin, order_id, env.LINK_SECRET)),
    }
    const answer =
      'split' in input
        ? await createSplitPurchase(config, input as Extract<CreateSplitPurchaseInput, { mode: 'hosted' }>)
        : await createPayment(config, input as CreatePaymentInput)
    // A hosted auth may answer a record instead of a redirect: the document does not show it.
    url = 'url' in answer ? answer.url : (answer.user_action_url ?? (await result(visit, attempt)).url)
  } catch (error) {
    if (wasUsed(error) && !unknownToService) return afterUsed(visit, attempt)
    if (isOutcomeUnknownError(error)) await remember(state, link.order, { attempts: attempt })
    throw error
  }
  await remember(state, link.order, { attempts: attempt, url })
  return { kind: 'redirect', url }
}

/**
 * The order_id is taken: by an opening that is a moment ahead, whose address KV may not show here yet, or by one that
 * died before it could write the address down.
 */
async function afterUsed(visit: Visit, attempt: number): Promise<Opening> {
  const written = await getCheckout(visit.state, visit.link.order.order_id)
  if (written?.url !== undefined && written.attempts >= attempt) return { kind: 'redirect', url: written.url }
  return visit.mayWait ? { kind: 'wait' } : reconcile(visit, attempt)
}

/**
 * Nobody knows whether the n-th attempt's payment was created, or its address is lost; the service's document has no
 * call that returns a lost address. So it is asked for the payment's state:
 * - it does not know the order (404, an assumption): the same order_id is sent again, which cannot make two payments;
 * - created and unpaid: cancelled, and tried again under the next order_id, linked to this one;
 * - anything else: the result page.
 */
async function reconcile(visit: Visit, attempt: number): Promise<Opening> {
  const { deps, env, state, link } = visit
  const { amount, currency, method } = link.order
  const config = clientConfig(env, deps.fetch)
  const order_id = attemptId(link.order.order_id, attempt)
  const next_id = attemptId(link.order.order_id, attempt + 1)
  let event: WebhookEvent
  try {
    event = await resendWebhook(config, { order_id, operation: method })
  } catch (error) {
    if (isApiError(error) && error.status === 404) return create(visit, attempt, true)
    throw error
  }
  await receiveResent(deps, env, state, event)
  const { status } = recordOf(event)
  // Written before the cancellation: it alone tells a payment that was cancelled here from one that the shop cancelled.
  const replaced = (await getCheckout(state, next_id)) !== undefined
  if (status === 'failure' && replaced) return create(visit, attempt + 1)
  if (status !== 'init') return result(visit, attempt)
  if (!replaced) {
    await putCheckout(state, next_id, { amount, currency, method, attempts: 1, replaces: link.order.order_id })
  }
  try {
    await cancelPayment(config, { order_id })
  } catch (error) {
    // Paid or cancelled in this moment: another look will tell which.
    if (isApiError(error)) return { kind: 'wait' }
    throw error
  }
  return create(visit, attempt + 1)
}

async function result({ link, env }: Visit, attempt: number): Promise<{ kind: 'redirect'; url: string }> {
  const order_id = attemptId(link.order.order_id, attempt)
  return {
    kind: 'redirect',
    url: link.order.result_url ?? (await resultLink(link.origin, order_id, env.LINK_SECRET)),
  }
}

/** A write that fails here must not keep the customer from paying: a later opening finds out by asking the service. */
async function remember(
  state: KvStore,
  { order_id, amount, currency, method }: CheckoutOrder,
  rest: Pick<CheckoutRecord, 'attempts' | 'url'>,
): Promise<void> {
  try {
    await putCheckout(state, order_id, { amount, currency, method, ...rest })
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    console.error('A checkout was not written down.', error)
  }
}

/**
 * Whether the service refused an order_id because it was used before. An ASSUMPTION from public material: the document
 * shows neither the status nor the code.
 */
function wasUsed(error: unknown): boolean {
  return isApiError(error) && (error.apiCode === 'P-409' || error.status === 409)
}
