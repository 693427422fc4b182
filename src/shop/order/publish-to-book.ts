import { hundredths } from '../../lib/decimal.ts'
import { foldOperations, paid } from '../../orders/fold.ts'
import { actShop } from '../books/actions.ts'
import { someOfBook } from '../books/links.ts'
import { putInList } from '../books/orders.ts'
import { learnSums, noteTold } from '../books/register.ts'
import type { FailingRow, ListedRow, MoneyRow } from '../books/tables.ts'
import { dayOf } from '../lib/day.ts'
import { openAttention } from './attention.ts'
import { newest } from './events.ts'
import { type OrderReading, readAttempts, shownOf } from './order.ts'
import type { Published } from './published.ts'
import { textOf } from './raise-alert.ts'
import { getBirth } from './rebuild.ts'
import { shownRecord } from './record.ts'
import type { OrderScope } from './scope.ts'
import { listWatched } from './watchlist.ts'

/** Has its book list an order, by the attempt that holds money, else the newest. @returns The book's number. */
export async function listInBook(
  scope: OrderScope,
  published: Published,
  reading: OrderReading,
  due_at: number | null,
): Promise<number> {
  const { store, env } = scope
  const { order_id, since, version } = published
  const attempts = readAttempts(scope, order_id)
  const { order } = shownOf(attempts)
  const { operations, events, attempts: unsettled, customer_email: _, ...summary } = order
  const { checkout } = reading
  const { customer_email, customer_name, customer_phone, description } = checkout ?? {}
  const row: ListedRow = {
    summary: { ...summary, ...(description && { description }), ...(customer_name && { customer_name }) },
    ...{ order_id, since, version, due_at },
    email: customer_email ?? null,
    phone: customer_phone ?? null,
    last_four: newest(store, order.order_id, 'last_four'),
    isOpen: listWatched(store).some(({ listed }) => listed),
    attention: openAttention(store, order).map(({ alert }) => ({ ...alert, text: textOf(alert, env, checkout) })),
    failing: store.all<FailingRow>('SELECT event_id, order_id FROM queue WHERE failing > 0'),
    attempts: attempts.map(({ order }) => order.order_id),
    money: attempts.flatMap((attempt) => {
      const payway = newest(store, attempt.order.order_id, 'payway') ?? 'unknown'
      return moneyOf(attempt, payway).map((row) => ({ day: dayOf(row.at, env), ...row }))
    }),
    audit: shownRecord(store, attempts).flatMap(({ at, key, entry: { text, ...rest } }) => {
      // A note may name a customer. The books have those of links themselves.
      const shown = rest.action !== 'note' && text !== undefined && { text }
      return /link$/.test(rest.action) ? [] : { at, key, entry: { ...rest, ...shown, order_id } }
    }),
  }
  return await tellBook(scope, published, row)
}

/**
 * Reports an order to its book. One that is in none yet is reported to the register, which takes it or names the book that
 * does: there it stays.
 *
 * @returns The number of its book.
 */
async function tellBook(scope: OrderScope, { order_id, book: known }: Published, row: ListedRow): Promise<number> {
  const book = known ?? (await findBook(scope, order_id))
  let placed = await actShop(scope, book ?? 1, putInList, { ...row, book })
  const number = placed.book
  if (number !== (book ?? 1)) {
    scope.store.all('UPDATE published SET book = ? WHERE order_id = ?', number, order_id)
    placed = await actShop(scope, number, putInList, { ...row, book: number, opens: placed.opens })
  }
  const { news = [] } = placed
  if (news.length > 0) {
    await actShop(scope, 1, learnSums, { book: number, news })
    await actShop(scope, number, noteTold, news)
  }
  return number
}

/** The book of an order whose gate has lost its storage: only then may a book have it that the gate does not know. */
async function findBook(scope: OrderScope, order_id: string): Promise<number | null> {
  if (getBirth(scope.store)?.rebuilt_at == null) return null
  const { rows, books } = await actShop(scope, 1, someOfBook, [order_id])
  if (rows.length > 0) return 1
  for (const { number } of books) {
    if ((await actShop(scope, number, someOfBook, [order_id])).rows.length > 0) return number
  }
  return null
}

const KINDS: ReadonlyMap<string | undefined, MoneyRow['kind']> = /* @__PURE__ */ new Map([
  ['purchase', 'paid'],
  ['auth', 'authorized'],
  ['auth_increment', 'authorized'],
  ['capture', 'captured'],
  ['refund', 'refunded'],
  ['void', 'voided'],
])

/** The operations of an attempt that have succeeded, those included that were taken back. */
function moneyOf({ order, events }: OrderReading, payway: string): Omit<MoneyRow, 'day'>[] {
  const { order_id, method, reference = null } = order
  return foldOperations(events).flatMap(({ key, events, newest }) => {
    const kind = KINDS.get(newest.method)
    const successes = events.filter(({ status }) => status === 'success')
    const last = successes.at(-1)
    if (!kind || last?.currency === undefined) return []
    const { fee_amount = 0, fee_currency = last.currency, currency } = last
    const amount = paid(last)
    const isTaken = kind === 'paid' || kind === 'captured'
    // A void takes a purchase back, or releases what was reserved.
    const isGivenBack = kind === 'refunded' || (kind === 'voided' && method === 'purchase')
    return {
      at: Math.min(...successes.map(({ received_at }) => received_at)),
      id: `${order_id} ${key}`,
      ...{ order_id, kind, method: payway, amount, currency, reference },
      taken: isTaken ? amount : isGivenBack ? -amount : 0,
      fee: fee_currency === currency ? hundredths(fee_amount) : 0,
      ...(newest.status !== 'success' && { gone: true as const }),
    }
  })
}
