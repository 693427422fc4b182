import { ConfigError } from '../errors.ts'
import { hundredths } from '../lib/decimal.ts'
import type { EventCopy } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { isPrimary, isWhole, operationId, operationOf, sortable } from './identity.ts'
import type { ExpectedPayment, Order, OrderEvent, OrderFlag, OrderOperation, OrderTotals } from './order.ts'
import { isAmount, movedBy } from './paid-of.ts'
import { type EventSummary, summarizeEvent } from './summary.ts'

/**
 * The state of an order from its events: pure, total, and the same for any order and any repetition of the events.
 *
 * Payments are identified by `payment_id` and `created_at` (charges of a subscription may share the first), other
 * operations by `operation_id`, as {@link operationKey} does. The newest event of an operation counts, by
 * `processed_at ?? created_at`; at a tie the more final status, then the event with more fields. A final status never
 * goes back to an open status. The order's `status`, `amount` and `currency` are those of its first successful purchase
 * or authorization, else of its first one, else of its first other payment: an order with money in it is never shown as
 * failed.
 *
 * @param events The events of one order, in any order; copies of events (JSON, `structuredClone`, a queue) do.
 * @param expected The payment that you expect; without it nothing is compared.
 * @throws {ConfigError} for events of two orders, often a missing WHERE, for a copy that has lost a field, and for an
 *   `expected` of another type.
 * @example
 * import { foldOrder, needsPerson } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * function isPaid(events: WebhookEvent[]): boolean {
 *   const order = foldOrder(events, { amount: 100.5, currency: 'UAH' })
 *   return !needsPerson(order) && order.totals.captured_minor - order.totals.refunded_minor >= 10_050
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
  const operations = foldOperations(distinct)
  const first = firstPayment(operations)?.newest
  const currency = first?.currency ?? null
  const totals = sum(operations, currency, first?.method)
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

/**
 * Whether a payment failed before a later payment succeeded. The service itself repeats a failed charge of a
 * subscription.
 */
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

/** Whether more than one payment holds money. A subscription is charged again and again. */
function isPaidTwice(
  operations: readonly Folded[],
  totals: OrderTotals,
  { recurring_amount }: ExpectedPayment,
): boolean {
  const sums = operations.flatMap((one) =>
    isSale(one) && isPaid(one) && !one.newest.recurring_id ? paid(one.newest) : [],
  )
  return recurring_amount === undefined && sums.length > 1 && heldOf(totals) > Math.max(...sums)
}

/**
 * Whether an event has enough fields, and no impossible value, to change an order: odd fields elsewhere do not matter.
 */
function counts(summary: EventSummary): boolean {
  const { unusable, method, status, currency, amount, processed_amount } = summary
  if (operationId(summary) === undefined || method === undefined) return false
  // The needs of an undocumented method are unknown, and it is added to no total.
  if (!isPrimary(summary) && !COUNTS.has(method)) return true
  if (unusable || status === undefined || currency === undefined || !isAmount(amount)) return false
  return processed_amount === undefined || isAmount(processed_amount)
}

/** One operation's events and the event that counts. */
export interface Folded<T extends EventSummary = EventSummary> {
  /** Its identity; see {@link operationOf}. */
  key: string
  id: string
  /** In the order of {@link byTime}. */
  events: T[]
  newest: T
  primary: boolean
  createdAt: string
  /** Reported as a success and as a failure, or as two transactions. */
  conflict: boolean
}

/** The operations of an order, ordered by creation, each in its newest state that may count. */
export function foldOperations<T extends EventSummary>(summaries: readonly T[]): Folded<T>[] {
  return [...groupsOf(summaries.filter(counts)).groups]
    .map(([key, group]): Folded<T> => {
      const events = group.sort(byTime)
      const newest = newestOf(events)
      const primary = isPrimary(newest)
      const named = [newest, ...events].find((event) => !primary || event.transaction_id !== undefined) ?? newest
      const transactions = new Set(events.map(({ transaction_id }) => transaction_id?.toLowerCase()))
      transactions.delete(undefined)
      return {
        ...{ key, id: operationId(named) as string, events, newest, primary },
        createdAt: events.map(({ created_at }) => sortable(created_at)).sort()[0] as string,
        conflict:
          (primary && transactions.size > 1) ||
          ['success', 'failure'].every((status) => events.some((event) => event.status === status)),
      }
    })
    .sort((a, b) => compare(a.createdAt, b.createdAt) || Number(b.primary) - Number(a.primary) || compare(a.key, b.key))
}

