import type { Context } from '../context.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { report } from '../lib/log.ts'
import type { CheckoutLink } from '../sdk.ts'
import { attemptId, type CheckoutRecord, getCheckout, putCheckout } from '../store/checkouts.ts'
import { StorageError } from '../store/kv.ts'
import { putReference } from '../store/order-index.ts'
import { keepFor } from './erase-personal-data.ts'
import { watch } from './schedule.ts'

/** A link that is being opened. */
interface Opened {
  context: Context
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

/** Keeps where the customer pays. A write that fails must not keep them from it: a later opening asks the service. */
export async function remember(
  { context, link, path }: Opened,
  rest: Pick<CheckoutRecord, 'attempts' | 'url'> & { expires_at?: number },
): Promise<void> {
  const { order_id } = link.order
  const since = context.now()
  try {
    await keepFor(context, order_id)
    const row = { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true } as const
    const watched = watch(context, row)
    // Over KV alone, only what is watched is removed after RETENTION_DAYS where nobody pays.
    if (!context.tasks) await watched
    await Promise.all([
      watched,
      putCheckout(context.store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest }),
      refer(context, link, order_id),
    ])
    await context.rows?.touch(order_id, since)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report('checkout_not_recorded', { order_id })
  }
}

/** Records that the n-th attempt belongs to a link's order, before its payment is created. */
export async function announce({ context, link, path }: Opened, attempt: number): Promise<void> {
  const { order_id } = link.order
  const next_id = attemptId(order_id, attempt)
  if ((await getCheckout(context.store, next_id)) !== undefined) return
  await putCheckout(context.store, next_id, { ...recordOfLink(link, path), attempts: 1, replaces: order_id })
  await refer(context, link, next_id)
}

/** Records that the payment is cancelled because its link has expired. @returns False while another link leads to it. */
export async function expire({ context, link, path }: Opened, attempts: number): Promise<boolean> {
  const { order_id } = link.order
  const checkout = (await getCheckout(context.store, order_id)) ?? { ...recordOfLink(link, path), attempts }
  if (checkout.expires_at > context.now()) return false
  await putCheckout(context.store, order_id, { ...checkout, expired: true })
  return true
}

/** Lets the order be found by its reference, which nothing but a search depends on. */
async function refer(context: Context, { reference }: CheckoutLink, order_id: string): Promise<void> {
  if (reference === undefined) return
  try {
    await putReference(context.store, reference, order_id, context.now())
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report('reference_not_recorded', { order_id })
  }
}

/** What is kept of a link that was opened. */
function recordOfLink(link: CheckoutLink, path: string): Omit<CheckoutRecord, 'attempts'> {
  const { amount, currency, method, customer_email, customer_lang } = link.order
  const email = link.customerEmail ?? customer_email
  return {
    ...expectedOf(link),
    amount,
    currency,
    method,
    origin: link.origin,
    link: path,
    expires_at: link.expiresAt,
    ...(email !== undefined && { customer_email: email }),
    ...(customer_lang !== undefined && { lang: customer_lang }),
  }
}
