import type { Context } from '../context.ts'
import { addOperation, authorizedAmount, sumOf } from '../domain/operations.ts'
import { createOrder } from '../domain/payments.ts'
import { cancelSubscription } from '../domain/subscriptions.ts'
import { announce, conclude } from '../domain/transitions.ts'
import { toMinor, toUnits } from '../state/accounts.ts'
import { findCard } from '../state/cards.ts'
import type { Operation, Order, Payment } from '../state/state.ts'

/** A payment that the merchant did not create through an endpoint of the API document: only its webhook is documented. */
export interface OtherPayment {
  method: 'credit' | 'p2p' | 'lookup'
  order_id: string
  /** In units of the currency. */
  amount: number
  /** ISO 4217. */
  currency: string
  server_url?: string
}

/** What happens to payments beside the documented requests: by support, by the portal, by undocumented endpoints. */
export interface PortalActions {
  /** Voids a whole authorization. @throws {TypeError} unless it is a successful `auth` of which nothing was captured. */
  voidPayment(orderId: string): Operation
  /** Refunds what was paid, or `amount` of it. @throws {TypeError} when less than that was paid or captured. */
  refundPayment(orderId: string, amount?: number): Operation
  /** Increases an authorization. @throws {TypeError} unless it is a successful `auth` that was not voided. */
  incrementAuth(orderId: string, amount: number): Operation
  /** Ends a subscription. @throws {TypeError} when the order has none. */
  cancelRecurring(orderId: string): void
  /** Makes a successful payment of another primary method, with its webhook. @throws {TypeError} when the order_id is taken. */
  createPayment(input: OtherPayment): Payment
}

export function createPortalActions(context: Context): PortalActions {
  const find = (orderId: string): Order => {
    const order = context.state.orders.get(orderId)
    if (order === undefined) throw new TypeError(`No order has the order_id ${orderId}.`)
    return order
  }
  const authorization = (orderId: string): Order => {
    const order = find(orderId)
    const { method, status } = order.payments[0]
    if (method !== 'auth' || status !== 'success')
      throw new TypeError(`Order ${orderId} is not an authorized payment (method ${method}, status ${status}).`)
    if (sumOf(order, 'void') > 0) throw new TypeError(`The authorization of order ${orderId} was voided.`)
    return order
  }
  // No request of these operations names a destination, so they go where the first payment's webhooks went.
  const url = (order: Order): string | null => (order.request.server_url as string | undefined) ?? null
  const checkAmount = (amount: number): number => {
    const wrong = context.rules.types.amount(amount)
    if (wrong !== undefined) throw new TypeError(`amount ${wrong}.`)
    return amount
  }

  return {
    voidPayment(orderId) {
      const order = authorization(orderId)
      if (sumOf(order, 'capture') > 0) throw new TypeError(`Cannot void order ${orderId}: part of it was captured.`)
      return addOperation(context, order, {
        method: 'void',
        amount: toUnits(authorizedAmount(order)),
        server_url: url(order),
      })
    },
    refundPayment(orderId, amount) {
      const order = find(orderId)
      const left = paid(order) - sumOf(order, 'refund')
      const asked = amount === undefined ? left : toMinor(checkAmount(amount))
      if (asked <= 0 || asked > left)
        throw new TypeError(`Cannot refund ${toUnits(asked)}: order ${orderId} has ${toUnits(left)} left to refund.`)
      return addOperation(context, order, { method: 'refund', amount: toUnits(asked), server_url: url(order) })
    },
    incrementAuth(orderId, amount) {
      const order = authorization(orderId)
      return addOperation(context, order, {
        method: 'auth_increment',
        amount: checkAmount(amount),
        server_url: url(order),
      })
    },
    cancelRecurring(orderId) {
      const order = find(orderId)
      if (order.subscription === undefined) throw new TypeError(`Order ${orderId} is not recurring.`)
      cancelSubscription(context, order)
    },
    createPayment({ amount, ...input }) {
      if (context.state.orders.has(input.order_id)) throw new TypeError(`order_id ${input.order_id} was used before.`)
      const pos_id = context.options.credentials.posId
      const body = {
        pos_id,
        mode: 'direct',
        description: `Emulated ${input.method}`,
        amount: checkAmount(amount),
        ...input,
      }
      const order = createOrder(context, body, false)
      conclude(context, order, order.payments[0], findCard(''))
      announce(context, order, order.payments[0])
      return structuredClone(order.payments[0])
    },
  }
}

/** What the customer has paid, in minor units. */
function paid(order: Order): number {
  const { method, status } = order.payments[0]
  if (method === 'auth') return sumOf(order, 'capture')
  if (method !== 'purchase' || status !== 'success') return 0
  return order.payments
    .filter((payment) => payment.status === 'success')
    .reduce((sum, payment) => sum + toMinor(payment.processed_amount ?? payment.amount), 0)
}
