import type { Context } from '../context.ts'
import { Problem } from '../http/problem.ts'
import { findCard } from '../state/cards.ts'
import type { Operation, Order, Payment } from '../state/state.ts'
import { followUp } from './expiry.ts'
import { concludeOperation } from './operations.ts'
import { charge } from './subscriptions.ts'
import { announce, conclude } from './transitions.ts'

/** @throws {Problem} unless the order has an active subscription. */
export function chargeNow(context: Context, order: Order, code: string | undefined): Payment {
  const { subscription } = order
  if (subscription?.status !== context.rules.statuses.recurringActive) {
    throw new Problem(400, `Order ${order.order_id} has no active subscription.`, [])
  }
  return charge(context, order, 0, code)
}

/** Ends a pending payment or operation: by its id, or the latest. @throws {Problem} when nothing is pending. */
export function concludeLatest(context: Context, order: Order, code: string, id?: string): Payment | Operation {
  const operation = [...order.operations]
    .reverse()
    .find((one) => one.status === 'pending' && [undefined, one.operation_id].includes(id))
  if (operation !== undefined) {
    concludeOperation(context, order, operation, code)
    return operation
  }
  const payment = [...order.payments]
    .reverse()
    .find((one) => one.status === 'pending' && [undefined, one.payment_id, one.transaction_id].includes(id))
  if (payment === undefined) throw new Problem(400, `Order ${order.order_id} has nothing pending.`, [])
  conclude(context, order, payment, findCard(order.card ?? ''), code)
  if (payment === order.payments[0]) followUp(context, order)
  else announce(context, order, payment)
  return payment
}
