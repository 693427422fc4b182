// An order as the API and the customer's pages show it.

import { isFinal } from '../../helpers/status.ts'
import { shownOf } from '../../orders/fold.ts'
import { withTimes } from '../../orders/order-times.ts'
import { type Paper, paperOf } from '../../orders/paper.ts'
import { answeredBy, isDeclined, isOpen } from '../../till/protocol.ts'
import { type Reading, readNamed, readOrder } from '../../till/store.ts'
import { describeUnsettled } from '../../till/unsettled.ts'
import type { CheckoutPage, Order, OrderPage, OrderStatus } from '../lib/shown-order.ts'
import type { Scope } from '../scope.ts'
import { isOverSold } from './places.ts'
import { readEvents } from './read-event.ts'
import { type RecordEntry, shownEntry, shownRecord } from './record.ts'
import { isRevoked } from './revoked.ts'

/** "Payment has been cancelled" (the API document, "States and transitions"). */
const CANCELLED = '6007'

/** An order as its route shows it. */
export interface ShownOrder extends Order {
  /** The acts of people, the oldest first. */
  record: RecordEntry[]
  /** For `If-Match`. It changes with every request that moves money. */
  version: string
}

/** One attempt at paying an order, as `onEvent`, KV and the API have it. */
export async function orderOf(scope: Scope, reading: Reading): Promise<Order> {
  const { order, made, events, payment } = reading
  const { version: _, url: __, attempts: ___, ...folded } = order
  const { reference, email } = payment?.buyer ?? {}
  const sealed = events.find(({ expected }) => expected)?.expected as { reference?: string } | undefined
  const named = sealed?.reference ?? reference
  return {
    ...folded,
    ...withTimes(order, events),
    ...((await isOverSold(scope, reading)) && { flags: [...order.flags, 'over_sold'] }),
    attempts: made
      .filter((one) => (one.late ? !isDeclined(one) : isOpen(one) && !answeredBy(made, one, order.operations)))
      .map(describeUnsettled),
    ...(named !== undefined && { reference: named }),
    ...(email !== undefined && { customer_email: email }),
  }
}

/** Whether anything is known of an order: an event, a payment, or an operation. */
const isKnown = ({ state, attempts }: Reading): boolean => state.order.isKnown || attempts.length > 0

/** An order, or an attempt at paying it, as the API shows it; undefined if it is unknown. */
export async function showOrder(scope: Scope, named: string): Promise<ShownOrder | undefined> {
  const [reading, isWhole] = await readNamed(scope.till, named)
  if (!(isWhole ? isKnown(reading) : reading.state.order.isKnown)) return undefined
  const shown = (isWhole && shownOf(reading.attempts)) || reading
  const order = await orderOf(scope, shown)
  const record = (await shownRecord(scope, reading)).map(({ at, entry }) => shownEntry(at, entry))
  return { ...order, record, version: shown.order.version }
}

/** @param path Of the link by which it is shown. */
export async function showPage(scope: Scope, order_id: string, path = ''): Promise<OrderPage> {
  const reading = await readOrder(scope.till, order_id)
  const { payment, isClosed } = reading
  const { link, lang, description } = (payment?.link?.page ?? {}) as Partial<CheckoutPage>
  const terms = payment?.terms as { amount: number; currency: string; method?: string } | undefined
  return {
    status: await statusOf(scope, reading),
    method: terms?.method,
    expected: terms && { amount: terms.amount, currency: terms.currency },
    ...{ description, link, lang },
    isClosed: isClosed || (path !== '' && (await isRevoked(scope, path))),
  }
}

/** The shown end of an order with a final status; undefined of any other one. */
async function statusOf(scope: Scope, reading: Reading): Promise<OrderStatus | undefined> {
  const { status, method, amount, currency, totals, operations } = reading.order
  if (!isFinal(status ?? '')) return undefined
  const { status_at: at } = withTimes(reading.order, reading.events)
  const { receipt_url, last_four } = await paperOfOrder(scope, reading)
  return {
    ...{ status, method, amount, currency, totals },
    ...(operations.some(({ status_code }) => status_code === CANCELLED) && { cancelled: true }),
    ...(at && { at }),
    ...(receipt_url !== null && { receipt_url }),
    ...(last_four !== null && { card: last_four }),
  }
}

/** The newest receipt and card of an attempt; erasing removes them. */
async function paperOfOrder(scope: Scope, reading: Reading): Promise<Paper> {
  const found: Paper = { receipt_url: null, last_four: null, payway: null }
  for (const { event, erased_at } of await readEvents(scope, reading)) {
    const paper = erased_at === undefined ? paperOf(event) : found
    for (const name of ['receipt_url', 'last_four', 'payway'] as const) found[name] ??= paper[name]
  }
  return found
}
