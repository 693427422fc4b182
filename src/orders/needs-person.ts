import { ConfigError } from '../errors.ts'
import type { Order } from './order.ts'

/**
 * Whether a person should look at an order before anything is shipped or paid back: whether it has a flag other than
 * `paid_after_failure`, which only informs that an earlier try to pay failed. guides/receivers.md explains each flag.
 *
 * @param order The result of {@link foldOrder}.
 * @throws {ConfigError} for anything without flags.
 * @example
 * import { foldOrder, needsPerson } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * function mayShip(events: WebhookEvent[]): boolean {
 *   const order = foldOrder(events, { amount: 100.5, currency: 'UAH' })
 *   return !needsPerson(order) && order.totals.captured_minor - order.totals.refunded_minor >= 10_050
 * }
 */
export function needsPerson(order: Pick<Order, 'flags'>): boolean {
  if (!Array.isArray(order?.flags)) throw new ConfigError('order', 'needsPerson takes what foldOrder returned.')
  return order.flags.some((flag) => flag !== 'paid_after_failure')
}
