import { type Context, note } from '../context.ts'
import { Problem } from '../http/problem.ts'
import { findCard, isExpired, maskNumber, passesLuhn } from '../state/cards.ts'
import type { Order, Payment } from '../state/state.ts'
import { addDuration, timestamp, timestampWithoutFraction } from '../state/time.ts'
import { createSubscription, followFirstPayment } from './subscriptions.ts'
import { announce, conclude, setStatus } from './transitions.ts'

type Body = Record<string, unknown>

/** Card data, or a token instead. */
export type Instrument = { number: string; month: number; year: number; cvv: string } | { token: string }

const SECRET = ['cc_number', 'exp_month', 'exp_year', 'card_cvv', 'cc_token', 'cryptogram']

/** Creates an order with its first payment in `init`. @throws {Problem} when the order identifier is taken. */
export function createOrder(context: Context, body: Body, split: boolean): Order {
  const order_id = String(body.order_id)
  if (!context.rules.conditions.orderIsNew(context.state.orders.has(order_id))) {
    throw new Problem(context.rules.wire.invalid, `order_id ${order_id} was used before`, { code: 'P-409' })
  }
  const request = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !SECRET.includes(name) && value !== null),
  )
  const recurring = request.init_recurring as Body | undefined
  const order: Order = {
    order_id,
    request,
    split,
    checkout_id: context.ids.named('checkout'),
    opened_at: null,
    payments: [newPayment(context, body)],
    operations: [],
    subscription: recurring && createSubscription(context, recurring),
    card: undefined,
    timeline: [],
  }
  context.state.orders.set(order_id, order)
  context.state.checkouts.set(order.checkout_id, order)
  note(context, order, `${body.mode} ${body.method} created`)
  if (typeof body.validation_url === 'string') context.deliveries.preflight(body.validation_url)
  return order
}

function newPayment(context: Context, body: Body): Payment {
  const now = timestamp(context.scheduler.now())
  const text = (name: string): string | null => (body[name] === undefined ? null : (body[name] as string | null))
  return {
    payment_id: context.ids.uuid(),
    order_id: String(body.order_id),
    gateway_order_id: null,
    billing_order_id: null,
    transaction_id: context.ids.uuid(),
    pos_id: String(body.pos_id),
    mode: String(body.mode),
    method: String(body.method),
    amount: Number(body.amount),
    currency: String(body.currency),
    description: String(body.description),
    status: context.rules.statuses.created,
    status_code: null,
    status_description: null,
    user_action_required: false,
    user_action_url: null,
    eci: null,
    mcc: text('merchant_mcc') === null ? '0000' : String(body.merchant_mcc),
    options_3ds: text('order_3ds_bypass'),
    cc_mask: null,
    cc_token: null,
    cc_token_expiration: null,
    result_url: text('result_url'),
    created_at: now,
    processed_at: now,
    payload: text('payload'),
    bank_short_name: null,
    receipt_url: null,
    payway: null,
    processed_amount: null,
    processed_currency: null,
    fee: null,
    fixed_fee: null,
    percent_fee: null,
    limit_info: null,
    bank_pay: null,
  }
}

/** Pays an order's first payment; its webhook follows the status that this leads to. */
export function pay(context: Context, order: Order, instrument: Instrument): void {
  const payment = order.payments[0]
  const number = 'token' in instrument ? cardOfToken(context, instrument.token) : instrument.number
  const valid =
    number !== undefined && passesLuhn(number) && ('token' in instrument || /^\d{3,4}$/.test(instrument.cvv))
  const { codes, statuses } = context.rules
  payment.gateway_order_id = context.ids.named('gw')
  payment.billing_order_id = context.ids.named('billing')
  payment.bank_short_name = 'EMULATOR'
  payment.payway = 'card'
  if (!valid) {
    setStatus(context, order, payment, statuses.declined, codes.invalidCard)
  } else {
    order.card = number
    payment.cc_mask = maskNumber(number)
    payment.cc_token = 'token' in instrument ? instrument.token : newToken(context, number)
    payment.cc_token_expiration = timestampWithoutFraction(addDuration(context.scheduler.now(), { years: 1 }))
    const card = findCard(number)
    if (!('token' in instrument) && isExpired(instrument.month, instrument.year, context.scheduler.now())) {
      setStatus(context, order, payment, statuses.declined, codes.expiredCard)
    } else if (card.threeDSecure) {
      setStatus(context, order, payment, statuses.threeDSecure, codes.threeDSecure, {
        user_action_required: true,
        user_action_url: `${context.options.origin}/api/v1/checkout/${order.checkout_id}/3ds`,
      })
    } else {
      payment.eci = '07'
      conclude(context, order, payment, card)
      if (payment.status === 'pending') timeOutLater(context, order, payment)
    }
  }
  followFirstPayment(context, order)
  announce(context, order, payment)
}

/** Ends the customer's 3-D Secure step. */
export function finishThreeDSecure(context: Context, order: Order, passed: boolean): void {
  const payment = order.payments[0]
  payment.eci = passed ? '05' : '07'
  if (passed) conclude(context, order, payment, findCard(order.card ?? ''))
  else {
    setStatus(context, order, payment, context.rules.statuses.declined, context.rules.codes.threeDSecureFailed, {
      user_action_required: false,
      user_action_url: null,
    })
  }
  followFirstPayment(context, order)
  announce(context, order, payment)
}

/** Cancels a created, unpaid payment ("Cancel"); the conditions are the route's to check. */
export function cancelPayment(context: Context, order: Order): void {
  const payment = order.payments[0]
  setStatus(context, order, payment, context.rules.statuses.cancelled, context.rules.codes.cancelled, {
    user_action_required: false,
    user_action_url: null,
  })
  followFirstPayment(context, order)
  announce(context, order, payment)
}

function timeOutLater(context: Context, order: Order, payment: Payment): void {
  context.scheduler.schedule(addDuration(context.scheduler.now(), { minutes: 15 }), () => {
    if (payment.status !== 'pending') return
    setStatus(context, order, payment, context.rules.statuses.declined, context.rules.codes.timedOut)
    followFirstPayment(context, order)
    announce(context, order, payment)
  })
}

function newToken(context: Context, number: string): string {
  const token = context.ids.named('token')
  context.state.tokens.set(token, number)
  return token
}

/** Tokens of wallets were never issued here: they are paid like the card `success`. */
function cardOfToken(context: Context, token: string): string | undefined {
  return (
    context.state.tokens.get(token) ?? (context.rules.conditions.walletToken(token) ? '4111111111111111' : undefined)
  )
}