interface Groups<T> {
  /** Events by their operation's key. */
  groups: Map<string, T[]>
  /** The key of the operation that an event belongs to. */
  keyOf(event: EventSummary): string
}

/** Groups events by their operation. Events that name it completely come first. */
function groupsOf<T extends EventSummary>(summaries: readonly T[]): Groups<T> {
  const groups = new Map<string, T[]>()
  const indexes = new Map<string, number>()
  /** By each id of a payment, with and without its time: the first group with that id. */
  const firsts = new Map<string, { key: string; index: number }>()
  const keyOf = (event: EventSummary) =>
    (isWhole(event) ? undefined : firsts.get(wantedBy(event))?.key) ?? JSON.stringify(operationOf(event))
  const lack = (event: T) => (isWhole(event) ? 0 : event.transaction_id === undefined ? 2 : 1)
  for (const event of [...summaries].sort((a, b) => lack(a) - lack(b) || byTime(a, b))) {
    const key = keyOf(event)
    const index = indexes.get(key) ?? indexes.size
    indexes.set(key, index)
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push(event)
    if (!isPrimary(event)) continue
    for (const id of idsOf(event)) if (index < (firsts.get(id)?.index ?? index + 1)) firsts.set(id, { key, index })
  }
  return { groups, keyOf }
}

/** The ids by which an incomplete event of a payment may be found. */
const idsOf = ({ transaction_id, payment_id, created_at }: EventSummary): string[] =>
  Object.entries({ transaction_id, payment_id }).flatMap(([name, id]) =>
    id === undefined ? [] : [idOf(name, id), idOf(name, id, created_at)],
  )

const idOf = (name: string, id: string, ...time: (string | undefined)[]): string =>
  JSON.stringify([name, id.toLowerCase(), ...time.map(sortable)])

/**
 * A payment's event without `payment_id` or `created_at` belongs to the first charge of its transaction, or, if it
 * names none, of its payment: no money may count twice.
 */
function wantedBy({ transaction_id, payment_id = '', created_at }: EventSummary): string {
  const name = transaction_id === undefined ? 'payment_id' : 'transaction_id'
  return idOf(name, transaction_id ?? payment_id, ...(created_at === undefined ? [] : [created_at]))
}

/** The identity of an event's operation among the events of its order; undefined for an event that names none. */
export function operationAmong(summaries: readonly EventSummary[], event: EventSummary): string | undefined {
  if (!operationOf(event)) return undefined
  return groupsOf(isWhole(event) ? [] : summaries.filter(operationOf)).keyOf(event)
}

/** The newest of events in the order of {@link byTime}; a final status never goes back to an open status. */
function newestOf<T extends EventSummary>(events: readonly T[]): T {
  return (events.filter(isFinal).at(-1) ?? events.at(-1)) as T
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
    // The event with more fields: a later fee or processed amount must not depend on the order of arrival.
    Object.keys(a).length - Object.keys(b).length ||
    // The events no longer differ in what counts: any order will do, as long as it is always the same.
    compare(a.id, b.id)
  )
}

const timeOf = (summary: EventSummary | undefined): string | undefined => summary?.processed_at ?? summary?.created_at

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

/** The paid amount: the payer may have changed it, but an amount in another currency cannot be added up. */
export function paid({ amount, currency, processed_amount, processed_currency }: EventSummary): number {
  const same = processed_currency === undefined || processed_currency === currency
  return hundredths(((same ? processed_amount : undefined) ?? amount) as number)
}

/**
 * Whether an operation takes or gives back money, so that its fee counts: neither a hold nor its release does.
 *
 * @param payment The method of the order's payment: a void gives a purchase back.
 */
export const movesMoney = (method: string | undefined, payment: string | null | undefined): boolean =>
  method === 'void' ? payment === 'purchase' : method !== 'auth' && method !== 'auth_increment'

function sum(operations: readonly Folded[], currency: string | null, payment: string | undefined): OrderTotals {
  const none = { authorized_minor: 0, captured_minor: 0, refunded_minor: 0, voided_minor: 0 }
  const totals: OrderTotals = { ...none, fee_minor: null }
  let expected = 0
  for (const { newest } of operations) {
    if (newest.status !== 'success') continue
    const { fee_amount, fee_currency = newest.currency } = newest
    if (isAmount(fee_amount) && fee_currency === (currency ?? newest.currency)) {
      const fee = hundredths(fee_amount)
      if (movesMoney(newest.method, payment)) totals.fee_minor = Number(totals.fee_minor) + fee
      else if (newest.method !== 'void') expected += fee
    }
    if (currency !== null && newest.currency !== currency) continue
    for (const name of COUNTS.get(newest.method) ?? []) totals[name] += paid(newest)
  }
  const isStillHeld = totals.captured_minor === 0 && totals.voided_minor === 0
  return expected > 0 && isStillHeld ? { ...totals, expected_fee_minor: expected } : totals
}

