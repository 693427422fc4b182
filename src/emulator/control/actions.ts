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

/** How an action ends, in place of the card's result: 1xxx success, 2xxx and 9000 pending, every other code failure. */
export interface ActionOutcome {
  status_code?: string | undefined
}

/**
 * A payment that the merchant did not create through an endpoint of the API document: only its webhook is documented.
 */
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
 * Changes to payments by hand: in the merchant's portal, by support, by the customer's bank. Each method throws a
 * `TypeError` when the order does not exist or its state does not allow the action.
 */
export interface PortalActions {
  /** Captures `amount`, or the rest of an authorization. */
  capturePayment(orderId: string, amount?: number, outcome?: ActionOutcome): Operation
  /** Voids a whole authorization, of which nothing was captured. */
  voidPayment(orderId: string, outcome?: ActionOutcome): Operation
  /** Refunds `amount`, or the rest of the payment; of a subscription, its latest or the named charge. */
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
  /** Ends a pending payment or operation with a status code: by its id, or the latest. */
  conclude(orderId: string, statusCode: string, id?: string): Payment | Operation
  /** Lets an open checkout, a 3-D Secure page, an authorization or the order's card token expire. */
  expire(orderId: string, what: WhatExpires): void
  /** Makes a payment of another primary method, with its webhook. The order_id must be new. */
  createPayment(input: OtherPayment): Payment
}

/** One action by hand: a row of the control API, of `emulator.control`, of the forms and of a seed file's steps. */
export interface Action {
  name: string
  does: string
  input: v.GenericSchema & { entries: v.ObjectEntries }
  example: Record<string, unknown>
  /**
   * Its method in `emulator.control`, and the fields that are arguments there; the others are members of its last
   * argument.
   */
  method: keyof PortalActions
  args: readonly string[]
  /** Acts on the order that `order_id` names. Returns the response of the control API. */
  run(context: Context, order: Order, input: never): unknown
}

function action<E extends v.ObjectEntries>(
  name: string,
  [method, ...args]: readonly [keyof PortalActions, ...string[]],
  does: string,
  entries: E,
  example: Record<string, unknown>,
  run: (context: Context, order: Order, input: v.InferOutput<v.ObjectSchema<E, undefined>>) => unknown,
): Action {
  const input = fields(name, { order_id: text, ...entries }) as unknown as Action['input']
  return { name, does, input, example, method, args: ['order_id', ...args], run: run as Action['run'] }
}

const ends = { status_code: v.optional(statusCode) }
const part = { amount: v.optional(amount), ...ends }

