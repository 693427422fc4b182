import type { Context } from '../context.ts'
import { createOrder } from '../domain/payments.ts'
import { increment, refund, voidAuthorization } from '../domain/secondary.ts'
import { cancelSubscription } from '../domain/subscriptions.ts'
import { announce, conclude } from '../domain/transitions.ts'
import { Problem } from '../http/problem.ts'
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
  const checkAmount = (amount: number): number => {
    const wrong = context.rules.types.amount(amount)
    if (wrong !== undefined) throw new TypeError(`amount ${wrong}.`)
    return amount
  }

  return {
    voidPayment: (orderId) => carryOut(() => voidAuthorization(context, find(orderId), {})),
    refundPayment(orderId, amount) {
      const asked = amount === undefined ? {} : { amount: checkAmount(amount) }
      return carryOut(() => refund(context, find(orderId), asked))
    },
    incrementAuth: (orderId, amount) =>
      carryOut(() => increment(context, find(orderId), { amount: checkAmount(amount) })),
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

/** Runs an operation of the domain; what it rejects is a `TypeError` here. The result is a copy. */
function carryOut(operation: () => Operation): Operation {
  try {
    return structuredClone(operation())
  } catch (error) {
    throw error instanceof Problem ? new TypeError(error.message) : error
  }
}
