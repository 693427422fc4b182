import type { Context } from '../context.ts'
import { moneyConfig } from '../env.ts'
import { resultLink, webhookAddress } from '../lib/links.ts'
import { describeError, report } from '../lib/log.ts'
import {
  type CheckoutLink,
  type CreatePaymentInput,
  type CreateSplitPurchaseInput,
  createPayment,
  createSplitPurchase,
  isApiError,
  isInvalidInputError,
  isOutcomeUnknownError,
} from '../sdk.ts'
import { attemptId, type CheckoutRecord, getCheckout } from '../store/checkouts.ts'
import { ignoreOutage } from '../store/kv.ts'
import { getStatus } from '../store/order.ts'
import { areClosed, isRevoked, mustLookAgain } from '../store/revocations.ts'
import { askStatus, cancel, latestPayment } from './attempt-payment.ts'
import { announce, expectedOf, expire, remember } from './remember-link.ts'
import { ABANDONED_MS } from './schedule.ts'

/** What becomes of an opened link. */
export type Opening =
  /** The customer pays there, or sees the result there. */
  | { kind: 'redirect'; url: string }
  /** It is being opened at this moment; the page refreshes. */
  | { kind: 'wait' }
  /** The order was opened before with another amount or currency. */
  | { kind: 'changed' }
  /** The link has expired, and its order was not paid. */
  | { kind: 'expired' }
  /** The shop revoked the link. */
  | { kind: 'revoked' }
  /** All attempts failed. */
  | { kind: 'closed' }
  /** The service rejects the order's fields: trying again does not help. */
  | { kind: 'unusable' }
  /** It could not be opened now; trying again can help. */
  | { kind: 'failed' }

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
    return isInvalidInputError(error) ? { kind: 'unusable' } : { kind: 'failed' }
  }
}

async function open(step: Step): Promise<Opening> {
  const { context, link } = step
  const { store } = context
  const { order_id } = link.order
  const [checkout, wasRevoked, wasClosed] = await Promise.all([
    getCheckout(store, order_id),
    isRevoked(store, step.path),
    areClosed(store, order_id),
  ])
  if (wasRevoked) return revoked(step, checkout?.attempts)
  const isExpired = !(context.now() < link.expiresAt)
  if (!checkout && isExpired) return reconcile(step, 1, isExpired)
  if (!checkout) return wasClosed ? closed(step) : create(step, 1)
  if (isChanged(checkout, link)) return { kind: 'changed' }
  const { attempts, url, expires_at } = checkout
  const { status, cancelled } = (await getStatus(store, attemptId(order_id, attempts))) ?? {}
  if (status === 'success') return result(step, attempts)
  if (isExpired) return status === 'failure' ? { kind: 'expired' } : reconcile(step, attempts, isExpired)
  if (wasClosed) return closed(step, attempts)
  if (status === 'failure') return tryAgain(step, attempts, cancelled === true && !checkout.expired)
  if (url === undefined || checkout.expired) return reconcile(step, attempts)
  // It may have been closed as abandoned since. An address is written with its time.
  const isOld = context.now() - (checkout.opened_at as number) >= ABANDONED_MS
  if (isOld || link.expiresAt > expires_at) {
    await remember(step, { attempts, url, expires_at: Math.max(link.expiresAt, expires_at) })
  }
  return lead(step, url)
}

/**
 * To a payment, unless the shop has cancelled the order or revoked the link in the meantime. A read that fails must not
 * keep the customer from it.
 */
async function lead({ context, link, path }: Step, url: string): Promise<Opening> {
  const { store, outbox } = context
  const mustWait = !outbox && (await mustLookAgain(store, link.order.order_id, path).catch(ignoreOutage))
  return mustWait ? { kind: 'wait' } : { kind: 'redirect', url }
}

