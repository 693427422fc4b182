import type { CheckoutLink } from '../../checkout-link/index.ts'
import { attemptId } from '../lib/attempt-id.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { logError } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import { type CheckoutRecord, getCheckout, putCheckout, putRevocation } from './checkouts.ts'
import { touch } from './published.ts'
import { scheduleErasure, watch } from './schedule.ts'
import type { OrderScope } from './scope.ts'

/** The order of a link: each attempt at paying it is one payment at the service. */
export interface LinkedOrder {
  scope: OrderScope
  link: CheckoutLink
  /** The link's own path. */
  path: string
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
    // First: what is recorded is not watched anew by the next visit.
    await watch(scope, { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true })
    await putCheckout(scope.store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest })
    await scope.store.writeDue(since, () => touch(scope.store, order_id, since))
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
}

/** Records that the payment is cancelled because its link has expired. */
export async function expire({ scope, link, path }: LinkedOrder, attempts: number): Promise<void> {
  const { order_id } = link.order
  const checkout = (await getCheckout(scope.store, order_id)) ?? { ...recordOfLink(link, path), attempts }
  await putCheckout(scope.store, order_id, { ...checkout, expired: true })
}

/** The record of a link that was opened. */
function recordOfLink(link: CheckoutLink, path: string): Omit<CheckoutRecord, 'attempts'> {
  const { amount, currency, method, description, customer_email, customer_lang } = link.order
  const { customer_fname, customer_lname } = link.order
  const name = [customer_fname, customer_lname].filter(Boolean).join(' ')
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
    ...(name !== '' && { customer_name: name }),
    ...(email !== undefined && { customer_email: email }),
    ...(customer_lang !== undefined && { lang: customer_lang }),
  }
}

/** Revokes one link of an order. @returns Whether a link of the order was opened before. */
export async function revokeLink(
  { store, now }: OrderScope,
  order_id: string,
  { nonce, expiresAt }: { nonce: string; expiresAt: number },
): Promise<{ opened: boolean }> {
  await putRevocation(store, nonce, { at: now(), expiresAt })
  return { opened: (await getCheckout(store, order_id)) !== undefined }
}
