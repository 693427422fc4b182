import type { EventCopy } from '../schemas/event.ts'
import { type EventSummary, readFields } from './summary.ts'

/** An amount with its currency. */
export interface Paid {
  /** In the currency's unit. */
  amount: number
  /** ISO 4217. */
  currency: string
}

/**
 * The money that a customer actually paid with an event's operation: `processed_amount` and `processed_currency` if the
 * event has them, else `amount` and `currency`. If the payer may change the amount, `amount` is only the requested
 * amount.
 *
 * Only a successful `purchase` or `capture` is paid money. For any other event the result is undefined: a declined or
 * pending payment, an authorization, a refund, or an event without a usable amount.
 *
 * @param event An event of `onEvent`, or its copy (JSON, `structuredClone`, a queue).
 * @throws {ConfigError} as {@link eventKey}, for a copy that has lost a field.
 * @example
 * import { needsPerson, type Order, paidOf } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * function thank(event: WebhookEvent, order: Order): string | undefined {
 *   const paid = paidOf(event)
 *   return paid && !needsPerson(order) ? `Thank you: ${paid.amount} ${paid.currency} paid.` : undefined
 * }
 */
export function paidOf(event: EventCopy): Paid | undefined {
  const fields = readFields(event)
  return fields.method === 'auth' ? undefined : movedBy(fields)
}

/** {@link paidOf} for a summary, or the money that a successful authorization holds. */
export function movedBy(summary: Omit<EventSummary, 'id'>): Paid | undefined {
  const { method = '', status, unusable, processed_amount, processed_currency } = summary
  if (unusable || status !== 'success' || !/^(purchase|capture|auth)$/.test(method)) return undefined
  const [amount, currency] = [processed_amount ?? summary.amount, processed_currency ?? summary.currency]
  return isAmount(amount) && currency !== undefined ? { amount, currency } : undefined
}

/** Above this, hundredths are no longer exact. */
const MAX_AMOUNT = Number.MAX_SAFE_INTEGER / 100

/** Whether an amount can be added up. */
export const isAmount = (value: number | undefined): value is number =>
  value !== undefined && value >= 0 && value <= MAX_AMOUNT
