import type { Context } from '../context.ts'
import { clientConfig, moneyConfig } from '../env.ts'
import { type CheckoutLink, cancelPayment, isApiError, recordOf, resendWebhook, type WebhookEvent } from '../sdk.ts'
import { attemptId, latestAttempt } from '../store/checkouts.ts'
import { getStatus } from '../store/order.ts'
import { receiveResent } from './process-event.ts'
import { expectedOf } from './remember-link.ts'

/** The order of a link: each attempt at paying it is one payment at the service. */
interface LinkedOrder {
  context: Context
  link: CheckoutLink
}

/**
 * Asks the service for the status of the n-th attempt's payment, and takes in what it says.
 * @returns Undefined when the service does not know the order; null when the response has no status.
 */
export async function askStatus({ context, link }: LinkedOrder, attempt: number): Promise<unknown> {
  const { env, fetch } = context
  const order_id = attemptId(link.order.order_id, attempt)
  let event: WebhookEvent
  try {
    event = await resendWebhook(clientConfig(env, fetch), { order_id, operation: link.order.method })
  } catch (error) {
    if (!(isApiError(error) && error.status === 404)) throw error
    return undefined
  }
  await receiveResent(context, event, { expected: expectedOf(link) })
  return recordOf(event).status ?? null
}

/** Cancels the n-th attempt's payment. @returns False where it was paid or cancelled at this moment. */
export async function cancel({ context, link }: LinkedOrder, attempt: number): Promise<boolean> {
  const order_id = attemptId(link.order.order_id, attempt)
  try {
    await cancelPayment(moneyConfig(context.env, context.fetch), { order_id })
    return true
  } catch (error) {
    if (isApiError(error)) return false
    throw error
  }
}

/** The latest attempt whose payment exists; one that was announced may never have been created. */
export async function latestPayment(order: LinkedOrder, attempts = 1): Promise<{ attempt: number; status: unknown }> {
  const { context, link } = order
  const { order_id } = link.order
  for (let attempt = await latestAttempt(context.store, order_id, attempts); ; attempt--) {
    const known = await getStatus(context.store, attemptId(order_id, attempt))
    const status = known?.status ?? (await askStatus(order, attempt))
    if (status !== undefined || attempt <= attempts) return { attempt, status }
  }
}
