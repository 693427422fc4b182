import { isFinal } from '../helpers/status.ts'
import { hundredths, isAmount } from '../lib/decimal.ts'
import { methodOf } from '../operations/secondary-operation.ts'
import { type DocumentedEvent, isDocumentedEvent, type PrimaryEvent, type WebhookEvent } from '../schemas/event.ts'
import type { OrderView } from './look-up.ts'

type SecondaryEvent = Exclude<DocumentedEvent, PrimaryEvent>
type SecondaryMethod = 'capture' | 'void' | 'refund'

/** The resolved outcome of a call. */
export type ResolvedOutcome =
  /** The service has the operation. `record.status` shows whether money moved. */
  | { outcome: 'executed'; record: DocumentedEvent }
  /** The service does not have the operation: the same call can be made again. */
  | { outcome: 'not_executed' }
  /** The outcome cannot be decided: `why` contains the reason and the next step. */
  | { outcome: 'unknown'; why: string }

/** The facts about a call that decide its outcome. */
export interface CallFacts {
  operation: string
  amount: number | undefined
  currency: string | undefined
  /** The ids of the operations from before the call; undefined if they are not known. */
  known: ReadonlySet<string> | undefined
  /** Whether enough time has passed for an absence to count. */
  settled: boolean
}

/**
 * Decides the outcome of a call from the service's view of its order: pure. An absence is concluded only from a view
 * whose every row was understood.
 */
export function decide(call: CallFacts, view: OrderView): ResolvedOutcome {
  return whereRead(decideByOperation(call, view), call, view)
}

/** {@link decide} for a void, or for a capture or refund whose amount is known. */
export function decideMoney(call: CallFacts, view: OrderView): ResolvedOutcome {
  return whereRead(decideSecondary(call, methodOf(call.operation) as SecondaryMethod, view, call.amount), call, view)
}

function whereRead(decided: ResolvedOutcome, call: CallFacts, view: OrderView): ResolvedOutcome {
  if (decided.outcome !== 'not_executed') return decided
  if (view.mixed) return unknown('The service shows records of another order too: ask again later.')
  return view.operations.some((event) => mayBe(event, call, view)) ? unknown(UNREADABLE) : decided
}

function decideByOperation(call: CallFacts, view: OrderView): ResolvedOutcome {
  const method = methodOf(call.operation)
  if (method) return decideSecondary(call, method, view, call.amount ?? wholeAmount(method, view, call.known))
  if (call.operation === 'cancelPayment') return decideCancellation(call, view)
  if (call.operation === 'cancelRecurring') return decideSubscription(call, view)
  if (/^create(Payment|SplitPurchase)$/.test(call.operation)) return decideCreation(call, view)
  return unknown(`resolveOutcome cannot look up "${call.operation}". Ask for the state of what it was about.`)
}

export function unknown(why: string): ResolvedOutcome {
  return { outcome: 'unknown', why }
}

function absent({ settled }: CallFacts): ResolvedOutcome {
  if (settled) return { outcome: 'not_executed' }
  return unknown('The service does not show it yet, which may change: ask again later.')
}

const NO_PAYMENT = 'The service shows no payment of this order: check order_id and pos_id.'
const UNREADABLE = 'The service shows an unreadable operation, which may be this one.'
const OTHERS = 'The service shows another operation of this kind, which may be this one.'

// The service takes an order_id once: its payment is the requested payment.
function decideCreation(call: CallFacts, { operations }: OrderView): ResolvedOutcome {
  const [first] = primariesOf(operations).filter(({ payment_id }) => !call.known?.has(payment_id))
  if (!first) return absent(call)
  const { amount, currency } = call
  const same = (amount ?? first.amount) === first.amount && (currency ?? first.currency) === first.currency
  if (same) return { outcome: 'executed', record: first }
  return unknown(`The order has a payment of ${first.amount} ${first.currency}, not what was asked for.`)
}

function decideCancellation(call: CallFacts, { operations }: OrderView): ResolvedOutcome {
  const payments = primariesOf(operations)
  const cancelled = payments.find(({ status_code }) => status_code === CANCELLED)
  if (cancelled) return { outcome: 'executed', record: cancelled }
  const payment = payments.find(({ status }) => !isFinal(status)) ?? payments[0]
  if (!payment) return unknown(NO_PAYMENT)
  if (!isFinal(payment.status)) return absent(call)
  // A final status never changes, unless its code is missing: then it may be a cancellation.
  if (payment.status === 'failure' && payment.status_code == null) return unknown(UNREADABLE)
  return { outcome: 'not_executed' }
}

/** "Payment has been cancelled" (the API document, "States and transitions"). */
const CANCELLED = '6007'

function decideSubscription(call: CallFacts, { operations }: OrderView): ResolvedOutcome {
  const charges = primariesOf(operations).filter(({ recurring }) => recurring)
  const cancelled = charges.find(({ recurring }) => recurring?.status === 'canceled')
  if (cancelled) return { outcome: 'executed', record: cancelled }
  if (charges.length === 0) return unknown('The service shows no subscription of this order.')
  return absent(call)
}

