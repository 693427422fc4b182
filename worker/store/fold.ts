import type { Fact } from './event-summary.ts'
import type { Asked, Flag, Operation, Order, OrderEvent, Totals } from './order.ts'

const PRIMARY: readonly unknown[] = ['purchase', 'auth', 'credit', 'p2p', 'lookup']

/** One operation's facts and the one that counts. */
interface Folded {
  id: string
  /** The newest state. */
  newest: Fact
  primary: boolean
  createdAt: string
}

/**
 * The state of an order from its events: pure, total, and the same for any order and any repetition of them.
 *
 * @param facts The events, as they come.
 * @param asked What was asked for at checkout; undefined for an order that this worker never opened.
 */
export function foldOrder(order_id: string, facts: readonly Fact[], asked?: Asked | undefined): Order {
  const distinct = [...new Map(facts.map((fact) => [fact.id, fact])).values()].sort(byTime)
  const operations = foldOperations(distinct.filter(({ kind }) => kind !== 'unexpected'))
  const first = operations.find(({ primary }) => primary)?.newest
  const currency = first?.currency ?? null
  const totals = sum(operations, currency)
  return {
    order_id,
    status: first?.status ?? null,
    method: first?.method ?? null,
    amount: first?.amount ?? asked?.amount ?? null,
    currency: currency ?? asked?.currency ?? null,
    totals,
    operations: operations.map(describeOperation),
    events: distinct.map(describeEvent),
    flags: flagsOf(distinct, operations, first, totals, asked),
    updated_at: distinct.reduce<string | null>((latest, fact) => later(latest, timeOf(fact)), null),
  }
}

/** Sorted by creation; within one operation the newest state that may count. */
function foldOperations(facts: readonly Fact[]): Folded[] {
  const transactions = firstTransactions(facts)
  const groups = new Map<string, { id: string; primary: boolean; facts: Fact[] }>()
  for (const fact of facts) {
    const primary = PRIMARY.includes(fact.method)
    const id = primary ? primaryId(fact, transactions) : operationId(fact)
    if (id === undefined) continue
    const key = `${primary ? '' : fact.method}/${id}`
    const group = groups.get(key) ?? { id, primary, facts: [] }
    group.facts.push(fact)
    groups.set(key, group)
  }
  return [...groups.values()]
    .map(({ id, primary, facts }) => ({ id, primary, newest: newestOf(facts), createdAt: earliest(facts) }))
    .sort((a, b) => compare(a.createdAt, b.createdAt) || Number(b.primary) - Number(a.primary) || compare(a.id, b.id))
}

/** A payment's webhooks need not all have a transaction_id: those without one belong to the payment's first transaction. */
function firstTransactions(facts: readonly Fact[]): Map<string, { id: string; at: string }> {
  const first = new Map<string, { id: string; at: string }>()
  for (const { method, payment_id, transaction_id: id, created_at } of facts) {
    if (!PRIMARY.includes(method) || payment_id === undefined || id === undefined) continue
    const at = padded(created_at)
    const known = first.get(payment_id)
    if (!known || (compare(at, known.at) || compare(id, known.id)) < 0) first.set(payment_id, { id, at })
  }
  return first
}

function primaryId(fact: Fact, transactions: Map<string, { id: string }>): string | undefined {
  const { transaction_id, payment_id } = fact
  if (transaction_id !== undefined || payment_id === undefined) return transaction_id
  return transactions.get(payment_id)?.id ?? payment_id
}

const operationId = (fact: Fact): string | undefined => fact.operation_id ?? fact.transaction_id ?? fact.payment_id

/** A final status never goes back to one that is not; else the newest time counts, at a tie the more final status. */
function newestOf(facts: readonly Fact[]): Fact {
  return facts.reduce((best, fact) => {
    const better = Number(rank(fact) > 1) - Number(rank(best) > 1) || byTime(fact, best)
    return better > 0 ? fact : best
  })
}

/** How final a status is. A success outranks a failure of the same moment: money that moved must not be overlooked. */
function rank({ status }: Fact): number {
  if (status === 'success') return 3
  if (status === 'failure') return 2
  return status === 'init' || status === undefined ? 0 : 1
}

