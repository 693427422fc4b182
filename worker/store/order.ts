import { type ExpectedPayment, type Order as FoldedOrder, foldSummaries } from '../sdk.ts'
import { type Attempt, isOpen, listAttempts } from './attempts.ts'
import { attemptId, type CheckoutRecord, getCheckout } from './checkouts.ts'
import { type LoggedEvent, listEvents, orderKeyOf } from './event-log.ts'
import { type KvStore, unlessJustWritten } from './kv.ts'

/** An order as `GET /api/orders/:order_id` returns it. Amounts are the wire's numbers, totals are minor units. */
export interface Order extends FoldedOrder {
  order_id: string
  /** Captures, refunds and voids whose outcome is not known yet. */
  attempts: OpenAttempt[]
  /** What the shop itself calls the sale, as its link had it. */
  reference?: string
  /** The customer's e-mail address, as the link had it; gone when the personal data was removed. */
  customer_email?: string
  /** The order_id of the attempt that took this order's place, when there is one. */
  replaced_by?: string
  /** The order that this attempt belongs to, when it is not the first. */
  replaces?: string
}

/** A capture, refund or void whose outcome is not known yet; it can be settled by hand. */
export interface OpenAttempt {
  id: string
  kind: 'capture' | 'refund' | 'void'
  /** In the currency's unit; null: all that was left. */
  amount: number | null
  /** `in_progress`: there is no response yet, or the worker died. `unknown`: the response did not say. */
  state: 'in_progress' | 'unknown'
  /** ISO 8601, UTC. */
  started_at: string
}

/** What a customer's page needs of an order: the value of `status/<order key>`. */
export interface OrderStatus extends Pick<Order, 'status' | 'method' | 'amount' | 'currency' | 'totals'> {
  /** The payment was cancelled, rather than declined. */
  cancelled?: true
  /** Where the service shows the payment's receipt; gone when the personal data was removed. */
  receipt_url?: string
}

/** "Payment has been cancelled" (the API document, "States and transitions"). */
const CANCELLED = '6007'

/** An order and what it was read from. */
export interface OrderReading {
  order: Order
  events: LoggedEvent[]
  checkout: CheckoutRecord | undefined
}

/**
 * Reads an order: two lists and one get, however many events it has. An unknown order has no events and no checkout.
 * @param withAttempts False saves one of the lists, and leaves `attempts` empty.
 */
export async function readOrder(
  store: KvStore,
  order_id: string,
  posId: string,
  withAttempts = true,
): Promise<OrderReading> {
  const orderKey = await orderKeyOf(order_id)
  const [events, attempts, checkout] = await Promise.all([
    listEvents(store, orderKey),
    withAttempts ? listAttempts(store, orderKey) : [],
    getCheckout(store, order_id),
  ])
  return { order: orderFrom(order_id, events, { checkout, attempts, posId }), events, checkout }
}

/** Folds an order; the rest adds what was asked for, what is open, and how its attempts are linked. */
export function orderFrom(
  order_id: string,
  events: readonly LoggedEvent[],
  { checkout, attempts = [], posId }: { checkout: CheckoutRecord | undefined; attempts?: Attempt[]; posId: string },
): Order {
  // What came with a webhook was asked for, whatever the store shows of the checkout at this moment.
  const sealed = events.find(({ expected }) => expected)?.expected
  const reference = checkout?.reference ?? sealed?.reference
  const expected: ExpectedPayment = { ...(sealed ?? checkout), pos_id: posId }
  const order: Order = {
    ...foldSummaries(order_id, events, expected),
    order_id,
    attempts: attempts.filter(isOpen).map(describeAttempt),
  }
  if (!sealed && !checkout && events.length > 0) order.flags.unshift('unknown_order')
  if (reference !== undefined) order.reference = reference
  if (checkout?.customer_email !== undefined) order.customer_email = checkout.customer_email
  if (checkout && checkout.attempts > 1) order.replaced_by = attemptId(order_id, checkout.attempts)
  if (checkout?.replaces !== undefined) order.replaces = checkout.replaces
  return order
}

function describeAttempt({ id, kind, amount, outcome, started_at }: Attempt): OpenAttempt {
  const state = outcome === undefined ? 'in_progress' : 'unknown'
  return { id, kind, amount, state, started_at: new Date(started_at).toISOString() }
}

/**
 * Keeps what the customer's page shows, so that reading a page costs no list.
 *
 * Key `status/<order key>`; no metadata; kept permanently.
 */
export async function putStatus(store: KvStore, order: Order, receipt_url?: string): Promise<void> {
  const { status, method, amount, currency, totals } = order
  const wasCancelled = order.operations.some(({ status_code }) => status_code === CANCELLED)
  const kept: OrderStatus = {
    status,
    method,
    amount,
    currency,
    totals,
    ...(wasCancelled && { cancelled: true }),
    ...(receipt_url && { receipt_url }),
  }
  // The same key within the same second: another final event of the order has just written it.
  await unlessJustWritten(store.put(`status/${await orderKeyOf(order.order_id)}`, kept))
}

/** Removes what leads to a person from what pages show. */
export async function eraseReceipt(store: KvStore, order_id: string): Promise<void> {
  const { receipt_url, ...rest } = (await getStatus(store, order_id)) ?? {}
  if (receipt_url === undefined) return
  await store.put(`status/${await orderKeyOf(order_id)}`, rest, undefined, undefined, true)
}

export async function getStatus(store: KvStore, order_id: string): Promise<OrderStatus | undefined> {
  return (await store.get(`status/${await orderKeyOf(order_id)}`)) as OrderStatus | undefined
}