/**
 * The amount that is reserved or paid, and was not given back. A void releases an authorization, or takes a purchase
 * back.
 */
const heldOf = (totals: OrderTotals): number =>
  Math.max(totals.authorized_minor, totals.captured_minor) - totals.refunded_minor - totals.voided_minor

/** Whether money is reserved or paid. */
export const holdsMoney = (totals: OrderTotals): boolean => heldOf(totals) > 0

/** The attempt that represents its order: the first that holds money, else the newest. */
export const shownOf = <T extends { order: { totals: OrderTotals } }>(attempts: readonly T[]): T | undefined =>
  attempts.find(({ order }) => holdsMoney(order.totals)) ?? attempts.at(-1)

/** A map, because an event's method may be "constructor". */
const COUNTS: ReadonlyMap<
  string | undefined,
  readonly Exclude<keyof OrderTotals, 'fee_minor' | 'expected_fee_minor'>[]
> = /* @__PURE__ */ new Map([
  ['purchase', ['authorized_minor', 'captured_minor']],
  ['auth', ['authorized_minor']],
  ['auth_increment', ['authorized_minor']],
  ['capture', ['captured_minor']],
  ['refund', ['refunded_minor']],
  ['void', ['voided_minor']],
])

function flagsOf(
  summaries: readonly EventSummary[],
  operations: readonly Folded[],
  first: EventSummary | undefined,
  totals: OrderTotals,
  expected: ExpectedPayment,
): OrderFlag[] {
  const {
    captured_minor: captured,
    authorized_minor: authorized,
    voided_minor: voided,
    refunded_minor: refunded,
  } = totals
  const succeeded = first?.status === 'success'
  // A void releases an authorization; a one-step payment was never held.
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
    ['unexpected_shape', summaries.some((one) => one.kind === 'unexpected' || !counts(one) || isRounded(one))],
    ['foreign_pos', summaries.some((summary) => pos_id !== undefined && isOther(summary.pos_id, pos_id))],
    ['status_conflict', operations.some(({ conflict }) => conflict)],
    ['over_refund', succeeded && refunded > captured],
    ['paid_after_failure', wasPaidAfterFailure(operations)],
    ['paid_twice', isPaidTwice(operations, totals, expected)],
  ]
  return raised.flatMap(([flag, isRaised]) => (isRaised ? [flag] : []))
}

/** Whether an amount has fractions of a hundredth, which the totals lose. */
const isRounded = ({ amount = 0, processed_amount = 0 }: EventSummary): boolean =>
  [amount, processed_amount].some((value) => hundredths(value) / 100 !== value)

/** The first payment is compared with the expected amount, each later charge with the recurring amount. */
function hasOtherAmount(
  operations: readonly Folded[],
  first: EventSummary | undefined,
  { amount, recurring_amount }: ExpectedPayment,
): boolean {
  const differs = ({ amount, processed_amount }: EventSummary, wanted: number | undefined) =>
    wanted !== undefined && hundredths((processed_amount ?? amount) as number) !== hundredths(wanted)
  return operations.some((one) =>
    one.newest === first
      ? differs(one.newest, amount)
      : isSale(one) && isPaid(one) && differs(one.newest, recurring_amount),
  )
}

const isOther = (received: string | undefined, expected: string): boolean =>
  received !== undefined && received.toLowerCase() !== expected.toLowerCase()

function describeOperation({ id, newest }: Folded): OrderOperation {
  const moved = movedBy(newest)
  const method = newest.method as string
  return { method, id, ...stateOf(newest), ...(moved && { [method === 'auth' ? 'held' : 'paid']: moved }) }
}

function describeEvent(summary: EventSummary): OrderEvent {
  const { id, kind, method = null, currency = null } = summary
  const event: OrderEvent = { id, method, operation: operationId(summary) ?? null, ...stateOf(summary), currency }
  return kind === 'unexpected' ? { ...event, unexpected: true } : event
}

type State = Omit<OrderOperation, 'method' | 'id' | 'paid' | 'held'>

const STATE = ['status', 'status_code', 'amount', 'created_at', 'processed_at'] as const

const stateOf = (summary: EventSummary): State =>
  Object.fromEntries(STATE.map((name) => [name, summary[name] ?? null])) as unknown as State
