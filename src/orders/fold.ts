import { ConfigError } from '../errors.ts'
import { hundredths } from '../lib/decimal.ts'
import type { EventCopy } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { chargeKey, isPrimary, operationId, sortable } from './identity.ts'
import type { ExpectedPayment, Order, OrderEvent, OrderFlag, OrderOperation, OrderTotals } from './order.ts'
import { type EventSummary, summarizeEvent } from './summary.ts'

/** Above this, hundredths are no longer exact. */
const MAX_AMOUNT = Number.MAX_SAFE_INTEGER / 100

/**
 * The state of an order from its events: pure, total, and the same for any order and any repetition of them.
 *
 * Payments are told apart by `payment_id`, `transaction_id` and `created_at` (charges of a subscription may share the first two),
 * other operations by `operation_id`. Within one, the newest `processed_at ?? created_at` counts, at a tie the more final status,
 * then the event that says more; a final status never goes back to one that is not. The order's `status`, `amount` and `currency`
 * are those of its first successful purchase or authorization, else of its first one, else of its first other payment: an order
 * with money in it is never shown as failed.
 *
 * @param events The events of one order, in any order; copies of events (JSON, `structuredClone`, a queue) do.
 * @param expected What the payment should be; without it nothing is compared.
 * @throws {ConfigError} for events of two orders, often a missing WHERE, for a copy that has lost a field, and for an `expected` of
 *   another type.
 * @example
 * import { foldOrder, type WebhookEvent } from 'edgetill'
 * function isPaid(events: WebhookEvent[]): boolean {
 *   const { totals, flags } = foldOrder(events, { amount: 100.5, currency: 'UAH' })
 *   return flags.length === 0 && totals.captured - totals.refunded >= 10_050
 * }
 */
export function foldOrder(events: readonly EventCopy[], expected?: ExpectedPayment): Order {
  if (!Array.isArray(events)) throw new ConfigError('events', 'foldOrder takes an array of events.')
  const ids = new Set(events.map((event) => recordOf(event).order_id).filter((id) => typeof id === 'string'))
  if (ids.size > 1)
    throw new ConfigError('events', 'foldOrder got events of several orders: pass those of one order_id.')
  const [order_id = null] = ids
  return foldSummaries(order_id as string | null, events.map(summarizeEvent), readExpected(expected))
}

const EXPECTED = { amount: 'number', recurring_amount: 'number', currency: 'string', pos_id: 'string' } as const

/** Null is the same as absent: a row of a database has it. A text as an amount would be compared wrongly. */
function readExpected(expected: unknown): ExpectedPayment {
  const read: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(EXPECTED)) {
    const value = (expected as Record<string, unknown> | null | undefined)?.[name]
    if (value == null) continue
    if (typeof value !== type)
      throw new ConfigError(`expected.${name}`, `foldOrder: expected.${name} must be a ${type}.`)
    read[name] = value
  }
  return read
}

/** {@link foldOrder} for a store that keeps summaries instead of whole events. */
export function foldSummaries(
  order_id: string | null,
  summaries: readonly EventSummary[],
  expected: ExpectedPayment = {},
): Order {
  const distinct = [...new Map(summaries.map((summary) => [summary.id, summary])).values()].sort(byTime)
  const operations = foldOperations(distinct.filter(counts))
  const first = firstPayment(operations)?.newest
  const currency = first?.currency ?? null
  const totals = sum(operations, currency)
  return {
    order_id,
    status: first?.status ?? null,
    method: first?.method ?? null,
    amount: first?.amount ?? expected.amount ?? null,
    currency: currency ?? expected.currency ?? null,
    totals,
    operations: operations.map(describeOperation),
    events: distinct.map(describeEvent),
    flags: flagsOf(distinct, operations, first, totals, expected),
    updated_at: timeOf(distinct.at(-1)) ?? null,
  }
}

/** The payment that the order is about: see {@link foldOrder}. */
function firstPayment(operations: readonly Folded[]): Folded | undefined {
  const sales = operations.filter(isSale)
  const others = operations.filter(({ primary }) => primary)
  return sales.find(isPaid) ?? sales[0] ?? others.find(({ newest }) => newest.method !== 'lookup') ?? others[0]
}

const isSale = ({ newest: { method } }: Folded): boolean => method === 'purchase' || method === 'auth'
const isPaid = ({ newest }: Folded): boolean => newest.status === 'success'

/** Whether a payment failed before another one succeeded. The service itself repeats a failed charge of a subscription. */
function wasPaidAfterFailure(operations: readonly Folded[]): boolean {
  const sales = operations.filter(isSale)
  const paid = sales.find(isPaid)
  return sales.some(
    ({ newest, createdAt }) =>
      paid &&
      newest.status === 'failure' &&
      createdAt <= paid.createdAt &&
      !(newest.recurring_id !== undefined && newest.recurring_id === paid.newest.recurring_id),
  )
}

