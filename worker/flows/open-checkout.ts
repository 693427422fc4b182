import type { Context } from '../context.ts'
import { clientConfig, moneyConfig } from '../env.ts'
import { type CheckoutLink, resultLink, webhookAddress } from '../lib/links.ts'
import { describeError, report } from '../lib/log.ts'
import {
  type CreatePaymentInput,
  type CreateSplitPurchaseInput,
  cancelPayment,
  createPayment,
  createSplitPurchase,
  type ExpectedPayment,
  isApiError,
  isConfigError,
  isInvalidInputError,
  isOutcomeUnknownError,
  recordOf,
  resendWebhook,
  type WebhookEvent,
} from '../sdk.ts'
import { attemptId, type CheckoutRecord, getCheckout, putCheckout } from '../store/checkouts.ts'
import { StorageError } from '../store/kv.ts'
import { getStatus } from '../store/order.ts'
import { receiveResent } from './process-event.ts'

/** What becomes of an opened link. */
export type Opening =
  /** The customer pays there, or sees the result there. */
  | { kind: 'redirect'; url: string }
  /** It is being opened at this moment; the page looks again. */
  | { kind: 'wait' }
  /** The order was opened before with another amount or currency. */
  | { kind: 'changed' }
  /** The link has expired, and its order was not paid. */
  | { kind: 'expired' }
  /** All attempts failed. */
  | { kind: 'closed' }
  /** The service rejects the order's fields: trying again does not help. */
  | { kind: 'unusable' }
  /** It could not be opened now; trying again can help. */
  | { kind: 'failed' }
  /** The worker is misconfigured. */
  | { kind: 'misconfigured' }

/** One opening of one link. */
export interface Visit {
  link: CheckoutLink
  /** The link's own path, for another try after a decline. */
  path: string
  /** Whether an address that another opening is about to write may be waited for (over KV alone). */
  mayWait: boolean
}

type Step = Visit & { context: Context }

/** `~99` is the last that fits into the service's limit. */
const MAX_ATTEMPTS = 99

/**
 * Brings a link's customer to the checkout: the existing one, or a new one. There is one payment however often and
 * however concurrently a link is opened: inside an order's gate openings come in turn, over KV alone the service takes an
 * order_id once (an assumption, see `wasUsed`).
 */
export async function openCheckout(context: Context, visit: Visit): Promise<Opening> {
  const { order_id } = visit.link.order
  try {
    return await open({ ...visit, context })
  } catch (error) {
    report('checkout_not_opened', { order_id, ...describeError(error), fields: fieldsOf(error) })
    if (isConfigError(error)) return { kind: 'misconfigured' }
    return isInvalidInputError(error) ? { kind: 'unusable' } : { kind: 'failed' }
  }
}

async function open(step: Step): Promise<Opening> {
  const { context, link } = step
  const { store } = context
  const { amount, currency, order_id } = link.order
  const checkout = await getCheckout(store, order_id)
  const isExpired = !(context.now() < link.expiresAt)
  if (!checkout) return isExpired ? reconcile(step, 1, isExpired) : create(step, 1)
  if (checkout.amount !== amount || checkout.currency !== currency) return { kind: 'changed' }
  const { attempts, url } = checkout
  const { status, cancelled } = (await getStatus(store, attemptId(order_id, attempts))) ?? {}
  if (status === 'success') return result(step, attempts)
  if (isExpired) return status === 'failure' ? { kind: 'expired' } : reconcile(step, attempts, isExpired)
  if (checkout.cancelled) return result(step, attempts)
  if (status === 'failure') return tryAgain(step, attempts, cancelled === true)
  return url === undefined ? reconcile(step, attempts) : { kind: 'redirect', url }
}

/** After a decline the same link leads to another attempt; after a cancellation that was not made here it does not. */
async function tryAgain(step: Step, attempt: number, wasCancelled: boolean): Promise<Opening> {
  const next_id = attemptId(step.link.order.order_id, attempt + 1)
  const byShop = wasCancelled && (await getCheckout(step.context.store, next_id)) === undefined
  if (byShop) return result(step, attempt)
  return attempt >= MAX_ATTEMPTS ? { kind: 'closed' } : next(step, attempt)
}

/** What was asked for, as it is compared with what is paid. */
function expectedOf({ order }: CheckoutLink): ExpectedPayment {
  const { amount, currency } = order
  const recurring = (order as { init_recurring?: { amount?: number } }).init_recurring
  return { amount, currency, ...(recurring && { recurring_amount: recurring.amount ?? amount }) }
}