function byTime(a: Fact, b: Fact): number {
  return (
    compare(padded(timeOf(a)), padded(timeOf(b))) ||
    rank(a) - rank(b) ||
    // Nothing tells them apart any more: any order will do, as long as it is always the same.
    compare(a.status ?? '', b.status ?? '') ||
    compare(a.id, b.id)
  )
}

const timeOf = (fact: Fact): string | undefined => fact.processed_at ?? fact.created_at

/** Timestamps have no zone and are compared as text; their fraction may have any length, or be absent. */
function padded(time: string | undefined | null): string {
  const [whole = '', fraction = ''] = (time ?? '').split('.')
  return `${whole}.${fraction.padEnd(9, '0')}`
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const earliest = (facts: readonly Fact[]): string =>
  facts.map(({ created_at }) => padded(created_at)).reduce((a, b) => (compare(a, b) <= 0 ? a : b))

function later(a: string | null, b: string | undefined): string | null {
  if (b === undefined) return a
  if (a === null) return b
  // At the same moment the shorter text: written twice in two forms, it must not depend on which came first.
  const order = compare(padded(b), padded(a))
  return order > 0 || (order === 0 && b.length < a.length) ? b : a
}

/** What was paid: the payer may have changed the amount, but an amount in another currency cannot be added up. */
function paid({ amount = 0, currency, processed_amount, processed_currency }: Fact): number {
  const same = processed_currency === undefined || processed_currency === currency
  return minorUnits(processed_amount !== undefined && same ? processed_amount : amount)
}

/** Hundredths. Rounding to whole units first would lose them, cutting would turn 0.29 into 28. */
const minorUnits = (amount: number): number => Math.round(amount * 100)

function sum(operations: readonly Folded[], currency: string | null): Totals {
  const totals: Totals = { authorized: 0, captured: 0, refunded: 0, voided: 0, fee: 0 }
  for (const { newest: fact } of operations) {
    if (fact.status !== 'success') continue
    if (fact.fee_amount !== undefined && (fact.fee_currency ?? fact.currency) === (currency ?? fact.currency)) {
      totals.fee += minorUnits(fact.fee_amount)
    }
    if (currency !== null && fact.currency !== currency) continue
    for (const name of COUNTS.get(fact.method) ?? []) totals[name] += paid(fact)
  }
  return totals
}

/** A map, because an event's method may be "constructor". */
const COUNTS: ReadonlyMap<string | undefined, readonly (keyof Totals)[]> = new Map([
  ['purchase', ['authorized', 'captured']],
  ['auth', ['authorized']],
  ['auth_increment', ['authorized']],
  ['capture', ['captured']],
  ['refund', ['refunded']],
  ['void', ['voided']],
])

function flagsOf(
  facts: readonly Fact[],
  operations: readonly Folded[],
  first: Fact | undefined,
  totals: Totals,
  asked: Asked | undefined,
): Flag[] {
  const flags: Flag[] = []
  if (asked && first && minorUnits(first.processed_amount ?? first.amount ?? 0) !== minorUnits(asked.amount)) {
    flags.push('amount_mismatch')
  }
  const currencies = operations
    .filter(({ newest }) => COUNTS.has(newest.method))
    .flatMap(({ newest: { currency, processed_currency } }) => [currency, processed_currency])
    .filter((currency) => currency !== undefined)
  if (new Set(asked ? [...currencies, asked.currency] : currencies).size > 1) flags.push('currency_mismatch')
  if (first?.status === 'success' && totals.captured > totals.authorized) flags.push('over_capture')
  if (!asked && facts.length > 0) flags.push('unknown_order')
  if (facts.some(({ kind }) => kind === 'unexpected')) flags.push('unexpected_shape')
  return flags
}

function describeOperation({ id, newest }: Folded): Operation {
  return { method: newest.method ?? '', id, ...stateOf(newest) }
}

function describeEvent(fact: Fact): OrderEvent {
  const { id, method = null, currency = null } = fact
  const event: OrderEvent = { id, method, operation: operationId(fact) ?? null, ...stateOf(fact), currency }
  return fact.kind === 'unexpected' ? { ...event, unexpected: true } : event
}

function stateOf({ status, status_code, amount, created_at, processed_at }: Fact): Omit<Operation, 'method' | 'id'> {
  return {
    status: status ?? null,
    status_code: status_code ?? null,
    amount: amount ?? null,
    created_at: created_at ?? null,
    processed_at: processed_at ?? null,
  }
}