export const ACTIONS: readonly Action[] = [
  action(
    'capture',
    ['capturePayment', 'amount'],
    'Captures an authorization.',
    part,
    { order_id: 'A-1', amount: 20 },
    // An action by hand has no request with a server_url: its webhook goes to the payment's address.
    (context, order, input) => capture(context, order, { ...input, server_url: order.request.server_url }),
  ),
  action('void', ['voidPayment'], 'Voids an authorization.', ends, { order_id: 'A-1' }, voidAuthorization),
  action(
    'refund',
    ['refundPayment', 'amount'],
    'Refunds what was paid, or part of it. `transaction_id` names one charge of a subscription.',
    { ...part, transaction_id: v.optional(text) },
    { order_id: 'A-1', amount: 50.25 },
    (context, order, { transaction_id, ...input }) =>
      refund(context, order, { ...input, ...(transaction_id !== undefined && { transaction_id }) }),
  ),
  action(
    'auth_increment',
    ['incrementAuth', 'amount'],
    'Increases an authorization.',
    { amount, ...ends },
    { order_id: 'A-1', amount: 5 },
    increment,
  ),
  action(
    'charge',
    ['chargeRecurring'],
    'Makes a scheduled charge of a subscription now.',
    ends,
    { order_id: 'A-1' },
    (context, order, { status_code }) => chargeNow(context, order, status_code),
  ),
  action(
    'cancel',
    ['cancelPayment'],
    'Cancels a hosted payment that was not paid.',
    {},
    { order_id: 'A-1' },
    (context, order) => {
      cancelPayment(context, order)
      return order.payments[0]
    },
  ),
  action('cancel_recurring', ['cancelRecurring'], 'Ends a subscription.', {}, { order_id: 'A-1' }, (context, order) => {
    if (order.subscription === undefined) throw new InputError(`Order ${order.order_id} is not recurring.`)
    cancelSubscription(context, order)
    return { status: order.subscription.status }
  }),
  action(
    'conclude',
    ['conclude', 'status_code', 'operation_id'],
    'Ends a pending payment or operation (default: the latest one) with a status code: 1000 success, 4xxx failure.',
    { operation_id: v.optional(text), status_code: statusCode },
    { order_id: 'A-1', status_code: '1000' },
    (context, order, { status_code, operation_id }) => concludeLatest(context, order, status_code, operation_id),
  ),
  action(
    'expire',
    ['expire', 'what'],
    'Lets an open checkout, a 3-D Secure page, an authorization or the card token of an order expire.',
    { what: oneOf('thing that expires', ['checkout', '3ds', 'authorization', 'token'] as const) },
    { order_id: 'A-1', what: 'checkout' },
    (context, order, { what }) => expire(context, order, what),
  ),
  {
    name: 'payment',
    method: 'createPayment',
    args: [],
    does: 'Makes a payment of a method whose creation is not documented.',
    input: fields('payment', {
      method: oneOf('method', ['credit', 'p2p', 'lookup'] as const),
      order_id: v.pipe(text, v.maxLength(256, 'must have at most 256 characters.')),
      amount,
      currency: text,
      server_url: v.optional(text),
      ...ends,
    }) as unknown as Action['input'],
    example: { method: 'credit', order_id: 'C-1', amount: 5, currency: 'UAH' },
    run: (context, _, input) => createPayment(context, input),
  },
]

/** Does an action. A rejection of the domain is the caller's mistake; the result is a copy. */
export function carryOut({ name, input, run }: Action, context: Context, body: unknown): unknown {
  const given = parseInput(input, body) as { order_id: string; amount?: number }
  const wrong = given.amount === undefined ? undefined : context.rules.types.amount(given.amount)
  if (wrong !== undefined) throw new InputError(`amount ${wrong}.`)
  const order = context.state.orders.get(given.order_id)
  if (order === undefined && name !== 'payment') {
    throw new InputError(`No order has the order_id ${JSON.stringify(given.order_id)}.`)
  }
  try {
    return structuredClone(run(context, order as Order, given as never))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const violations = Array.isArray(error.args) ? error.args.map((one) => `${one.field_name} ${one.violation}`) : []
    throw new InputError(error.message === 'Invalid parameters' ? violations.join('; ') : error.message)
  }
}

export function createPortalActions(context: Context): PortalActions {
  const methods = ACTIONS.map((one) => [
    one.method,
    (...values: unknown[]) => {
      if (one.args.length === 0) return carryOut(one, context, values[0])
      const named = one.args.map((name, index) => [name, values[index]] as const)
      const more = (values[one.args.length] ?? {}) as object
      const input = Object.fromEntries([...named, ...Object.entries(more)].filter(([, value]) => value !== undefined))
      return carryOut(one, context, input)
    },
  ])
  return Object.fromEntries(methods) as PortalActions
}

function createPayment(context: Context, { status_code, ...input }: OtherPayment): Payment {
  const [wrong] = validate(context.rules, OTHER_PAYMENT, { ...input })
  if (wrong !== undefined) throw new InputError(`${wrong.field_name} ${wrong.violation}.`)
  const { method, order_id, amount, currency, server_url = null } = input
  const { posId: pos_id } = context.options.credentials
  const description = `Emulated ${method}`
  const body = { pos_id, mode: 'direct', description, method, order_id, amount, currency, server_url }
  const order = createOrder(context, body, false)
  conclude(context, order, order.payments[0], findCard(''), status_code)
  announce(context, order, order.payments[0])
  return order.payments[0]
}
