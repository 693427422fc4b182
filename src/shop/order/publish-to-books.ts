import { hundredths } from '../../lib/decimal.ts'
import { foldOperations, paid } from '../../orders/fold.ts'
import { actShop } from '../books/actions.ts'
import { putInBooks, putInList } from '../books/orders.ts'
import { type Books, type FailingRow, type ListedRow, type MoneyRow, monthOf, summaryOf } from '../books/tables.ts'
import { dayOf } from '../lib/day.ts'
import { openAttention } from './attention.ts'
import { newest } from './events.ts'
import { type OrderReading, readAttempts, shownOf } from './order.ts'
import type { Published } from './published.ts'
import { originOf, textOf } from './raise-alert.ts'
import { shownRecord } from './record.ts'
import type { OrderScope } from './scope.ts'
import { listWatched } from './watchlist.ts'

/** Has the shop's object of its month list an order, by the attempt that holds money, else the newest. */
export async function listInBooks(
  scope: OrderScope,
  published: Published,
  reading: OrderReading,
  due_at: number | null,
): Promise<void> {
  const { store, env } = scope
  const { order_id, since, version } = published
  const attempts = readAttempts(scope, order_id)
  const { order } = shownOf(attempts)
  const books = booksOf(scope, published, attempts)
  const month = monthOf(since)
  const { checkout } = reading
  const { customer_email, customer_name, customer_phone, description } = checkout ?? {}
  const row: ListedRow = {
    summary: { ...summaryOf(order), ...(description && { description }), ...(customer_name && { customer_name }) },
    ...{ order_id, since, version, due_at },
    email: customer_email ?? null,
    phone: customer_phone ?? null,
    last_four: newest(store, order.order_id, 'last_four'),
    isOpen: listWatched(store).some(({ listed }) => listed),
    attention: openAttention(store, order).map(({ alert }) => ({
      ...alert,
      text: textOf(alert, originOf(env, checkout), checkout),
    })),
    failing: store.all<FailingRow>('SELECT event_id, order_id FROM queue WHERE failing > 0'),
    books: books.get(month) as Books,
  }
  books.delete(month)
  await actShop(scope, month, putInList, row)
  for (const [other, its] of books) await actShop(scope, other, putInBooks, { month: other, books: its })
}

/** What an order adds to each month, that of its list among them. */
function booksOf(
  { store, env }: OrderScope,
  { since, version }: Published,
  attempts: readonly OrderReading[],
): Map<string, Books> {
  const orders = attempts.map(({ order }) => order.order_id)
  const months = new Map<string, Books>()
  const of = (at: number): Books => {
    const books = months.get(monthOf(at)) ?? { version, orders, money: [], audit: [] }
    months.set(monthOf(at), books)
    return books
  }
  of(since)
  for (const reading of attempts) {
    const payway = newest(store, reading.order.order_id, 'payway') ?? 'unknown'
    for (const { row, times } of moneyOf(reading, payway)) {
      of(row.at).money.push({ day: dayOf(row.at, env), ...row })
      // While the first one was not known, it was in the month of another.
      times.forEach(of)
    }
  }
  for (const { at, key, entry } of shownRecord(store, attempts)) {
    // A note may name a customer.
    const { text, ...rest } = entry
    const shown = rest.action === 'note' || text === undefined ? rest : { ...rest, text }
    of(at).audit.push({ at, key, entry: { ...shown, order_id: attempts[0]?.order.order_id } })
  }
  return months
}

const KINDS: ReadonlyMap<string | undefined, MoneyRow['kind']> = /* @__PURE__ */ new Map([
  ['purchase', 'paid'],
  ['auth', 'authorized'],
  ['auth_increment', 'authorized'],
  ['capture', 'captured'],
  ['refund', 'refunded'],
  ['void', 'voided'],
])

/** The operations of an attempt that have succeeded, those included that were taken back, and when their successes came. */
function moneyOf({ order, events }: OrderReading, payway: string): { row: Omit<MoneyRow, 'day'>; times: number[] }[] {
  const { order_id, reference = null } = order
  return foldOperations(events).flatMap(({ key, events, newest }) => {
    const kind = KINDS.get(newest.method)
    const successes = events.filter(({ status }) => status === 'success')
    const last = successes.at(-1)
    if (!kind || last?.currency === undefined) return []
    const { fee_amount = 0, fee_currency = last.currency, currency } = last
    const times = successes.map(({ received_at }) => received_at)
    const row: Omit<MoneyRow, 'day'> = {
      at: Math.min(...times),
      id: `${order_id} ${key}`,
      ...{ order_id, kind, method: payway, amount: paid(last), currency, reference },
      fee: fee_currency === currency ? hundredths(fee_amount) : 0,
      ...(newest.status !== 'success' && { gone: true as const }),
    }
    return { row, times }
  })
}
