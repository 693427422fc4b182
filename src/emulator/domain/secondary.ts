import type { Context } from '../context.ts'
import { Problem } from '../http/problem.ts'
import { toMinor, toUnits } from '../state/accounts.ts'
import type { Operation, Order, Payment, SplitPart } from '../state/state.ts'
import { addOperation, addressOf, authorizedAmount, counts, sumOf } from './operations.ts'

/**
 * Capture, void, refund and increment with their conditions: one implementation for the endpoints, the control API and
 * the pages. Each function checks and changes without awaiting anything, so that two requests cannot both spend the
 * same money.
 */
export interface SecondaryInput {
  /** In units of the currency; without it, all that is left. */
  amount?: number | undefined
  currency?: unknown
  comment?: string | null
  server_url?: unknown
  split?: SplitPart[]
  /** How it ends, in place of the card's result; a function is called once every condition holds. */
  status_code?: string | (() => string | undefined) | undefined
}

/** @throws {Problem} unless the order is an authorization with enough left, within `maxCapturePercent`. */
export function capture(context: Context, order: Order, input: SecondaryInput): Operation {
  const { conditions } = context.rules
  const whole = authorizedAmount(order)
  const captured = sumOf(order, 'capture', true)
  checkAuthorized(context, order)
  checkCurrency(context, order, input)
  // Assumption: a full capture after partial captures takes the rest of the authorized amount.
  const requested = input.amount === undefined ? whole - captured : toMinor(input.amount)
  if (requested <= 0) throw unmet(context, 'order_id', `Cannot capture: order ${order.order_id} has 0 left to capture.`)
  const percent = context.options.maxCapturePercent
  if (!conditions.captureWithin(whole, captured, requested, percent)) {
    const left = toUnits(Math.max(0, Math.floor((whole * percent) / 100) - captured))
    const limit = `the limit is ${percent}% of the authorized amount`
    throw unmet(
      context,
      'charge_amount',
      `Cannot capture ${toUnits(requested)}: ${left} is left to capture (${limit}).`,
    )
  }
  if (input.split !== undefined) checkSum(context, input.split, requested)
  const split = input.split === undefined ? {} : { split: input.split }
  const called = typeof input.server_url === 'string' ? input.server_url : null
  const server_url = input.split === undefined ? called : addressOf(context, order, called)
  return addOperation(context, order, {
    ...common(input),
    ...split,
    method: 'capture',
    amount: toUnits(requested),
    server_url,
  })
}

/** @throws {Problem} unless the order is an authorization of which nothing was captured or voided. */
export function voidAuthorization(context: Context, order: Order, input: SecondaryInput): Operation {
  const { conditions } = context.rules
  const [payment] = order.payments
  if (!conditions.voidMethod(payment) || !conditions.voidStatus(payment)) throw notAuthorized(context, order)
  if (!conditions.notVoided(order.operations)) throw voided(context, order)
  checkCurrency(context, order, input)
  if (!conditions.voidWhole(sumOf(order, 'capture', true))) {
    throw unmet(context, 'order_id', `Cannot void order ${order.order_id}: part of it was captured.`)
  }
  const server_url = addressOf(context, order, input.server_url)
  return addOperation(context, order, {
    ...common(input),
    method: 'void',
    amount: toUnits(authorizedAmount(order)),
    server_url,
  })
}

/** @throws {Problem} unless the order is an authorization that was not voided. */
export function increment(context: Context, order: Order, input: SecondaryInput & { amount: number }): Operation {
  checkAuthorized(context, order)
  const server_url = addressOf(context, order, input.server_url)
  return addOperation(context, order, { ...common(input), method: 'auth_increment', amount: input.amount, server_url })
}

/**
 * Refunds a payment of the order: by its transaction or payment id, or else the latest that has something left
 * (assumption, as for the re-send of a webhook), so that a refund never exceeds the payment that it names.
 *
 * @throws {Problem} when less than the amount is left to refund.
 */
export function refund(context: Context, order: Order, input: SecondaryInput & { transaction_id?: string }): Operation {
  const { conditions } = context.rules
  const payment = refundedPayment(context, order, input.transaction_id)
  if (!conditions.refundMethod(payment) || !conditions.refundStatus(payment)) {
    const what = `method ${payment.method}, status ${payment.status}`
    throw unmet(context, 'order_id', `Order ${order.order_id} has no successful purchase or capture (${what}).`)
  }
  checkCurrency(context, order, input)
  const left = leftToRefund(order, payment)
  const requested = input.amount === undefined ? left : toMinor(input.amount)
  if (!conditions.refundWithin(left, requested)) {
    const what = input.amount === undefined ? 'Cannot refund' : `Cannot refund ${toUnits(requested)}`
    const text = `order ${order.order_id} has ${toUnits(left)} left to refund`
    throw unmet(context, 'refund_amount', `${what}: ${text}.`)
  }
  if (input.split !== undefined) checkShares(context, order, input.split, requested)
  return addOperation(context, order, {
    ...common(input),
    ...(input.split === undefined ? {} : { split: input.split }),
    method: 'refund',
    amount: toUnits(requested),
    payment,
    server_url: addressOf(context, order, input.server_url, payment),
  })
}

