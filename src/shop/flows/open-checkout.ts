import type { CheckoutLink } from '../../checkout-link/index.ts'
import {
  type CreatePaymentInput,
  type CreateSplitPurchaseInput,
  createPayment,
  createSplitPurchase,
  isApiError,
  isInvalidInputError,
  isOutcomeUnknownError,
} from '../../index.ts'
import { moneyConfig } from '../env.ts'
import { resultLink, webhookAddress } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import type { OrderScope } from '../scope.ts'
import { attemptId, type CheckoutRecord, getCheckout } from '../store/checkouts.ts'
import { getStatus } from '../store/order.ts'
import { areClosed, isRevoked } from '../store/revocations.ts'
import {
  announce,
  askStatus,
  cancel,
  expectedOf,
  expire,
  type LinkedOrder,
  latestPayment,
  remember,
} from './payment-attempts.ts'
import { ABANDONED_MS } from './schedule.ts'

/** What becomes of an opened link. */
export type Opening =
  /** The customer pays there, or sees the result there. */
  | { kind: 'redirect'; url: string }
  /** The payment was paid or cancelled at this moment; the page refreshes. */
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
}

/** `~99` is the last that fits into the service's limit. */
const MAX_ATTEMPTS = 99

/**
 * Brings a link's customer to the checkout: the existing one, or a new one. There is one payment however often and however
 * concurrently a link is opened.
 */
export async function openCheckout(scope: OrderScope, order_id: string, visit: Visit): Promise<Opening> {
  try {
    return await open({ ...visit, scope })
  } catch (error) {
    logError('checkout_not_opened', { order_id, ...describeError(error), fields: fieldsOf(error) })
    return isInvalidInputError(error) ? { kind: 'unusable' } : { kind: 'failed' }
  }
}

async function open(step: LinkedOrder): Promise<Opening> {
  const { scope, link } = step
  const { store } = scope
  const { order_id } = link.order
  const [checkout, wasRevoked, wasClosed] = await Promise.all([
    getCheckout(store, order_id),
    isRevoked(store, step.path),
    areClosed(store, order_id),
  ])
  if (wasRevoked) return revoked(step, checkout?.attempts)
  const isExpired = !(scope.now() < link.expiresAt)
  if (!checkout && isExpired) return findOut(step, 1, isExpired)
  if (!checkout) return wasClosed ? closed(step) : create(step, 1)
  if (isChanged(checkout, link)) return { kind: 'changed' }
  const { attempts, url, expires_at } = checkout
  const { status, cancelled } = (await getStatus(store, attemptId(order_id, attempts))) ?? {}
  if (status === 'success') return result(step, attempts)
  if (isExpired) return status === 'failure' ? { kind: 'expired' } : findOut(step, attempts, isExpired)
  if (wasClosed) return closed(step, attempts)
  if (status === 'failure') return tryAgain(step, attempts, cancelled === true && !checkout.expired)
  if (url === undefined || checkout.expired) return findOut(step, attempts)
  // It may have been closed as abandoned since. An address is written with its time.
  const isOld = scope.now() - (checkout.opened_at as number) >= ABANDONED_MS
  if (isOld || link.expiresAt > expires_at) {
    await remember(step, { attempts, url, expires_at: Math.max(link.expiresAt, expires_at) })
  }
  return { kind: 'redirect', url }
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
async function revoked(step: LinkedOrder, attempts?: number): Promise<Opening> {
  const { attempt, status } = await latestPayment(step, attempts)
  return status === undefined || status === 'init' || status === 'failure' ? { kind: 'revoked' } : result(step, attempt)
}

/** An order that the shop cancelled is not paid any more: a payment that was being opened at that moment is cancelled too. */
async function closed(step: LinkedOrder, attempts?: number): Promise<Opening> {
  const { attempt, status } = await latestPayment(step, attempts)
  if (status === 'init') await cancel(step, attempt)
  // The service does not know the order: nothing was paid, and nothing ever will be.
  return status === undefined ? { kind: 'closed' } : result(step, attempt)
}

/** After a decline the same link leads to another attempt; after a cancellation that was not made here it does not. */
async function tryAgain(step: LinkedOrder, attempt: number, wasCancelled: boolean): Promise<Opening> {
  const next_id = attemptId(step.link.order.order_id, attempt + 1)
  const byShop = wasCancelled && (await getCheckout(step.scope.store, next_id)) === undefined
  return byShop ? result(step, attempt) : next(step, attempt)
}

/** Creates the n-th attempt's payment. */
async function create(step: LinkedOrder, attempt: number, unknownToService = false): Promise<Opening> {
  const { scope, link } = step
  const { env, fetch } = scope
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
    // By an opening that died before it could record the address.
    if (wasUsed(error) && !unknownToService) return findOut(step, attempt)
    if (isOutcomeUnknownError(error)) await remember(step, { attempts: attempt })
    throw error
  }
  await remember(step, { attempts: attempt, url })
  return { kind: 'redirect', url }
}

/**
 * It is not known whether the n-th attempt's payment was created, its address is lost (no documented call returns it), or
 * its link has expired. So the service is asked for the payment's state:
 * - it does not know the order (404, an assumption): the same order_id is sent again, which cannot make two payments;
 * - created and unpaid: cancelled, and tried again under the next order_id, linked to this one;
 * - anything else: the result page.
 */
async function findOut(step: LinkedOrder, attempt: number, isExpired = false): Promise<Opening> {
  const { scope, link } = step
  const status = await askStatus(step, attempt)
  if (status === undefined) return isExpired ? { kind: 'expired' } : create(step, attempt, true)
  if (status === 'failure') {
    if (isExpired) return { kind: 'expired' }
    const ids = [link.order.order_id, attemptId(link.order.order_id, attempt + 1)]
    const [own, replacing] = await Promise.all(ids.map((id) => getCheckout(scope.store, id)))
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
async function next(step: LinkedOrder, attempt: number): Promise<Opening> {
  if (attempt >= MAX_ATTEMPTS) return { kind: 'closed' }
  await announce(step, attempt + 1)
  return create(step, attempt + 1)
}

async function result({ link, scope }: LinkedOrder, attempt: number): Promise<{ kind: 'redirect'; url: string }> {
  const order_id = attemptId(link.order.order_id, attempt)
  const { result_url } = link.order
  return { kind: 'redirect', url: result_url ?? (await resultLink(link.origin, order_id, scope.env.LINK_SECRET)) }
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
