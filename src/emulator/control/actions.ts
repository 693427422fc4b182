import * as v from 'valibot'
import type { Context } from '../context.ts'
import { expire, type WhatExpires } from '../domain/expiry.ts'
import { chargeNow, concludeLatest } from '../domain/manual-operations.ts'
import { cancelPayment, createOrder } from '../domain/payments.ts'
import { capture, increment, refund, voidAuthorization } from '../domain/secondary.ts'
import { cancelSubscription } from '../domain/subscriptions.ts'
import { announce, conclude } from '../domain/transitions.ts'
import { Problem } from '../http/problem.ts'
import { validate } from '../http/validate.ts'
import { amount, fields, InputError, oneOf, parseInput, statusCode, text } from '../parse-input.ts'
import { OTHER_PAYMENT } from '../spec/parameters.ts'
import { findCard } from '../state/cards.ts'
import type { Operation, Order, Payment } from '../state/state.ts'

/** How an action ends, in place of what the card decides: 1xxx success, 2xxx and 9000 pending, every other code failure. */
export interface ActionOutcome {
  status_code?: string | undefined
}

/** A payment that the merchant did not create through an endpoint of the API document: only its webhook is documented. */
export interface OtherPayment extends ActionOutcome {
  method: 'credit' | 'p2p' | 'lookup'
  order_id: string
  /** In units of the currency. */
  amount: number
  /** ISO 4217. */
  currency: string
  server_url?: string
}

/**
 * What is done to payments by hand: in the merchant's portal, by support, by the customer's bank. Each method throws a
 * `TypeError` when the order does not exist or its state does not allow the action.
 */
export interface PortalActions {
  /** Captures what is left of an authorization, or `amount` of it. */
  capturePayment(orderId: string, amount?: number, outcome?: ActionOutcome): Operation
  /** Voids a whole authorization, of which nothing was captured. */
  voidPayment(orderId: string, outcome?: ActionOutcome): Operation
  /** Refunds what is left of what was paid, or `amount` of it; of a subscription, its latest charge or the named one. */
  refundPayment(
    orderId: string,
    amount?: number,
    outcome?: ActionOutcome & { transaction_id?: string | undefined },
  ): Operation
  /** Increases an authorization. */
  incrementAuth(orderId: string, amount: number, outcome?: ActionOutcome): Operation
  /** Makes a scheduled charge of an active subscription now. */
  chargeRecurring(orderId: string, outcome?: ActionOutcome): Payment
  /** Cancels a hosted payment that was not paid. */
  cancelPayment(orderId: string): Payment
  /** Ends a subscription. */
  cancelRecurring(orderId: string): void
  /** Ends a pending payment or operation with a status code: the one with this id, or the latest. */
  conclude(orderId: string, statusCode: string, id?: string): Payment | Operation
  /** Lets an open checkout, a 3-D Secure page, an authorization or the order's card token expire. */
  expire(orderId: string, what: WhatExpires): void
  /** Makes a payment of another primary method, with its webhook. The order_id must be new. */
  createPayment(input: OtherPayment): Payment
}

/** What `expire` takes. */
export const whatExpires: v.GenericSchema<unknown, WhatExpires> = oneOf('thing that expires', [
  'checkout',
  '3ds',
  'authorization',
  'token',
] as const)

/** What `createPayment` takes, but for the rules of the API document. */
export const otherPayment: v.GenericSchema = fields('payment', {
  method: oneOf('method', ['credit', 'p2p', 'lookup'] as const),
  order_id: v.pipe(text, v.maxLength(256, 'must have at most 256 characters.')),
  amount,
  currency: text,
  server_url: v.optional(text),
  status_code: v.optional(statusCode),
})

const OUTCOME_ENTRIES = { status_code: v.optional(statusCode) }
const OUTCOME = fields('outcome', OUTCOME_ENTRIES)
const REFUND_OUTCOME = fields('outcome', { ...OUTCOME_ENTRIES, transaction_id: v.optional(text) })
const CONCLUSION = v.object({ status_code: statusCode })

