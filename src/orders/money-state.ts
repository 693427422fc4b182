import type { Order } from './order.ts'

/** The states that an order's money may have. */
export const MONEY_STATES = [
  'waiting',
  'pending',
  'failed',
  'paid',
  'reserved',
  'partly_charged',
  'released',
  'partly_refunded',
  'refunded',
] as const

/** The state of an order's money. */
export type MoneyState = (typeof MONEY_STATES)[number]

/**
 * The state of an order's money, and its sum in the currency's unit: the paid or charged amount minus refunds, the
 * authorized amount, or the whole refund; null if unknown.
 *
 * @param isClosed Whether the order takes no more payments. An unpaid order then counts as failed, unless pending.
 */
export function moneyState(
  { status, method, amount, totals }: Pick<Order, 'status' | 'method' | 'amount' | 'totals'>,
  isClosed = false,
): { state: MoneyState; sum: number | null } {
  const {
    authorized_minor: authorized,
    captured_minor: captured,
    refunded_minor: refunded,
    voided_minor: voided,
  } = totals
  // Totals are hundredths; an amount may have more decimals than that.
  const unit = (minor: number) => (amount !== null && minor === Math.round(amount * 100) ? amount : minor / 100)
  const isAuth = method === 'auth'
  const back = refunded + (isAuth ? 0 : voided)
  if (status !== 'success') {
    const isOver = status === 'failure' || (isClosed && status !== 'pending')
    return { state: isOver ? 'failed' : status === 'pending' ? 'pending' : 'waiting', sum: amount }
  }
  if (captured > 0 && back >= captured) return { state: 'refunded', sum: unit(back) }
  if (captured > 0 && back > 0) return { state: 'partly_refunded', sum: unit(captured - back) }
  if (!isAuth) return { state: 'paid', sum: unit(captured) }
  if (captured > 0) return { state: captured < authorized ? 'partly_charged' : 'paid', sum: unit(captured) }
  return voided > 0 ? { state: 'released', sum: unit(voided) } : { state: 'reserved', sum: unit(authorized) }
}
