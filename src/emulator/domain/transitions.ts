import { type Context, homeOf, note } from '../context.ts'
import { describeCode, statusOfCode } from '../spec/status-codes.ts'
import { book, toMinor, toUnits } from '../state/accounts.ts'
import type { TestCard } from '../state/cards.ts'
import type { Money, Order, Payment } from '../state/state.ts'
import { addDuration, timestamp } from '../state/time.ts'
import { primaryPayload } from '../webhooks/payload.ts'

/**
 * Moves a payment to a status and sends its webhook: "The service sends a webhook on every change of payment status."
 * The creation of a hosted payment in `init` is not a change and sends none.
 */
export function setStatus(
  context: Context,
  order: Order,
  payment: Payment,
  status: string,
  code: string,
  changes: Partial<Payment> = {},
): void {
  Object.assign(payment, { user_action_required: false, user_action_url: null }, changes, {
    status,
    status_code: code,
    status_description: describeCode(code),
    processed_at: timestamp(context.scheduler.now()),
  })
  const what = `${chargeName(order, payment)}${payment.method}`
  note(context, order, `${what} ${status} (${code}, ${payment.status_description})`)
}

/** `charge 2, retry 1: `, of a subscription's charge; nothing for the order's own payment. */
function chargeName({ payments, retries = {} }: Order, payment: Payment): string {
  const charges = payments.slice(1, payments.indexOf(payment) + 1)
  const retry = retries[payment.transaction_id]
  const charge = charges.filter(({ transaction_id }) => retries[transaction_id] === undefined).length
  return charges.length === 0 ? '' : `charge ${charge}${retry === undefined ? '' : `, retry ${retry}`}: `
}

export function announce(context: Context, order: Order, payment: Payment): void {
  context.deliveries.send(
    order.order_id,
    destination(context, order, payment),
    primaryPayload(context.rules, order, payment),
  )
  if (payment === order.payments[0] && payment.status !== context.rules.statuses.created) sendLateInit(context, order)
}

/** Under the perturbation `late_init`: the earlier state comes after the current state. */
function sendLateInit(context: Context, order: Order): void {
  const [payment] = order.payments
  if (payment.mode !== 'hosted' || !context.options.perturbations.includes('late_init')) return
  const unknown = { status_code: null, status_description: null, eci: null, cc_mask: null, cc_token: null }
  const status = context.rules.statuses.created
  const more = { cc_token_expiration: null, payway: null, status, processed_at: payment.created_at }
  const late = { ...payment, ...unknown, ...more, ...UNPAID }
  const url = destination(context, order, payment)
  context.deliveries.send(order.order_id, url, primaryPayload(context.rules, order, late))
}

/** The request's `server_url`; for scheduled charges `notification_url`, else the initial `server_url`. */
export function destination(context: Context, order: Order, payment: Payment): string | null {
  const { destinations } = context.rules
  const standing = context.options.webhookUrl ?? null
  const initial = destinations.payment((order.request.server_url as string | undefined) ?? null, standing)
  if (payment === order.payments[0]) return initial
  return destinations.charge(order.subscription?.notification_url ?? null, initial)
}

/** Ends a payment by its card, or with this status code, and books its earnings. The caller sends the webhook. */
export function conclude(context: Context, order: Order, payment: Payment, card: TestCard, code?: string): void {
  const { codes, statuses } = context.rules
  const status = code === undefined ? card.status : statusOfCode(code)
  if (status === 'pending') {
    setStatus(context, order, payment, statuses.processing, code ?? codes.processing)
    return
  }
  if (status === 'failure') {
    setStatus(context, order, payment, statuses.declined, code ?? card.code ?? codes.invalidCard, {
      limit_info: card.limit === undefined ? null : limitInfo(context, card.limit),
    })
    return
  }
  const { paysPercent } = card
  const paid = paysPercent === undefined ? payment.amount : share(payment.amount, paysPercent)
  const saysPaid = paysPercent !== undefined || context.options.perturbations.includes('processed_amount')
  const free = card.noFee || payment.method === 'lookup'
  const fees = free ? NO_FEES : feesOf(paid, payment.currency)
  const usual = payment.method === 'auth' ? codes.reserved : codes.success
  setStatus(context, order, payment, statuses.paid, code ?? usual, {
    ...fees,
    processed_amount: saysPaid ? paid : null,
    processed_currency: saysPaid ? payment.currency : null,
    payway: card.bankPay ? 'bank_pay' : 'card',
    bank_pay: card.bankPay ? bankPay(payment) : null,
    receipt_url: `${context.options.origin}${homeOf(context)}/receipts/${payment.payment_id}`,
  })
  if (saysPaid && paysPercent === undefined) {
    note(
      context,
      order,
      'processed_amount is sent: a public billing system reads it in every webhook, the API document names no rule.',
      true,
    )
  }
  bookPayment(context, payment, paid, fees.fee)
}

/**
 * A purchase earns its amount less the fee. An authorization is not the merchant's money yet: its captures are. A
 * credit pays out; a transfer between cards (p2p) costs only its fee; a card check (lookup) moves nothing.
 */
function bookPayment(context: Context, { method, currency }: Payment, paid: number, fee: Money | null): void {
  if (method === 'purchase') earn(context, currency, paid, fee)
  if (method === 'credit') earn(context, currency, -paid, fee)
  if (method === 'p2p') earn(context, currency, 0, fee)
}

export function earn(context: Context, currency: string, amount: number, fee: Money | null): void {
  book(context.state.accounts, context.ids, currency, toMinor(amount) - toMinor(fee?.amount ?? 0))
}

const NO_FEES = { fee: null, fixed_fee: null, percent_fee: null }
/** The fields that a record has only once it is paid, or declined by a limit. */
export const UNPAID: Pick<Payment, 'receipt_url' | 'processed_amount' | 'processed_currency' | 'limit_info'> &
  typeof NO_FEES = {
  ...{ receipt_url: null, processed_amount: null, processed_currency: null, limit_info: null },
  ...NO_FEES,
}

/**
 * 1.5 per cent and 0.10 (nothing fixed below 1.00). Assumption: the API document shows the parts of a fee, not its
 * size.
 */
export function feesOf(amount: number, currency: string): { fee: Money; fixed_fee: Money; percent_fee: Money } {
  const percent = Math.round((toMinor(amount) * 15) / 1000)
  const fixed = amount < 1 ? 0 : 10
  const money = (minor: number): Money => ({ amount: toUnits(minor), currency })
  return { fee: money(percent + fixed), fixed_fee: money(fixed), percent_fee: money(percent) }
}

function share(amount: number, percent: number): number {
  return toUnits(Math.max(1, Math.round((toMinor(amount) * percent) / 100)))
}

export function limitInfo(context: Context, description: string): { retry_after: string; description: string } {
  return { retry_after: timestamp(addDuration(context.scheduler.now(), { days: 1 })), description }
}

function bankPay(payment: Payment): Record<string, string> {
  return {
    sender_mfo: '000000',
    sender_bank: 'EMULATOR BANK',
    sender_iban: 'XX00EMULATOR0000000001',
    sender_name: 'Emulated Customer',
    sender_tax_id: '0000000000',
    receiver_iban: 'XX00EMULATOR0000000002',
    description: payment.description,
  }
}
