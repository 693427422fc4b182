import { note, type World } from '../context.ts'
import { describeCode } from '../spec/status-codes.ts'
import { book, toMinorUnits, toUnits } from '../state/accounts.ts'
import type { TestCard } from '../state/cards.ts'
import type { Money, Order, Payment } from '../state/state.ts'
import { addDuration, timestamp } from '../state/time.ts'
import { primaryPayload } from '../webhooks/payload.ts'

/**
 * Moves a payment to a status and sends its webhook: "The service sends a webhook on every change of payment status."
 * The creation of a hosted payment in `init` is no change and sends none.
 */
export function setStatus(
  world: World,
  order: Order,
  payment: Payment,
  status: string,
  code: string,
  changes: Partial<Payment> = {},
): void {
  Object.assign(payment, changes, {
    status,
    status_code: code,
    status_description: describeCode(code),
    processed_at: timestamp(world.agenda.now()),
  })
  note(world, order, `${payment.method} ${status} (${code}, ${payment.status_description})`)
}

/** Sends the webhook of a payment as it stands now. */
export function announce(world: World, order: Order, payment: Payment): void {
  world.deliveries.send(order.order_id, destination(world, order, payment), primaryPayload(world, order, payment))
}

/** The request's `server_url`; for scheduled charges `notification_url`, else the initial `server_url`. */
export function destination(world: World, order: Order, payment: Payment): string | null {
  const { destinations } = world.rules
  const standing = world.options.webhookUrl ?? null
  const initial = destinations.payment((order.request.server_url as string | undefined) ?? null, standing)
  if (payment === order.payments[0]) return initial
  return destinations.charge(order.subscription?.notification_url ?? null, initial)
}

/** Ends a payment as its card says, and books what it earns. The webhook is the caller's to send. */
export function conclude(world: World, order: Order, payment: Payment, card: TestCard): void {
  const { codes, statuses } = world.rules
  const done = { user_action_required: false, user_action_url: null }
  if (card.status === 'pending') {
    setStatus(world, order, payment, statuses.processing, codes.processing, done)
    return
  }
  if (card.status === 'failure') {
    setStatus(world, order, payment, statuses.declined, card.code ?? codes.invalidCard, {
      ...done,
      limit_info: card.limit === undefined ? null : limitInfo(world, card.limit),
    })
    return
  }
  const paid = card.paysPercent === undefined ? payment.amount : share(payment.amount, card.paysPercent)
  const fees = card.noFee ? NO_FEES : feesOf(paid, payment.currency)
  const reserve = payment.method === 'auth'
  setStatus(world, order, payment, statuses.paid, reserve ? codes.reserved : codes.success, {
    ...done,
    ...fees,
    processed_amount: card.paysPercent === undefined ? null : paid,
    processed_currency: card.paysPercent === undefined ? null : payment.currency,
    payway: card.bankPay ? 'bank_pay' : 'card',
    bank_pay: card.bankPay ? bankPay(payment) : null,
    receipt_url: `${world.options.origin}/_emulator/receipts/${payment.payment_id}`,
  })
  // A reserve is not the merchant's money yet: it is booked when it is captured.
  if (!reserve) earn(world, payment.currency, paid, fees.fee)
}

/** Books an amount less its fee. */
export function earn(world: World, currency: string, amount: number, fee: Money | null): void {
  book(world.state.accounts, world.ids, currency, toMinorUnits(amount) - toMinorUnits(fee?.amount ?? 0))
}

const NO_FEES = { fee: null, fixed_fee: null, percent_fee: null }

/** 1.5 per cent and 0.10 (nothing fixed below 1.00). Assumption: the document shows the parts of a fee, not its size. */
export function feesOf(amount: number, currency: string): { fee: Money; fixed_fee: Money; percent_fee: Money } {
  const percent = Math.round((toMinorUnits(amount) * 15) / 1000)
  const fixed = amount < 1 ? 0 : 10
  const money = (minor: number): Money => ({ amount: toUnits(minor), currency })
  return { fee: money(percent + fixed), fixed_fee: money(fixed), percent_fee: money(percent) }
}

function share(amount: number, percent: number): number {
  return toUnits(Math.max(1, Math.round((toMinorUnits(amount) * percent) / 100)))
}

export function limitInfo(world: World, description: string): { retry_after: string; description: string } {
  return { retry_after: timestamp(addDuration(world.agenda.now(), { days: 1 })), description }
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
