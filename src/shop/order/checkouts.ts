import type { CheckoutLink } from '../../checkout-link/index.ts'
import { askedFor } from '../../orders/order.ts'
import { orderKey } from '../../orders/order-key.ts'
import { attemptId, baseOrderId } from '../lib/attempt-id.ts'
import { DAY_MS } from '../lib/day.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { logError } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { SqlValue } from '../runtime.ts'
import type { OpenCheckout, Terms } from './protocol-checkout.ts'
import { getPublished, touch } from './published.ts'
import { scheduleErasure } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'
import { cancelSoon, watch } from './watchlist.ts'

/** The checkouts of an order, as this worker knows them. */
export interface CheckoutRecord extends OpenCheckout, Omit<ExpectedOrder, keyof Terms> {
  /** The bought goods; gone when the personal data was removed. */
  description?: string
  /** The worker's origin, as the link has it. */
  origin?: string
  /** The path of the link, for another try after a decline. */
  link?: string
  /** The language that the link asks the checkout for. */
  lang?: string
  customer_name?: string
  customer_phone?: string
  /** Where the shop writes to the customer. */
  customer_email?: string
  /** The order that this one is a further attempt at. */
  replaces?: string
}

/** Kept permanently: what was asked for is compared with what is paid, however late. */
export const putCheckout = (store: OrderStore, order_id: string, record: CheckoutRecord): void =>
  put(store, order_id, 'checkout', JSON.stringify(record))

function put(store: OrderStore, order_id: string, column: 'checkout' | 'closed_at', value: SqlValue): void {
  const write = `INSERT INTO checkout (order_key, ${column}) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`
  store.all(write, orderKey(order_id), value)
}

export function getCheckout(store: OrderStore, order_id: string): CheckoutRecord | undefined {
  const query = 'SELECT checkout FROM checkout WHERE order_key = ? AND checkout IS NOT NULL'
  const [row] = store.all<{ checkout: string }>(query, orderKey(order_id))
  return row && JSON.parse(row.checkout)
}

/** The order of a link: each attempt at paying it is one payment at the service. */
export interface LinkedOrder {
  scope: OrderScope
  link: CheckoutLink
  path: string
}

export const expectedOf = ({ order, reference }: CheckoutLink): ExpectedOrder & ReturnType<typeof askedFor> => ({
  ...askedFor(order),
  ...(reference !== undefined && { reference }),
})

/** Records where the customer pays. A failing write must not keep the customer from it: a later visit asks the service. */
export async function remember(
  { scope, link, path }: LinkedOrder,
  rest: Pick<CheckoutRecord, 'attempts' | 'url'> & { expires_at?: number },
): Promise<void> {
  const { order_id } = link.order
  const { store } = scope
  const since = store.now()
  try {
    await scheduleErasure(scope, order_id)
    // First: what is recorded is not watched anew by the next visit.
    await watch(store, { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true })
    store.atomically(() => {
      putCheckout(store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest })
      touch(store, order_id)
    })
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    logError('checkout_not_recorded', { order_id })
  }
}

/** Records that the n-th attempt belongs to a link's order, before its payment is created. */
export function announce({ scope, link, path }: LinkedOrder, attempt: number): void {
  const { order_id } = link.order
  const next_id = attemptId(order_id, attempt)
  if (getCheckout(scope.store, next_id) !== undefined) return
  putCheckout(scope.store, next_id, { ...recordOfLink(link, path), attempts: 1, replaces: order_id })
}

/** Records that the payment is cancelled because its link has expired. */
export function expire({ scope, link, path }: LinkedOrder, attempts: number): void {
  const { order_id } = link.order
  const checkout = getCheckout(scope.store, order_id) ?? { ...recordOfLink(link, path), attempts }
  putCheckout(scope.store, order_id, { ...checkout, expired: true })
}

function recordOfLink(link: CheckoutLink, path: string): Omit<CheckoutRecord, 'attempts'> {
  const { method, description, customer_email, customer_lang } = link.order
  const { customer_fname, customer_lname, customer_phone } = link.order
  const name = [customer_fname, customer_lname].filter(Boolean).join(' ')
  const email = link.customerEmail ?? customer_email
  return {
    ...expectedOf(link),
    method,
    description,
    origin: link.origin,
    link: path,
    expires_at: link.expiresAt,
    ...(name !== '' && { customer_name: name }),
    ...(customer_phone != null && { customer_phone }),
    ...(email !== undefined && { customer_email: email }),
    ...(customer_lang !== undefined && { lang: customer_lang }),
  }
}

/** The ids of all attempts that were announced, the first one first: the order's own record may not count the latest yet. */
export function announcedIds(
  store: OrderStore,
  order_id: string,
  { attempts = 1 }: Partial<CheckoutRecord> = getCheckout(store, order_id) ?? {},
): string[] {
  const ids = Array.from({ length: attempts }, (_, i) => attemptId(order_id, i + 1))
  for (;;) {
    const next = attemptId(order_id, ids.length + 1)
    if (getCheckout(store, next)?.replaces !== order_id) return ids
    ids.push(next)
  }
}

/** The order that is meant by the id of one of its attempts. */
export function orderOf(store: OrderStore, named: string): string {
  const base = baseOrderId(named)
  if (base === named) return named
  const isFirst = named === `${base}~1` && getCheckout(store, base) !== undefined
  return getCheckout(store, named)?.replaces ?? (isFirst ? base : named)
}

/**
 * Revokes one link of an order.
 *
 * @param link `cancels`: the payment that was opened with it is cancelled, by the alarm where the caller does not.
 * @returns Whether anything is known of the order: a link that was opened, or an event.
 */
export async function revokeLink(
  { store }: OrderScope,
  order_id: string,
  { nonce, expiresAt, cancels }: { nonce: string; expiresAt: number; cancels: boolean },
): Promise<{ opened: boolean }> {
  const opened = getPublished(store, order_id) !== undefined
  const revoke = () => void store.all('INSERT OR IGNORE INTO revoked VALUES (?, ?)', nonce, expiresAt)
  const last = announcedIds(store, order_id).at(-1) ?? order_id
  if (cancels && opened) await cancelSoon(store, last, revoke)
  else revoke()
  return { opened }
}

/** Whether the link with this path was revoked: its token begins with 16 characters that no other link has. */
export function isRevoked(store: OrderStore, path: string): boolean {
  const nonce = path.slice(path.lastIndexOf('/') + 1).slice(0, 16)
  return store.all('SELECT nonce FROM revoked WHERE nonce = ? AND expires_at > ?', nonce, store.now()).length > 0
}

/** Closes the links of an order that the shop cancelled. Not in the checkout's record: a visit may be about to write that. */
export const closeLinks = (store: OrderStore, order_id: string): void => put(store, order_id, 'closed_at', store.now())

/** Whether the shop cancelled the order. */
export const areClosed = (store: OrderStore, order_id: string): boolean =>
  store.all('SELECT closed_at FROM checkout WHERE order_key = ? AND closed_at > 0', orderKey(order_id)).length > 0

/** Whether the service may be asked now because a customer waits: once a day, however often the result page is loaded. */
export function mayPoll({ store }: OrderScope, order_id: string): boolean {
  const write = `INSERT INTO checkout (order_key, asked_at) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET asked_at = excluded.asked_at WHERE coalesce(asked_at, 0) <= ? RETURNING asked_at`
  return store.all(write, orderKey(order_id), store.now(), store.now() - DAY_MS).length > 0
}