export function createPortalActions(context: Context): PortalActions {
  const find = (orderId: string): Order => {
    const order = context.state.orders.get(orderId)
    if (order === undefined) throw new InputError(`No order has the order_id ${JSON.stringify(orderId)}.`)
    return order
  }
  const checked = (amount: number | undefined): { amount?: number } => {
    if (amount === undefined) return {}
    const wrong = context.rules.types.amount(amount)
    if (wrong !== undefined) throw new InputError(`amount ${wrong}.`)
    return { amount }
  }

  return {
    capturePayment: (orderId, amount, outcome) =>
      carryOut(() => {
        const order = find(orderId)
        // An action by hand has no request with a server_url: its webhook goes where the payment's go.
        return capture(context, order, {
          ...checked(amount),
          ...outcomeOf(outcome),
          server_url: order.request.server_url,
        })
      }),
    voidPayment: (orderId, outcome) => carryOut(() => voidAuthorization(context, find(orderId), outcomeOf(outcome))),
    refundPayment: (orderId, amount, outcome) =>
      carryOut(() => {
        const { status_code, transaction_id } = parseInput(REFUND_OUTCOME, outcome ?? {})
        const named = transaction_id === undefined ? {} : { transaction_id }
        return refund(context, find(orderId), { ...checked(amount), status_code, ...named })
      }),
    incrementAuth: (orderId, amount, outcome) =>
      carryOut(() => increment(context, find(orderId), { ...checked(amount), amount, ...outcomeOf(outcome) })),
    chargeRecurring: (orderId, outcome) =>
      carryOut(() => chargeNow(context, find(orderId), outcomeOf(outcome).status_code)),
    cancelPayment: (orderId) =>
      carryOut(() => {
        const order = find(orderId)
        cancelPayment(context, order)
        return order.payments[0]
      }),
    cancelRecurring(orderId) {
      const order = find(orderId)
      if (order.subscription === undefined) throw new InputError(`Order ${orderId} is not recurring.`)
      cancelSubscription(context, order)
    },
    conclude: (orderId, code, id) =>
      carryOut(() => {
        const { status_code } = parseInput(CONCLUSION, { status_code: code })
        return concludeLatest(context, find(orderId), status_code, id)
      }),
    expire: (orderId, what) => carryOut(() => expire(context, find(orderId), parseInput(whatExpires, what))),
    createPayment: (payment) =>
      carryOut(() => {
        const { status_code, ...input } = parseInput(otherPayment, payment) as OtherPayment
        const { server_url = null } = input
        const [wrong] = validate(context.rules, OTHER_PAYMENT, { ...input })
        if (wrong !== undefined) throw new InputError(`${wrong.field_name} ${wrong.violation}.`)
        const { posId: pos_id } = context.options.credentials
        const { method, order_id, amount, currency } = input
        const description = `Emulated ${method}`
        const body = { pos_id, mode: 'direct', description, method, order_id, amount, currency, server_url }
        const order = createOrder(context, body, false)
        conclude(context, order, order.payments[0], findCard(''), status_code)
        announce(context, order, order.payments[0])
        return order.payments[0]
      }),
  }
}

function outcomeOf(outcome: ActionOutcome | undefined): { status_code?: string | undefined } {
  const { status_code } = parseInput(OUTCOME, outcome ?? {})
  return status_code === undefined ? {} : { status_code }
}

/** Runs an action of the domain; what it rejects is a `TypeError` here. The result is a copy. */
function carryOut<T>(action: () => T): T {
  try {
    return structuredClone(action())
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const violations = Array.isArray(error.args) ? error.args.map((one) => `${one.field_name} ${one.violation}`) : []
    throw new InputError(error.message === 'Invalid parameters' ? violations.join('; ') : error.message)
  }
}
