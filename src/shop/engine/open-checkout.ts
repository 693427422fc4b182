// A link leads to one payment, however often it is opened, and by however many people.

import type { CheckoutLink } from '../../checkout-link/index.ts'
import { isApiError, isInvalidInputError } from '../../errors.ts'
import type { CreatePaymentInput } from '../../operations/create-payment.ts'
import { attemptId } from '../../orders/attempt-id.ts'
import { buyerOf } from '../../orders/listed-order.ts'
import { expectedPayment } from '../../orders/order.ts'
import { cancelOrder as cancelInTill, closeOrder, type LinkVisit, openLink } from '../../till/open-payment.ts'
import type { CheckoutAnswer } from '../../till/protocol-checkout.ts'
import { customerDefaults } from '../env.ts'
import { later } from '../later.ts'
import { type ExpectedOrder, resultLink, webhookAddress } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import type { CheckoutPage } from '../lib/shown-order.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import type { Scope } from '../scope.ts'
import { reportRejected } from './attention.ts'
import { publish } from './publish.ts'
import { isRevoked } from './revoked.ts'

/** The result of opening a link: a redirect to the payment or to its result, or the page to show. */
export type Opening =
  | { kind: 'redirect'; url: string }
  | { kind: Exclude<CheckoutAnswer['kind'], 'redirect' | 'result' | 'cancelled' | 'rejected' | 'link_closed'> }

const expectedOf = ({ order, reference }: CheckoutLink): ExpectedOrder & ReturnType<typeof expectedPayment> => ({
  ...expectedPayment(order),
  ...(reference !== undefined && { reference }),
})

/** Brings a link's customer to the existing checkout, or creates it. */
export async function openCheckout(
  scope: Scope,
  { link, path }: { link: CheckoutLink; path: string },
): Promise<Opening> {
  const { order_id } = link.order
  try {
    const visit = visitOf(scope, link, path)
    const { answer, error, isRejected } = await openLink(scope.till, order_id, visit)
    if (isRejected) return await rejected(scope, link, error)
    if (answer.kind === 'failed') logError('checkout_not_opened', { order_id, ...describeError(error) })
    if (answer.kind === 'result') return { kind: 'redirect', url: await resultOf(scope, link, answer.attempt) }
    return answer as Opening
  } catch (error) {
    logError('checkout_not_opened', { order_id, ...describeError(error) })
    return { kind: 'failed' }
  }
}

async function rejected(scope: Scope, link: CheckoutLink, error: unknown): Promise<Opening> {
  const fields = fieldsOf(error) ?? []
  logError('checkout_not_opened', { order_id: link.order.order_id, ...describeError(error), fields: fieldsOf(error) })
  await reportRejected(scope, link, fields).catch(ignoreOutage)
  // Its customer's next press makes another order, which may be accepted by then.
  if (link.reusable) await closeOrder(scope.till, link.order.order_id).catch(ignoreOutage)
  return { kind: 'unusable' }
}

function visitOf(scope: Scope, link: CheckoutLink, path: string): LinkVisit {
  const { env } = scope
  const { origin, order, customerEmail, reference } = link
  const email = customerEmail ?? order.customer_email
  const { description, customer_lang: lang } = order
  return {
    terms: { ...expectedPayment(order), method: order.method },
    buyer: { ...buyerOf({ ...order }, reference), ...(email != null && { email }) },
    page: { link: path, origin, lang, description } satisfies CheckoutPage,
    expires_at: link.expiresAt,
    isRevoked: () => isRevoked(scope, path),
    async inputOf(order_id) {
      const { server_url = await webhookAddress(origin, order_id, expectedOf(link), env.LINK_SECRET) } = order
      const { result_url = await resultLink(origin, order_id, env.LINK_SECRET) } = order
      return { ...customerDefaults(env), ...order, order_id, server_url, result_url } as CreatePaymentInput
    },
  }
}

const resultOf = async ({ env }: Scope, { order, origin }: CheckoutLink, attempt: number): Promise<string> =>
  order.result_url ?? (await resultLink(origin, attemptId(order.order_id, attempt), env.LINK_SECRET))

/** Cancels the open payment of an order, and closes its link. @param named The order, or an attempt at paying it. */
export async function cancelOrder(scope: Scope, named: string): Promise<Record<string, unknown>> {
  const { answer, error, cancelled, order_id } = await cancelInTill(scope.till, named)
  if (answer.kind !== 'cancelled' && answer.kind !== 'link_closed') throw error
  later(scope, 'order_not_published', order_id, () => publish(scope, order_id))
  if (answer.kind === 'cancelled') return { ...cancelled }
  return { order_id, link: 'closed' }
}

/** The names of the wrong fields, never their values. */
function fieldsOf(error: unknown): string[] | undefined {
  if (isInvalidInputError(error)) return error.issues.map(({ path }) => path)
  // The service's text: anything but a name may repeat a customer's input.
  const isName = (text: string) => /^[a-z_][\w.[\]]{0,63}$/i.test(text)
  return isApiError(error) ? error.violations.map(({ field_name }) => field_name).filter(isName) : undefined
}
