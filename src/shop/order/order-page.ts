import { versionOf } from '../../money/protocol.ts'
import type { Order, OrderPage } from '../lib/shown-order.ts'
import { getCheckout } from './checkouts.ts'
import { orderKeyOf } from './events.ts'
import { getStatus, type OrderReading, readAttempts, readOrder, shownOf } from './order.ts'
import type { OrderStore } from './order-store.ts'
import { getPublished, ownAttempt } from './published.ts'
import { type RecordEntry, shownRecord } from './record.ts'
import type { OrderScope } from './scope.ts'

/** What the customer's page shows of an order. */
export async function showPage({ store }: OrderScope, order_id: string): Promise<OrderPage> {
  const [status, checkout] = await Promise.all([getStatus(store, order_id), getCheckout(store, order_id)])
  const expected = checkout && { amount: checkout.amount, currency: checkout.currency }
  const { method, description, link, lang } = checkout ?? {}
  return { status, method, expected, description, link, lang }
}

/** An order as its route shows it. */
export interface ShownOrder extends Order {
  /** Who did what with it, the oldest first. */
  record: RecordEntry[]
  /** For `If-Match`: another one means that something was asked for since. */
  version: string
}

const describeRecord = (store: OrderStore, attempts: readonly OrderReading[]): RecordEntry[] =>
  shownRecord(store, attempts).map(({ at, entry }) => ({ at: new Date(at).toISOString(), ...entry }))

/** The order, or the attempt at paying it, as the API shows it; undefined when nothing is known of it. */
export async function showOrder({ store, env }: OrderScope, named: string): Promise<ShownOrder | undefined> {
  const own = ownAttempt(store, named)
  const attempts = await readAttempts(store, named, env.POS_ID)
  const { order, events, checkout, made } =
    own === undefined ? shownOf(attempts) : await readOrder(store, own, env.POS_ID)
  // What the list shows has a page, also where an opening's record could not be written.
  return events.length > 0 || checkout || order.attempts.length > 0 || getPublished(store, own ?? named)
    ? { ...order, record: describeRecord(store, attempts), version: versionOf(order, made) }
    : undefined
}

const DAY_SECONDS = 86_400

/**
 * Whether the service may be asked now because a customer waits: once a day, however often the result page is loaded.
 *
 * Key `asked/<order key>`; gone after a day.
 */
export async function mayPoll({ store, now }: OrderScope, order_id: string): Promise<boolean> {
  const key = `asked/${await orderKeyOf(order_id)}`
  const last = (await store.get(key)) as { at: number } | undefined
  if (last && now() - last.at < DAY_SECONDS * 1000) return false
  await store.put(key, { at: now() }, undefined, DAY_SECONDS)
  return true
}
