import { type Context, note } from '../context.ts'
import { statusCodeOf } from '../faults/response-faults.ts'
import { findCard } from '../state/cards.ts'
import type { Order, Payment, Subscription } from '../state/state.ts'
import { addDuration, addMonths, date, parseDate, parseTime, timeOfDay, timestamp } from '../state/time.ts'
import { announce, conclude, UNPAID } from './transitions.ts'

type Config = Record<string, unknown>

export function createSubscription(context: Context, config: Config): Subscription {
  return {
    id: context.ids.named('recurring'),
    status: context.rules.statuses.recurringCreated,
    next: undefined,
    notification_url: (config.notification_url as string | undefined) ?? null,
  }
}

/**
 * Follows the first payment: its success makes the configuration `active` and schedules the first charge, its failure
 * makes it `canceled`. Assumption: the API document does not show the transitions.
 */
export function followFirstPayment(context: Context, order: Order): void {
  const { subscription } = order
  const { status } = order.payments[0]
  const { statuses } = context.rules
  if (subscription?.status !== statuses.recurringCreated || (status !== 'success' && status !== 'failure')) return
  subscription.status = status === 'success' ? statuses.recurringActive : statuses.recurringEnded
  note(context, order, `recurring ${subscription.status}`)
  if (status === 'success') scheduleNext(context, order, subscription, 0)
}

export function findSubscription(context: Context, id: string): (Order & { subscription: Subscription }) | undefined {
  for (const order of context.state.orders.values()) {
    if (order.subscription?.id === id) return order as Order & { subscription: Subscription }
  }
  return undefined
}

export function cancelSubscription(context: Context, order: Order): void {
  const ended = context.rules.statuses.recurringEnded
  if (order.subscription === undefined || order.subscription.status === ended) return
  order.subscription.status = ended
  order.subscription.next = undefined
  note(context, order, 'recurring canceled')
}

/**
 * Charges fall on `start_date`, or one interval after the creation, and then every interval, counted from the first so
 * that a month's end does not drift. Charges that were due before the subscription became active are skipped.
 */
function scheduleNext(context: Context, order: Order, subscription: Subscription, from: number): void {
  const config = configOf(order)
  for (let index = from; ; index++) {
    const at = dueAt(context, order, index)
    const expiry = parseDate(String(config.expiry_date ?? ''))
    if (expiry !== undefined && date(at) > date(expiry)) {
      // The day after the last possible charge: its webhook has `active`, and retries have the rest of the day.
      const end = addDuration(expiry, { days: 1 })
      context.scheduler.schedule({ at: end, kind: 'recurring_end', subject: order.order_id })
      subscription.next = undefined
      return
    }
    if (at <= context.scheduler.now()) {
      if (dueAt(context, order, index + 1) <= at) throw new Error('The interval of a subscription has no length.')
      continue
    }
    subscription.next = at
    context.scheduler.schedule({ at, kind: 'charge', subject: order.order_id, number: index })
    return
  }
}

export function chargeDue(context: Context, order: Order, index: number): void {
  const { subscription } = order
  if (subscription === undefined || subscription.status === context.rules.statuses.recurringEnded) return
  charge(context, order, 0)
  scheduleNext(context, order, subscription, index + 1)
}

export function chargeAgain(context: Context, order: Order, attempt: number): void {
  const { subscription } = order
  if (subscription === undefined || subscription.status === context.rules.statuses.recurringEnded) return
  charge(context, order, attempt)
}

function dueAt(context: Context, order: Order, index: number): number {
  const config = configOf(order)
  const created = Date.parse(`${order.payments[0].created_at}Z`)
  const start = parseDate(String(config.start_date ?? ''))
  const time = parseTime(String(config.time ?? '')) ?? timeOfDay(created)
  const steps = start === undefined ? index + 1 : index
  const midnight = start ?? created - timeOfDay(created)
  const unit = String(config.interval_unit)
  const count = Number(config.interval_count) * steps
  const { months, days } = context.rules.recurring
  const day =
    unit in months
      ? addMonths(midnight, months[unit as keyof typeof months] * count)
      : addDuration(midnight, { days: days[unit as keyof typeof days] * count })
  return day + time
}

/** Makes one charge, a new transaction of the same order; a declined charge is repeated by the configuration. */
export function charge(context: Context, order: Order, attempt: number, code?: string): Payment {
  const config = configOf(order)
  const first = order.payments[0]
  const now = timestamp(context.scheduler.now())
  const payment: Payment = {
    ...first,
    payment_id: context.options.perturbations.includes('same_payment_id') ? first.payment_id : context.ids.uuid(),
    transaction_id: context.ids.uuid(),
    gateway_order_id: context.ids.named('gw'),
    billing_order_id: context.ids.named('billing'),
    amount: (config.amount as number | undefined) ?? first.amount,
    ...UNPAID,
    created_at: now,
    processed_at: now,
  }
  order.payments.push(payment)
  if (attempt > 0) order.retries = { ...order.retries, [payment.transaction_id]: attempt }
  const card = findCard(order.card ?? '')
  const byCard = card.recurring === 'decline' || (card.recurring === 'decline_once' && attempt === 0)
  const declined = hasExpired(context, order) ? context.rules.codes.expiredCard : byCard ? '4009' : undefined
  const forced = code ?? statusCodeOf(context.faults.take('charge', 'outcome', order.order_id))
  conclude(context, order, payment, { ...card, status: 'success' }, forced ?? declined)
  announce(context, order, payment)
  if (payment.status === context.rules.statuses.declined) retryLater(context, order, attempt)
  return payment
}

function retryLater(context: Context, order: Order, attempt: number): void {
  const config = configOf(order)
  const { defaultAttempts, defaultHours, defaultHoursDaily } = context.rules.recurring
  const attempts = (config.retry_attempts as number | undefined) ?? defaultAttempts
  if (attempt >= attempts) {
    note(context, order, `charge given up after ${attempt} retries`)
    // Assumption: no later charge of an expired card can be paid either.
    if (hasExpired(context, order)) cancelSubscription(context, order)
    return
  }
  const usual = config.interval_unit === 'day' ? defaultHoursDaily : defaultHours
  const hours = (config.retry_interval_hours as number | undefined) ?? usual
  const at = addDuration(context.scheduler.now(), { hours })
  context.scheduler.schedule({ at, kind: 'charge_retry', subject: order.order_id, number: attempt + 1 })
}

function hasExpired(context: Context, { payments: [{ cc_token }] }: Order): boolean {
  const { ends } = context.state.tokens.get(cc_token ?? '') ?? {}
  return ends !== undefined && ends <= context.scheduler.now()
}

function configOf(order: Order): Config {
  return (order.request.init_recurring as Config | undefined) ?? {}
}
