// An order as a list has it: the row that is shown, and the columns by which it is found.

import { isFinal } from '../helpers/status.ts'
import { shownOf } from './fold.ts'
import { MONEY_STATES, type MoneyState, moneyState } from './money-state.ts'
import type { Order, OrderFlag } from './order.ts'
import { type DatedEvent, paymentEvents, withTimes } from './order-times.ts'
import { paperOf } from './paper.ts'
import { backwards, sameLetters } from './search-words.ts'

/** An order of a list. Amounts are the wire's numbers, totals are hundredths. */
export interface ListedOrder
  extends Pick<Order, 'status' | 'method' | 'amount' | 'currency' | 'totals' | 'flags' | 'updated_at'> {
  /** Of the attempt that is shown: the one that holds money, else the newest. */
  order_id: string
  /** The state of its money. */
  state: MoneyState
  /** Of its money, in the currency's unit: paid or charged and not refunded, held, or given back as a whole. */
  sum: number | null
  /** When its first row was written, ISO 8601, UTC: the newest order comes first. */
  listed_at: string
  /** When its status was received, ISO 8601, UTC. */
  status_at?: string
  replaces?: string
  replaced_by?: string
  /** As `createPayment` had it, like the next two, which `erase` removes. */
  reference?: string
  description?: string
  customer_name?: string
}

/** The goods and their buyer, as the request of a payment has them. */
export type Buyer = Partial<Record<'reference' | 'description' | 'customer_name' | 'email' | 'phone', string>>

/** The buyer in a request. */
export function buyerOf(input: Readonly<Record<string, unknown>>, reference: string | undefined): Buyer {
  const text = (name: string) => input[name] as string | undefined
  const customer_name = [text('customer_fname'), text('customer_lname')].filter(Boolean).join(' ') || undefined
  const known = { reference, description: text('description'), customer_name }
  return JSON.parse(JSON.stringify({ ...known, email: text('customer_email'), phone: text('customer_phone') }))
}

/** The flags, each a bit of a row's `flags`. The first one only informs. */
export const FLAGS: readonly OrderFlag[] = /* @__PURE__ */ (
  'paid_after_failure amount_mismatch currency_mismatch over_capture unknown_order unexpected_shape foreign_pos ' +
  'status_conflict over_refund paid_twice over_sold'
).split(' ') as OrderFlag[]

/**
 * The card of the payment that an order is about, and the last known way of payment.
 *
 * @param records The records of new events; `erased` if their personal data was removed.
 */
export function paperAmong(
  { last_four = null, payway = null }: { readonly [name: string]: string | number | null },
  records: readonly Readonly<Record<string, unknown>>[],
  attempts: readonly Attempt[],
): Record<'last_four' | 'payway', string | number | null> {
  const { order, events } = shownOf(attempts) as Attempt
  const own = paymentEvents(order, events)
  for (const record of records) {
    const paper = paperOf(record)
    if (own.includes(`${record.id}`)) last_four = paper.last_four ?? last_four
    if (record.erased) last_four = null
    payway = paper.payway ?? payway
  }
  return { last_four, payway }
}

/** An attempt at paying an order. */
interface Attempt {
  order: Order & Partial<Pick<ListedOrder, 'order_id' | 'replaces' | 'replaced_by'>>
  payment: { buyer?: Buyer } | undefined
  events: readonly DatedEvent[]
  /** The shop has cancelled the order. */
  isClosed: boolean
}

/**
 * The columns of an order, with at least one attempt.
 * @param isUnknown An operation has no outcome.
 * @param more Flags that only a shop knows.
 */
export function listedColumns(
  id: string,
  attempts: readonly Attempt[],
  isUnknown: boolean,
  more: readonly OrderFlag[] = [],
): Record<string, string | number | null> {
  const { order, events } = shownOf(attempts) as Attempt
  const { status_at } = withTimes(order, events)
  const { order_id, replaces, replaced_by, status, method, amount, currency, totals, updated_at } = order
  const flags = [...order.flags, ...more]
  const isClosed = attempts.some((one) => one.isClosed)
  const { state, sum } = moneyState(order, isClosed)
  const { buyer = {} } = attempts.filter(({ payment }) => payment).at(-1)?.payment ?? {}
  const { reference, description, customer_name, email, phone } = buyer
  const isAwaited = !isClosed && attempts.some(({ payment, order }) => payment && !isFinal(order.status ?? ''))
  const digits = phone?.replaceAll(/\D/g, '')
  const refunded = totals.refunded_minor / 100 || null
  const sums = [...new Set([amount, sum, refunded])].map((one) => one && `=${one.toFixed(2)}`)
  const words = [id, currency, reference, description, customer_name, email, phone, digits, ...sums]
  return {
    ...{ status, amount, sum: sum === amount ? null : sum, refunded, state: MONEY_STATES.indexOf(state) },
    is_open: isUnknown ? 2 : Number(isAwaited),
    flags: flags.reduce((all, one) => all | (2 ** FLAGS.indexOf(one)), 0),
    ...{ tail: /(?<=\D)\d{1,12}$/.exec(id)?.[0] ?? null, reference: reference ?? null },
    ...{ email: email?.toLowerCase() ?? null, phone: digits ? backwards(digits) : null },
    words: sameLetters(words.filter(Boolean).join(' ')),
    shown: JSON.stringify({
      ...{ order_id, replaces, replaced_by, state, sum, status, method, amount, currency, totals, flags, updated_at },
      ...{ reference, description, customer_name, status_at },
    }),
  }
}