function decideSecondary(
  call: CallFacts,
  method: SecondaryMethod,
  view: OrderView,
  amount: number | undefined,
): ResolvedOutcome {
  const { known } = call
  const payment = primariesOf(view.operations)[0]
  if (!payment) return unknown(NO_PAYMENT)
  // A payment under an unknown method is not a secondary operation.
  const unreadable = view.operations.filter(({ kind, record }) => kind !== 'unknown' || isText(record.operation_id))
  if (unreadable.some((event) => mayBe(event, call, view))) return unknown(UNREADABLE)
  const sameKind = secondariesOf(view.operations).filter((one) => one.kind === method)
  const fresh = sameKind.filter(({ operation_id }) => !known?.has(operation_id))
  const candidates = fresh.filter(
    (one) => one.amount === (amount ?? one.amount) && one.currency === (call.currency ?? one.currency),
  )
  const [record] = candidates
  if (!record) {
    // The actual amount may differ from the requested amount; a re-sent webhook hides all but the latest.
    return (view.complete ? fresh : sameKind).length > 0 ? unknown(OTHERS) : absent(call)
  }
  if (!known) return unknown(`Without \`known\`, ${method} ${record.operation_id} may be from before the call.`)
  if (candidates.length > 1) return unknown(`${candidates.length} operations match: one can be this one.`)
  if (amount === undefined && method !== 'void') {
    return unknown('The amount was left out, and the list does not show it.')
  }
  return { outcome: 'executed', record }
}

/** The sum of a capture or refund without an amount, if the list shows it beyond doubt. */
function wholeAmount(
  method: SecondaryMethod,
  { operations, complete }: OrderView,
  known: CallFacts['known'],
): number | undefined {
  const [payment, ...charges] = primariesOf(operations)
  if (method === 'void' || !payment || !known || charges.length > 0 || payment.status !== 'success') return undefined
  const secondaries = secondariesOf(operations)
  const earlier = secondaries.filter(({ operation_id }) => known.has(operation_id))
  // Another new operation may have come before or after it.
  if (secondaries.length - earlier.length > 1) return undefined
  const listed = new Set([payment.payment_id, ...earlier.map(({ operation_id }) => operation_id)])
  if ([...known].some((id) => !listed.has(id)) || !(complete || earlier.length === 0)) return undefined
  const paid = payment.processed_amount ?? payment.amount
  const amounts = [payment.amount, paid, ...earlier.map((one) => one.amount)]
  if (!amounts.every(isAmount) || !earlier.every(({ status }) => isFinal(status))) return undefined
  const sum = (kind: SecondaryEvent['kind']) =>
    earlier
      .filter((one) => one.kind === kind && one.status === 'success')
      .reduce((total, one) => total + hundredths(one.amount), 0)
  if (method === 'capture') {
    if (payment.kind !== 'auth' || paid !== payment.amount || sum('void') > 0) return undefined
    return (hundredths(payment.amount) + sum('auth_increment') - sum('capture')) / 100
  }
  if (payment.kind === 'auth') return (sum('capture') - sum('refund')) / 100
  return payment.kind === 'purchase' ? (hundredths(paid) - sum('refund')) / 100 : undefined
}

/**
 * Whether an element cannot be read and may be the wanted operation. Elements of another kind are excluded. In a
 * complete list, so are elements from before the call.
 */
function mayBe(event: WebhookEvent, { operation, known }: CallFacts, { complete }: OrderView): boolean {
  // An empty status gives no outcome.
  if (isDocumentedEvent(event)) return event.status === ''
  const { kind, method, record } = event
  if (complete && isText(record.operation_id) && known?.has(record.operation_id)) return false
  const wanted = methodOf(operation)
  return !complete || kind === 'unknown' || !method || !wanted || method === wanted
}

const isText = (value: unknown): value is string => typeof value === 'string'

// Decide by kind, not by fields: an undocumented field may appear in any record.
const SECONDARY: readonly string[] = ['capture', 'void', 'refund', 'auth_increment']
const isSecondary = (event: WebhookEvent): event is SecondaryEvent => SECONDARY.includes(event.kind)

/** The payments of an order, oldest first: the charges of a subscription share its order_id. */
function primariesOf(operations: readonly WebhookEvent[]): PrimaryEvent[] {
  const primaries = operations.filter((event): event is PrimaryEvent => isDocumentedEvent(event) && !isSecondary(event))
  return primaries.sort((a, b) => (String(a.created_at) < String(b.created_at) ? -1 : 1))
}

/** The secondary operations of an order, each once. */
function secondariesOf(operations: readonly WebhookEvent[]): SecondaryEvent[] {
  return [...new Map(operations.filter(isSecondary).map((one) => [one.operation_id, one])).values()]
}
