import type { CheckoutLink } from '../../checkout-link/index.ts'
import { cancelPayment, isApiError, resendWebhook, type WebhookEvent } from '../../index.ts'
import { recordOf } from '../../schemas/read.ts'
import { clientConfig, moneyConfig } from '../env.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { logError } from '../lib/log.ts'
import type { OrderScope } from '../scope.ts'
import { attemptId, type CheckoutRecord, getCheckout, latestAttempt, putCheckout } from '../store/checkouts.ts'
import { StorageError } from '../store/kv.ts'
import { getStatus } from '../store/order.ts'
import { putReference } from '../store/order-index.ts'
import { scheduleErasure } from './erase-personal-data.ts'
import { watch } from './schedule.ts'
import { storeShown } from './store-event.ts'

/** The order of a link: each attempt at paying it is one payment at the service. */
export interface LinkedOrder {
  scope: OrderScope
  link: CheckoutLink
  /** The link's own path. */
  path: string
}

/**
 * Asks the service for the status of the n-th attempt's payment, and takes in what it says.
 * @returns Undefined when the service does not know the order; null when the response has no status.
 */
export async function askStatus({ scope, link }: LinkedOrder, attempt: number): Promise<unknown> {
  const { env, fetch } = scope
  const order_id = attemptId(link.order.order_id, attempt)
  let event: WebhookEvent
  try {
    event = await resendWebhook(clientConfig(env, fetch), { order_id, operation: link.order.method })
  } catch (error) {
    if (!(isApiError(error) && error.status === 404)) throw error
    return undefined
  }
  await storeShown(scope, event, { expected: expectedOf(link) })
  return recordOf(event).status ?? null
}

/** Cancels the n-th attempt's payment. @returns False where it was paid or cancelled at this moment. */
export async function cancel({ scope, link }: LinkedOrder, attempt: number): Promise<boolean> {
  const order_id = attemptId(link.order.order_id, attempt)
  try {
    await cancelPayment(moneyConfig(scope.env, scope.fetch), { order_id })
    return true
  } catch (error) {
    if (isApiError(error)) return false
    throw error
  }
}

/** The latest attempt whose payment exists; one that was announced may never have been created. */
export async function latestPayment(order: LinkedOrder, attempts = 1): Promise<{ attempt: number; status: unknown }> {
  const { scope, link } = order
  const { order_id } = link.order
  for (let attempt = await latestAttempt(scope.store, order_id, attempts); ; attempt--) {
    const known = await getStatus(scope.store, attemptId(order_id, attempt))
    const status = known?.status ?? (await askStatus(order, attempt))
    if (status !== undefined || attempt <= attempts) return { attempt, status }
  }
}

/** What was asked for, as it is compared with what is paid. */
export function expectedOf({ order, reference }: CheckoutLink): ExpectedOrder {
  const { amount, currency } = order
  const recurring = (order as { init_recurring?: { amount?: number } }).init_recurring
  return {
    amount,
    currency,
    ...(recurring && { recurring_amount: recurring.amount ?? amount }),
    ...(reference !== undefined && { reference }),
  }
}

/** Records where the customer pays. A failing write must not keep the customer from it: a later visit asks the service. */
export async function remember(
  { scope, link, path }: LinkedOrder,
  rest: Pick<CheckoutRecord, 'attempts' | 'url'> & { expires_at?: number },
): Promise<void> {
  const { order_id } = link.order
  const since = scope.now()
  try {
    await scheduleErasure(scope, order_id)
    await Promise.all([
      watch(scope, { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true }),
      putCheckout(scope.store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest }),
      refer(scope, link, order_id),
    ])
    await scope.row.touch(order_id, since)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    logError('checkout_not_recorded', { order_id })
  }
}

/** Records that the n-th attempt belongs to a link's order, before its payment is created. */
export async function announce({ scope, link, path }: LinkedOrder, attempt: number): Promise<void> {
  const { order_id } = link.order
  const next_id = attemptId(order_id, attempt)
  if ((await getCheckout(scope.store, next_id)) !== undefined) return
  await putCheckout(scope.store, next_id, { ...recordOfLink(link, path), attempts: 1, replaces: order_id })
  await refer(scope, link, next_id)
}

/** Records that the payment is cancelled because its link has expired. @returns False while another link leads to it. */
export async function expire({ scope, link, path }: LinkedOrder, attempts: number): Promise<boolean> {
  const { order_id } = link.order
  const checkout = (await getCheckout(scope.store, order_id)) ?? { ...recordOfLink(link, path), attempts }
  if (checkout.expires_at > scope.now()) return false
  await putCheckout(scope.store, order_id, { ...checkout, expired: true })
  return true
}

/** Lets the order be found by its reference. Only a search depends on it. */
async function refer(scope: OrderScope, { reference }: CheckoutLink, order_id: string): Promise<void> {
  if (reference === undefined) return
  try {
    await putReference(scope.kv, reference, order_id, scope.now())
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    logError('reference_not_recorded', { order_id })
  }
}

/** The record of a link that was opened. */
function recordOfLink(link: CheckoutLink, path: string): Omit<CheckoutRecord, 'attempts'> {
  const { amount, currency, method, description, customer_email, customer_lang } = link.order
  const email = link.customerEmail ?? customer_email
  return {
    ...expectedOf(link),
    amount,
    currency,
    method,
    description,
    origin: link.origin,
    link: path,
    expires_at: link.expiresAt,
    ...(email !== undefined && { customer_email: email }),
    ...(customer_lang !== undefined && { lang: customer_lang }),
  }
}