/** Whether a payment of the order was opened by a link that asks for something else. */
function isChanged(checkout: CheckoutRecord, link: CheckoutLink): boolean {
  const { amount, currency, recurring_amount } = expectedOf(link)
  return (
    checkout.amount !== amount ||
    checkout.currency !== currency ||
    checkout.recurring_amount !== recurring_amount ||
    checkout.method !== link.order.method
  )
}

/** A revoked link leads to no payment; who has paid sees the result all the same, also before its webhook. */
async function revoked(step: Step, attempts?: number): Promise<Opening> {
  const { attempt, status } = await latestPayment(step, attempts)
  return status === undefined || status === 'init' || status === 'failure' ? { kind: 'revoked' } : result(step, attempt)
}

/** An order that the shop cancelled is not paid any more: a payment that was being opened at that moment is cancelled too. */
async function closed(step: Step, attempts?: number): Promise<Opening> {
  const { attempt, status } = await latestPayment(step, attempts)
  if (status === 'init') await cancel(step, attempt)
  // The service does not know the order: nothing was paid, and nothing ever will be.
  return status === undefined ? { kind: 'closed' } : result(step, attempt)
}

/** After a decline the same link leads to another attempt; after a cancellation that was not made here it does not. */
async function tryAgain(step: Step, attempt: number, wasCancelled: boolean): Promise<Opening> {
  const next_id = attemptId(step.link.order.order_id, attempt + 1)
  const byShop = wasCancelled && (await getCheckout(step.context.store, next_id)) === undefined
  return byShop ? result(step, attempt) : next(step, attempt)
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
  return lead(step, url)
}

/**
 * The order_id is taken: by an opening that is a moment ahead, whose address KV may not show here yet, or by one that
 * died before it could write the address.
 */
async function afterUsed(step: Step, attempt: number): Promise<Opening> {
  const { context, link, mayWait } = step
  const { order_id } = link.order
  const written = await getCheckout(context.store, order_id)
  if (written && isChanged(written, link)) return { kind: 'changed' }
  if (written?.url !== undefined && written.attempts >= attempt) return lead(step, written.url)
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
  const status = await askStatus(step, attempt)
  if (status === undefined) return isExpired ? { kind: 'expired' } : create(step, attempt, true)
  if (status === 'failure') {
    if (isExpired) return { kind: 'expired' }
    const ids = [link.order.order_id, attemptId(link.order.order_id, attempt + 1)]
    const [own, replacing] = await Promise.all(ids.map((id) => getCheckout(context.store, id)))
    return replacing || own?.expired ? next(step, attempt) : result(step, attempt)
  }
  if (status !== 'init') return result(step, attempt)
  if (!isExpired && attempt >= MAX_ATTEMPTS) return { kind: 'closed' }
  // Written before the cancellation: it alone distinguishes a payment that was cancelled here from one that the shop cancelled.
  if (!isExpired) await announce(step, attempt + 1)
  else if (!(await expire(step, attempt))) return { kind: 'expired' }
  // Paid or cancelled at this moment: the next look shows which.
  if (!(await cancel(step, attempt))) return { kind: 'wait' }
  return isExpired ? { kind: 'expired' } : create(step, attempt + 1)
}

/** Records that the attempt after the n-th belongs to this order, then creates it. */
async function next(step: Step, attempt: number): Promise<Opening> {
  if (attempt >= MAX_ATTEMPTS) return { kind: 'closed' }
  await announce(step, attempt + 1)
  return create(step, attempt + 1)
}

async function result({ link, context }: Step, attempt: number): Promise<{ kind: 'redirect'; url: string }> {
  const order_id = attemptId(link.order.order_id, attempt)
  const { result_url } = link.order
  return { kind: 'redirect', url: result_url ?? (await resultLink(link.origin, order_id, context.env.LINK_SECRET)) }
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
  // The service's text: anything but a name may repeat what a customer entered.
  const isName = (text: string) => /^[a-z_][\w.[\]]{0,63}$/i.test(text)
  return isApiError(error) ? error.violations.map(({ field_name }) => field_name).filter(isName) : undefined
}