/** The payment that a refund belongs to. @throws {Problem} when no payment of the order has this id. */
export function refundedPayment(context: Context, order: Order, transactionId?: string): Payment {
  if (transactionId === undefined) {
    return (
      [...order.payments].reverse().find((one) => one.status === 'success' && leftToRefund(order, one) > 0) ??
      order.payments[0]
    )
  }
  const named = order.payments.find((one) => [one.transaction_id, one.payment_id].includes(transactionId))
  if (named === undefined) {
    throw unmet(context, 'transaction_id', `Order ${order.order_id} has no transaction ${transactionId}.`)
  }
  return named
}

/** The amount of a payment that is neither refunded nor about to be, in minor units. */
export function leftToRefund(order: Order, payment: Payment): number {
  const paid = payment.method === 'auth' ? sumOf(order, 'capture') : toMinor(payment.processed_amount ?? payment.amount)
  const refunds = order.operations.filter(
    (operation) =>
      operation.method === 'refund' && operation.payment_id === payment.payment_id && counts(operation, true),
  )
  return paid - refunds.reduce((sum, { amount }) => sum + toMinor(amount), 0)
}

function checkShares(context: Context, order: Order, split: SplitPart[], requested: number): void {
  checkSum(context, split, requested)
  const own = order.payments[0].method === 'purchase' ? ((order.request.split as SplitPart[] | undefined) ?? []) : []
  const received = [
    ...own,
    ...order.operations
      .filter((operation) => operation.method === 'capture' && counts(operation, false))
      .flatMap((operation) => operation.split ?? []),
  ]
  const refunded = order.operations
    .filter((operation) => operation.method === 'refund' && counts(operation, true))
    .flatMap((operation) => operation.split ?? [])
  for (const id of new Set(split.map(({ sub_merchant_id }) => sub_merchant_id.toLowerCase()))) {
    const left = shareOf(received, id) - shareOf(refunded, id)
    if (context.rules.conditions.splitWithin(left, shareOf(split, id))) continue
    const amount = toUnits(shareOf(split, id))
    throw unmet(
      context,
      'split',
      `Cannot refund ${amount} from sub-merchant ${id}: ${toUnits(left)} is left to refund.`,
    )
  }
}

function shareOf(parts: readonly SplitPart[], id: string): number {
  return parts
    .filter(({ sub_merchant_id }) => sub_merchant_id.toLowerCase() === id)
    .reduce((sum, { amount }) => sum + toMinor(amount), 0)
}

function checkSum(context: Context, split: SplitPart[], requested: number): void {
  const parts = split.reduce((sum, { amount }) => sum + toMinor(amount), 0)
  if (context.rules.conditions.splitAddsUp(parts, requested)) return
  throw unmet(context, 'split', `The parts of split add up to ${toUnits(parts)}, not to ${toUnits(requested)}.`)
}

function checkCurrency(context: Context, order: Order, { currency }: SecondaryInput): void {
  const [payment] = order.payments
  if (currency === undefined || context.rules.conditions.orderCurrency(payment, currency)) return
  throw unmet(context, 'order_currency', `The currency of order ${order.order_id} is ${payment.currency}.`)
}

function common({ comment, status_code }: SecondaryInput): { comment: string | null; status_code: string | undefined } {
  return { comment: comment ?? null, status_code: typeof status_code === 'function' ? status_code() : status_code }
}

function checkAuthorized(context: Context, order: Order): void {
  const { captureMethod, captureStatus, notVoided } = context.rules.conditions
  const [payment] = order.payments
  if (!captureMethod(payment) || !captureStatus(payment)) throw notAuthorized(context, order)
  if (!notVoided(order.operations)) throw voided(context, order)
  if (order.expired) throw unmet(context, 'order_id', `The authorization of order ${order.order_id} has expired.`)
}

function notAuthorized(context: Context, order: Order): Problem {
  const { method, status } = order.payments[0]
  const what = `method ${method}, status ${status}`
  return unmet(context, 'order_id', `Order ${order.order_id} is not an authorized payment (${what}).`)
}

function voided(context: Context, order: Order): Problem {
  return unmet(context, 'order_id', `The authorization of order ${order.order_id} was voided.`)
}

/** Assumption: a 400 that names the unmet condition; the API document shows no such response. */
function unmet(context: Context, field_name: string, message: string): Problem {
  return new Problem(context.rules.wire.invalid, message, [{ field_name, violation: message }])
}
