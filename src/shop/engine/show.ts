// An order as the API and the customer's pages show it.

import { isFinal } from '../../helpers/status.ts'
import { shownOf } from '../../orders/fold.ts'
import type { ListedOrder } from '../../orders/listed-order.ts'
import { moneyState } from '../../orders/money-state.ts'
import { paymentEvents, withTimes } from '../../orders/order-times.ts'
import { paperOf } from '../../orders/paper.ts'
import { answeredBy, isDeclined, isOpen } from '../../till/protocol.ts'
import { type Reading, readNamed, readOrder } from '../../till/store.ts'
import { describeUnsettled } from '../../till/unsettled.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import type { CheckoutPage, Order, OrderPage, OrderStatus } from '../lib/shown-order.ts'
import type { Scope } from '../scope.ts'
import { isOverSold } from './places.ts'
import { readEvents } from './read-event.ts'
import { type RecordEntry, shownEntry, shownRecord } from './record.ts'
import { isRevoked } from './revoked.ts'

/** "Payment has been cancelled" (the API document, "States and transitions"). */
const CANCELLED = '6007'

/** An order as its route shows it; `state` and `sum` as in the list. */
export interface ShownOrder extends Order, Pick<ListedOrder, 'state' | 'sum'> {
  /** The payment that the shop requested. */
  asked: { amount?: number | undefined; currency?: string | undefined }
  /** The events of the payment that the order is about, the oldest first. */
  payment_events: string[]
  /** The acts of people, the oldest first. */
  record: RecordEntry[]
  /** For `If-Match`. It changes with every request that moves money. */
  version: string
}

/** The requested payment, from the sealed part of a webhook's address. */
const sealedIn = ({ events }: Reading): ExpectedOrder | undefined => events.find(({ expected }) => expected)?.expected

/** An attempt at paying an order, as `onEvent`, KV and the API have it. */
export async function orderOf(scope: Scope, reading: Reading): Promise<Order> {
  const { order, calls, events, payment } = reading
  const { version: _, url: __, attempts: ___, ...folded } = order
  const { reference, email } = payment?.buyer ?? {}
  const named = sealedIn(reading)?.reference ?? reference
  return {
    ...folded,
    ...withTimes(order, events),
    ...((await isOverSold(scope, reading)) && { flags: [...order.flags, 'over_sold'] }),
    attempts: calls
      .filter((one) => (one.late ? !isDeclined(one) : isOpen(one) && !answeredBy(calls, one, order.operations)))
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
  const { amount, currency } = { ...shown.payment?.terms, ...sealedIn(shown) }
  return {
    ...{ ...order, ...moneyState(order, shown.isClosed), record, version: shown.order.version },
    asked: { amount, currency },
    payment_events: paymentEvents(order, shown.events),
  }
}

/** @param path The path of the link that leads to the page. */
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

/** The result to show for an order with a final status, else undefined. An erasure removes the receipt and the card. */
async function statusOf(scope: Scope, reading: Reading): Promise<OrderStatus | undefined> {
  const { status, method, amount, currency, totals, operations } = reading.order
  if (!isFinal(status ?? '')) return undefined
  const own = paymentEvents(reading.order, reading.events)
  const events = (await readEvents(scope, reading)).filter((one) => own.includes(one.id) && !one.erased_at)
  const papers = events.map(({ event }) => paperOf(event))
  const find = (name: 'receipt_url' | 'last_four') => papers.map((one) => one[name]).find(Boolean) ?? undefined
  return {
    ...{ status, method, amount, currency, totals, receipt_url: find('receipt_url'), card: find('last_four') },
    cancelled: operations.some(({ status_code }) => status_code === CANCELLED),
    at: withTimes(reading.order, reading.events).status_at,
  }
}
