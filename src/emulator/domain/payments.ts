import { type Context, checkoutAddress, note } from '../context.ts'
import { Problem, type Violation } from '../http/problem.ts'
import { endOfCard, findCard, maskNumber, passesLuhn, type TestCard, testCard } from '../state/cards.ts'
import { type Order, type Payment, shared, type Token } from '../state/state.ts'
import { addDuration, timestamp, timestampWithoutFraction } from '../state/time.ts'
import { fail, followUp, scheduleExpiry } from './expiry.ts'
import { createSubscription } from './subscriptions.ts'
import { announce, conclude, setStatus, UNPAID } from './transitions.ts'

type Body = Record<string, unknown>

export type Instrument = { number: string; month: number; year: number; cvv: string } | { token: string }

/**
 * The parameters that matter after the creation and are in no record. An order keeps no others: there may be 100,000
 * orders.
 */
const NEEDED = /^(customer_\w+|server_url|split|init_recurring)$/

/** Creates an order with its first payment in `init`. @throws {Problem} when the order identifier is taken. */
export function createOrder(context: Context, body: Body, split: boolean): Order {
  const order_id = String(body.order_id)
  if (!context.rules.conditions.orderIsNew(context.state.orders.has(order_id))) {
    throw new Problem(context.rules.wire.invalid, `order_id ${order_id} was used before`, { code: 'P-409' })
  }
  const request = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => NEEDED.test(name) && value !== null),
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
  const { state, options, scheduler } = context
  state.orders.set(order_id, order)
  state.checkouts.set(order.checkout_id, order)
  for (const [oldest, { checkout_id }] of state.orders) {
    if (state.orders.size <= options.keepOrders) break
    state.orders.delete(oldest)
    state.checkouts.delete(checkout_id)
    scheduler.forget([oldest])
    state.forgotten += 1
  }
  note(context, order, `${body.mode} ${body.method} created`)
  if (body.mode === 'hosted') scheduleExpiry(context, order, 'checkout')
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
    pos_id: shared(String(body.pos_id)),
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
    payway: null,
    bank_pay: null,
    ...UNPAID,
  }
}

/** Pays an order's first payment; its webhook follows the status that this leads to. */
export function pay(context: Context, order: Order, instrument: Instrument, code?: string): void {
  const payment = order.payments[0]
  const token = 'token' in instrument ? context.state.tokens.get(instrument.token) : undefined
  const number = 'token' in instrument ? (token?.number ?? cardOfWallet(context, instrument.token)) : instrument.number
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
    order.card = shared(number)
    payment.cc_mask = shared(maskNumber(number))
    const now = context.scheduler.now()
    const ends = 'token' in instrument ? token?.ends : endOfCard(instrument.month, instrument.year)
    const expired = [ends, token?.expires].some((end) => end !== undefined && end <= now)
    if (!expired)
      issueToken(context, payment, { number: order.card, ends }, 'token' in instrument ? instrument.token : undefined)
    const card = findCard(number)
    if (code !== undefined) {
      payment.eci = '07'
      conclude(context, order, payment, card, code)
    } else if (expired) {
      setStatus(context, order, payment, statuses.declined, codes.expiredCard)
    } else if (asksForThreeDSecure(payment, card)) {
      setStatus(context, order, payment, statuses.threeDSecure, codes.threeDSecure, {
        user_action_required: true,
        user_action_url: checkoutAddress(context, order, '3ds'),
      })
      scheduleExpiry(context, order, '3ds')
    } else {
      payment.eci = '07'
      conclude(context, order, payment, card)
      timeOutLater(context, order, payment)
    }
  }
  followUp(context, order)
}

/**
 * Under the perturbation `second_card`: the customer's first card is declined, and the payment stays open for the next
 * one.
 */
export function declineFirstCard(context: Context, order: Order): void {
  const declined: Payment = { ...order.payments[0], payment_id: context.ids.uuid(), transaction_id: context.ids.uuid() }
  order.declined = [...(order.declined ?? []), declined]
  conclude(context, order, declined, findCard(testCard('declined')))
  announce(context, order, declined)
}

export function finishThreeDSecure(context: Context, order: Order, passed: boolean): void {
  const payment = order.payments[0]
  payment.eci = passed ? '05' : '07'
  if (!passed) {
    fail(context, order, context.rules.codes.threeDSecureFailed)
    return
  }
  conclude(context, order, payment, findCard(order.card ?? ''))
  timeOutLater(context, order, payment)
  followUp(context, order)
}

/**
 * Cancels a created, unpaid payment ("Cancel").
 *
 * @throws {Problem} unless it meets the conditions. Assumption: a 400; the API document does not show the response.
 */
export function cancelPayment(context: Context, order: Order): void {
  const payment = order.payments[0]
  const { cancelMethod, cancelMode, cancelStatus } = context.rules.conditions
  const unmet: Violation[] = []
  if (!cancelMethod(payment)) unmet.push({ field_name: 'method', violation: 'must be purchase or auth' })
  if (!cancelStatus(payment)) unmet.push({ field_name: 'status', violation: 'must be init' })
  if (!cancelMode(payment)) unmet.push({ field_name: 'mode', violation: 'must be hosted' })
  if (unmet.length > 0) {
    const what = `mode ${payment.mode}, method ${payment.method}, status ${payment.status}`
    const message = `Order ${order.order_id} is not an unpaid hosted payment (${what}).`
    throw new Problem(context.rules.wire.invalid, message, unmet)
  }
  fail(context, order, context.rules.codes.cancelled, context.rules.statuses.cancelled)
}

function timeOutLater(context: Context, order: Order, payment: Payment): void {
  if (payment.status !== 'pending') return
  const at = addDuration(context.scheduler.now(), { minutes: 15 })
  context.scheduler.schedule({ at, kind: 'timeout', subject: order.order_id })
}

export function timeOut(context: Context, order: Order): void {
  if (order.payments[0].status === 'pending') fail(context, order, context.rules.codes.timedOut)
}

/** Assumption: `always` and `never` decide whether 3-D Secure is asked for; with anything else the card does. */
function asksForThreeDSecure({ options_3ds }: Payment, card: TestCard): boolean {
  return options_3ds === 'always' || (card.threeDSecure && options_3ds !== 'never')
}

/** A new or the used token, for another year, but no longer than its card; a wallet's token is kept. */
function issueToken(context: Context, payment: Payment, card: Omit<Token, 'expires'>, used: string | undefined): void {
  const year = addDuration(context.scheduler.now(), { years: 1 })
  const expires = Math.min(year, card.ends ?? year)
  payment.cc_token = used ?? context.ids.named('token')
  payment.cc_token_expiration = timestampWithoutFraction(expires)
  context.state.tokens.set(payment.cc_token, { ...card, expires })
}

/** Tokens of wallets were never issued here: they are paid like the card `success`. */
function cardOfWallet(context: Context, token: string): string | undefined {
  return context.rules.conditions.walletToken(token) ? '4111111111111111' : undefined
}