/** Whether an event says enough, and nothing impossible, to change an order: an odd field elsewhere does not matter. */
function counts(summary: EventSummary): boolean {
  const { unusable, method, status, currency, amount, processed_amount } = summary
  if (operationId(summary) === undefined || method === undefined) return false
  // Nothing is known of what an undocumented method needs, and nothing is added up from it.
  if (!isPrimary(summary) && !COUNTS.has(method)) return true
  if (unusable || status === undefined || currency === undefined || !isAmount(amount)) return false
  return processed_amount === undefined || isAmount(processed_amount)
}

const isAmount = (value: number | undefined): boolean => value !== undefined && value >= 0 && value <= MAX_AMOUNT

/** One operation's events and the one that counts. */
interface Folded {
  id: string
  newest: EventSummary
  primary: boolean
  createdAt: string
  /** Reported as a success and as a failure. */
  conflict: boolean
}

/** From events in the order of {@link byTime}. Ordered by creation; within one operation the newest state that may count. */
function foldOperations(summaries: readonly EventSummary[]): Folded[] {
  const paymentOf = chargesOf(summaries)
  const groups = new Map<string, { id: string; primary: boolean; events: EventSummary[] }>()
  for (const summary of summaries) {
    const primary = isPrimary(summary)
    const { id, key } = primary ? paymentOf(summary) : { id: operationId(summary) as string, key: '' }
    const groupKey = primary ? `/${key}` : `${summary.method}/${id}`
    const group = groups.get(groupKey) ?? { id, primary, events: [] }
    group.events.push(summary)
    groups.set(groupKey, group)
  }
  return [...groups.values()]
    .map(({ id, primary, events }) => ({
      id,
      primary,
      newest: newestOf(events),
      createdAt: events.map(({ created_at }) => sortable(created_at)).sort()[0] as string,
      conflict: ['success', 'failure'].every((status) => events.some((event) => event.status === status)),
    }))
    .sort((a, b) => compare(a.createdAt, b.createdAt) || Number(b.primary) - Number(a.primary) || compare(a.id, b.id))
}

/** A charge: what it is called, and when it was created. */
interface Charge {
  id: string
  key: string
  at: string
  /** Whether it is named by its payment and its transaction. */
  whole: boolean
}

/**
 * Which charge of a payment an event belongs to. Not every event has a `transaction_id`: one without belongs to the
 * charge that was created at the same moment. A final one that was created at another moment is a separate charge, so
 * that recurring charges do not erase each other; one that is not final belongs to the first charge.
 */
function chargesOf(summaries: readonly EventSummary[]): (summary: EventSummary) => Charge {
  const charges = new Map<string | undefined, Charge[]>()
  const chargeOf = (summary: EventSummary): Charge => ({
    id: operationId(summary) as string,
    key: chargeKey(summary),
    at: sortable(summary.created_at),
    whole: summary.transaction_id !== undefined && summary.payment_id !== undefined,
  })
  const add = (summary: EventSummary) => {
    for (const of of new Set([summary.payment_id, summary.transaction_id])) {
      if (of !== undefined) charges.set(of, [...(charges.get(of) ?? []), chargeOf(summary)])
    }
  }
  const primaries = summaries.filter(isPrimary)
  for (const summary of primaries) if (isOwnCharge(summary)) add(summary)
  // A transaction of which nothing is final yet.
  for (const summary of primaries) {
    if (summary.transaction_id !== undefined && !charges.has(summary.transaction_id)) add(summary)
  }
  for (const found of charges.values()) {
    // One with both identifiers comes before one without of the same moment.
    found.sort((a, b) => compare(a.at, b.at) || Number(b.whole) - Number(a.whole) || compare(a.key, b.key))
  }
  return (summary) => {
    const own = chargeOf(summary)
    const found = charges.get(summary.transaction_id ?? summary.payment_id) ?? []
    if (isOwnCharge(summary) && own.whole) return own
    const same = found.find(({ at }) => at === own.at)
    return same ?? (isOwnCharge(summary) ? own : found[0]) ?? { ...own, key: own.id }
  }
}

const isOwnCharge = (summary: EventSummary): boolean => isFinal(summary) && summary.created_at !== undefined

/** Of events in the order of {@link byTime}: the newest, but a final status never goes back to one that is not. */
function newestOf(events: readonly EventSummary[]): EventSummary {
  return (events.filter(isFinal).at(-1) ?? events.at(-1)) as EventSummary
}

const isFinal = (summary: EventSummary): boolean => rank(summary) > 1

/** How final a status is. A success outranks a failure of the same moment: money that moved must not be overlooked. */
function rank({ status }: EventSummary): number {
  if (status === 'success') return 3
  if (status === 'failure') return 2
  return status === 'init' ? 0 : 1
}