/** Creates the n-th attempt's payment. */
async function create(step: Step, attempt: number, unknownToService = false): Promise<Opening> {
  const { context, link } = step
  const { env, fetch } = context
  const order_id = attemptId(link.order.order_id, attempt)
  let url: string
  try {
    const config = moneyConfig(env, fetch)
    const input = {
      ...link.order,
      order_id,
      server_url:
        link.order.server_url ?? (await webhookAddress(link.origin, order_id, expectedOf(link), env.LINK_SECRET)),
      result_url: link.order.result_url ?? (await resultLink(link.origin, order_id, env.LINK_SECRET)),
    }
    const response =
      'split' in input
        ? await createSplitPurchase(config, input as Extract<CreateSplitPurchaseInput, { mode: 'hosted' }>)
        : await createPayment(config, input as CreatePaymentInput)
    // A hosted auth may return a record instead of a redirect: the API document does not show it.
    url = 'url' in response ? response.url : (response.user_action_url ?? (await result(step, attempt)).url)
  } catch (error) {
    if (wasUsed(error) && !unknownToService) return afterUsed(step, attempt)
    if (isOutcomeUnknownError(error)) await remember(step, { attempts: attempt })
    throw error
  }
  await remember(step, { attempts: attempt, url })
  return { kind: 'redirect', url }
}

/**
 * The order_id is taken: by an opening that is a moment ahead, whose address KV may not show here yet, or by one that
 * died before it could write the address.
 */
async function afterUsed(step: Step, attempt: number): Promise<Opening> {
  const { context, link, mayWait } = step
  const { amount, currency, order_id } = link.order
  const written = await getCheckout(context.store, order_id)
  if (written && (written.amount !== amount || written.currency !== currency)) return { kind: 'changed' }
  if (written?.url !== undefined && written.attempts >= attempt) return { kind: 'redirect', url: written.url }
  return mayWait && !context.outbox ? { kind: 'wait' } : reconcile(step, attempt)
}

/**
 * It is not known whether the n-th attempt's payment was created, its address is lost (no documented call returns it), or
 * its link has expired. So the service is asked for the payment's state:
 * - it does not know the order (404, an assumption): the same order_id is sent again, which cannot make two payments;
 * - created and unpaid: cancelled, and tried again under the next order_id, linked to this one;
 * - anything else: the result page.
 */
async function reconcile(step: Step, attempt: number, isExpired = false): Promise<Opening> {
  const { context, link } = step
  const { env, fetch, store } = context
  const order_id = attemptId(link.order.order_id, attempt)
  let event: WebhookEvent
  try {
    event = await resendWebhook(clientConfig(env, fetch), { order_id, operation: link.order.method })
  } catch (error) {
    if (!(isApiError(error) && error.status === 404)) throw error
    return isExpired ? { kind: 'expired' } : create(step, attempt, true)
  }
  await receiveResent(context, event, { expected: expectedOf(link) })
  const { status } = recordOf(event)
  if (status === 'failure') {
    if (isExpired) return { kind: 'expired' }
    const replaced = (await getCheckout(store, attemptId(link.order.order_id, attempt + 1))) !== undefined
    return replaced ? next(step, attempt) : result(step, attempt)
  }
  if (status !== 'init') return result(step, attempt)
  // Written before the cancellation: it alone tells a payment that was cancelled here from one that the shop cancelled.
  if (!isExpired) await announce(step, attempt + 1)
  try {
    await cancelPayment(moneyConfig(env, fetch), { order_id })
  } catch (error) {
    // Paid or cancelled at this moment: the next look shows which.
    if (isApiError(error)) return { kind: 'wait' }
    throw error
  }
  return isExpired ? { kind: 'expired' } : create(step, attempt + 1)
}

/** Records that the n-th attempt belongs to this order, then creates it. */
async function next(step: Step, attempt: number): Promise<Opening> {
  await announce(step, attempt + 1)
  return create(step, attempt + 1)
}

async function announce({ context, link, path }: Step, attempt: number): Promise<void> {
  const { order_id, method, amount, currency } = link.order
  const next_id = attemptId(order_id, attempt)
  if ((await getCheckout(context.store, next_id)) !== undefined) return
  const expected = { ...expectedOf(link), amount, currency }
  await putCheckout(context.store, next_id, {
    ...expected,
    method,
    attempts: 1,
    origin: link.origin,
    link: path,
    replaces: order_id,
  })
}

async function result({ link, context }: Step, attempt: number): Promise<{ kind: 'redirect'; url: string }> {
  const order_id = attemptId(link.order.order_id, attempt)
  const { result_url } = link.order
  return { kind: 'redirect', url: result_url ?? (await resultLink(link.origin, order_id, context.env.LINK_SECRET)) }
}

/** A write that fails here must not keep the customer from paying: a later opening finds out by asking the service. */
async function remember({ context, link, path }: Step, rest: Pick<CheckoutRecord, 'attempts' | 'url'>): Promise<void> {
  const { order_id, amount, currency, method } = link.order
  try {
    const expected = { ...expectedOf(link), amount, currency }
    await putCheckout(context.store, order_id, { ...expected, method, origin: link.origin, link: path, ...rest })
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report('checkout_not_recorded', { order_id })
  }
}

/**
 * Whether the service rejected an order_id because it was used before. An ASSUMPTION from public material: the API
 * document shows neither the status nor the code.
 */
function wasUsed(error: unknown): boolean {
  return isApiError(error) && (error.apiCode === 'P-409' || error.status === 409)
}

/** The names of the fields that are wrong; never what they contain. */
function fieldsOf(error: unknown): string[] | undefined {
  if (isInvalidInputError(error)) return error.issues.map(({ path }) => path)
  return isApiError(error) ? error.violations.map(({ field_name }) => field_name) : undefined
}
