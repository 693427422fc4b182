import { versionOf } from '../../money/protocol.ts'
import type { Order, OrderPage } from '../lib/shown-order.ts'
import { getCheckout } from './checkouts.ts'
import { getStatus, readAttempts, readOrder, shownOf } from './order.ts'
import { getPublished, ownAttempt } from './published.ts'
import { type RecordEntry, shownEntry, shownRecord } from './record.ts'
import type { OrderScope } from './scope.ts'

export function showPage({ store }: OrderScope, order_id: string): OrderPage {
  const checkout = getCheckout(store, order_id)
  const expected = checkout && { amount: checkout.amount, currency: checkout.currency }
  const { method, description, link, lang } = checkout ?? {}
  return { status: getStatus(store, order_id), method, expected, description, link, lang }
}

/** An order as its route shows it. */
export interface ShownOrder extends Order {
  /** Who did what with it, the oldest first. */
  record: RecordEntry[]
  /** For `If-Match`: another one means that something was asked for since. */
  version: string
}

/** The order, or the attempt at paying it, as the API shows it; undefined when nothing is known of it. */
export function showOrder(scope: OrderScope, named: string): ShownOrder | undefined {
  const { store } = scope
  const own = ownAttempt(store, named)
  const attempts = readAttempts(scope, named)
  const { order, events, checkout, made } = own === undefined ? shownOf(attempts) : readOrder(scope, own)
  // An order of the list has a page, also where an opening's record could not be written.
  const isKnown = events.length > 0 || checkout || order.attempts.length > 0 || getPublished(store, own ?? named)
  if (!isKnown) return undefined
  const record = shownRecord(store, attempts).map(({ at, entry }) => shownEntry(at, entry))
  return { ...order, record, version: versionOf(order, made) }
}