function byTime(a: EventSummary, b: EventSummary): number {
  return (
    compare(sortable(timeOf(a)), sortable(timeOf(b))) ||
    rank(a) - rank(b) ||
    // The one that says more: a fee or a processed amount that came later must not depend on the order of arrival.
    Object.keys(a).length - Object.keys(b).length ||
    // Nothing tells them apart any more: any order will do, as long as it is always the same.
    compare(a.id, b.id)
  )
}

const timeOf = (summary: EventSummary | undefined): string | undefined => summary?.processed_at ?? summary?.created_at

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

/** What was paid: the payer may have changed the amount, but an amount in another currency cannot be added up. */
export function paid({ amount, currency, processed_amount, processed_currency }: EventSummary): number {
  const same = processed_currency === undefined || processed_currency === currency
  return hundredths(((same ? processed_amount : undefined) ?? amount) as number)
}

function sum(operations: readonly Folded[], currency: string | null): OrderTotals {
  const totals: OrderTotals = { authorized: 0, captured: 0, refunded: 0, voided: 0, fee: 0 }
  for (const { newest } of operations) {
    if (newest.status !== 'success') continue
    const { fee_amount, fee_currency = newest.currency } = newest
    if (isAmount(fee_amount) && fee_currency === (currency ?? newest.currency)) {
      totals.fee += hundredths(fee_amount as number)
    }
    if (currency !== null && newest.currency !== currency) continue
    for (const name of COUNTS.get(newest.method) ?? []) totals[name] += paid(newest)
  }
  return totals
}

/** A map, because an event's method may be "constructor". */
const COUNTS: ReadonlyMap<string | undefined, readonly (keyof OrderTotals)[]> = /* @__PURE__ */ new Map([
  ['purchase', ['authorized', 'captured']],
  ['auth', ['authorized']],
  ['auth_increment', ['authorized']],
  ['capture', ['captured']],
  ['refund', ['refunded']],
  ['void', ['voided']],
])

function flagsOf(
  summaries: readonly EventSummary[],
  operations: readonly Folded[],
  first: EventSummary | undefined,
  totals: OrderTotals,
  expected: ExpectedPayment,
): OrderFlag[] {
  const { captured, authorized, voided, refunded } = totals
  const succeeded = first?.status === 'success'
  // A void releases an authorization; what was paid at once was not held.
  const held = first?.method === 'auth' ? authorized - voided : authorized
  const currencies = operations
    .filter(({ newest }) => COUNTS.has(newest.method))
    .flatMap(({ newest: { currency, processed_currency } }) => [currency, processed_currency])
  const known = [...currencies, expected.currency].filter((currency) => currency !== undefined)
  const { pos_id } = expected
  const raised: [OrderFlag, boolean][] = [
    ['amount_mismatch', hasOtherAmount(operations, first, expected)],
    ['currency_mismatch', new Set(known).size > 1],
    ['over_capture', succeeded && captured > held],
    ['unexpected_shape', summaries.some((summary) => summary.kind === 'unexpected' || !counts(summary))],
    ['foreign_pos', summaries.some((summary) => pos_id !== undefined && isOther(summary.pos_id, pos_id))],
    ['status_conflict', operations.some(({ conflict }) => conflict)],
    ['over_refund', succeeded && refunded > captured],
    ['paid_after_failure', wasPaidAfterFailure(operations)],
  ]
  return raised.flatMap(([flag, isRaised]) => (isRaised ? [flag] : []))
}

/** The first payment is compared with the expected amount, each further charge with the recurring one. */
function hasOtherAmount(
  operations: readonly Folded[],
  first: EventSummary | undefined,
  { amount, recurring_amount }: ExpectedPayment,
): boolean {
  const differs = ({ amount: asked, processed_amount }: EventSummary, wanted: number | undefined) =>
    wanted !== undefined && hundredths((processed_amount ?? asked) as number) !== hundredths(wanted)
  return operations.some((one) =>
    one.newest === first
      ? differs(one.newest, amount)
      : isSale(one) && isPaid(one) && differs(one.newest, recurring_amount),
  )
}

const isOther = (received: string | undefined, expected: string): boolean =>
  received !== undefined && received.toLowerCase() !== expected.toLowerCase()

function describeOperation({ id, newest }: Folded): OrderOperation {
  return { method: newest.method as string, id, ...stateOf(newest) }
}

function describeEvent(summary: EventSummary): OrderEvent {
  const { id, kind, method = null, currency = null } = summary
  const event: OrderEvent = { id, method, operation: operationId(summary) ?? null, ...stateOf(summary), currency }
  return kind === 'unexpected' ? { ...event, unexpected: true } : event
}

type State = Omit<OrderOperation, 'method' | 'id'>

const STATE = ['status', 'status_code', 'amount', 'created_at', 'processed_at'] as const

const stateOf = (summary: EventSummary): State =>
  Object.fromEntries(STATE.map((name) => [name, summary[name] ?? null])) as unknown as State
