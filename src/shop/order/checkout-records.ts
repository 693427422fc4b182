import type { CheckoutLink } from '../../checkout-link/index.ts'
import { askedFor } from '../../orders/order.ts'
import { attemptId } from '../lib/attempt-id.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { logError } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import { type CheckoutRecord, getCheckout, putCheckout } from './checkouts.ts'
import { touch } from './published.ts'
import { scheduleErasure } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import { watch } from './watchlist.ts'

/** The order of a link: each attempt at paying it is one payment at the service. */
export interface LinkedOrder {
  scope: OrderScope
  link: CheckoutLink
  /** The link's own path. */
  path: string
}

/** The request, as it is compared with the payment. */
export const expectedOf = ({ order, reference }: CheckoutLink): ExpectedOrder & ReturnType<typeof askedFor> => ({
  ...askedFor(order),
  ...(reference !== undefined && { reference }),
})

/** Records where the customer pays. A failing write must not keep the customer from it: a later visit asks the service. */
export async function remember(
  { scope, link, path }: LinkedOrder,
  rest: Pick<CheckoutRecord, 'attempts' | 'url'> & { expires_at?: number },
): Promise<void> {
  const { order_id } = link.order
  const { store } = scope
  const since = store.now()
  try {
    await scheduleErasure(scope, order_id)
    // First: what is recorded is not watched anew by the next visit.
    await watch(store, { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true })
    store.atomically(() => {
      putCheckout(store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest })
      touch(store, order_id)
    })
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    logError('checkout_not_recorded', { order_id })
  }
}

/** Records that the n-th attempt belongs to a link's order, before its payment is created. */
export function announce({ scope, link, path }: LinkedOrder, attempt: number): void {
  const { order_id } = link.order
  const next_id = attemptId(order_id, attempt)
  if (getCheckout(scope.store, next_id) !== undefined) return
  putCheckout(scope.store, next_id, { ...recordOfLink(link, path), attempts: 1, replaces: order_id })
}

/** Records that the payment is cancelled because its link has expired. */
export function expire({ scope, link, path }: LinkedOrder, attempts: number): void {
  const { order_id } = link.order
  const checkout = getCheckout(scope.store, order_id) ?? { ...recordOfLink(link, path), attempts }
  putCheckout(scope.store, order_id, { ...checkout, expired: true })
}

/** The record of a link that was opened. */
function recordOfLink(link: CheckoutLink, path: string): Omit<CheckoutRecord, 'attempts'> {
  const { method, description, customer_email, customer_lang } = link.order
  const { customer_fname, customer_lname, customer_phone } = link.order
  const name = [customer_fname, customer_lname].filter(Boolean).join(' ')
  const email = link.customerEmail ?? customer_email
  return {
    ...expectedOf(link),
    method,
    description,
    origin: link.origin,
    link: path,
    expires_at: link.expiresAt,
    ...(name !== '' && { customer_name: name }),
    ...(customer_phone != null && { customer_phone }),
    ...(email !== undefined && { customer_email: email }),
    ...(customer_lang !== undefined && { lang: customer_lang }),
  }
}
