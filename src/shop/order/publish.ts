import { hundredths } from '../../lib/decimal.ts'
import { foldOperations, paid } from '../../orders/fold.ts'
import { actShop } from '../books/actions.ts'
import { putInBooks, putInList } from '../books/orders.ts'
import { type Books, type FailingRow, type ListedRow, type MoneyRow, monthOf, summaryOf } from '../books/tables.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { sha256 } from '../lib/crypto.ts'
import { dayOf } from '../lib/day.ts'
import { describeError, logError } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import type { Order } from '../lib/shown-order.ts'
import type { RaisedAlert } from '../options.ts'
import { alertOf } from './check-open.ts'
import { failingAlert } from './deliver-events.ts'
import { lastFourOf, orderKeyOf, paywayOf } from './events.ts'
import { type OrderReading, readAttempts, readOrder, readShown, shownOf } from './order.ts'
import type { OrderStore } from './order-store.ts'
import { attemptIds, dueAt, duePublished, PUBLISH_MS, type Published, touch } from './published.ts'
import type { OutboxEntry } from './queue.ts'
import { originOf, textOf } from './raise-alert.ts'
import { shownRecord } from './record.ts'
import type { OrderScope } from './scope.ts'
import type { WatchedRow } from './watchlist.ts'

/** Until what failed is tried again. */
const RETRY_MS = 60_000

/** Publishes the orders of a gate that have changed: to KV, where other programs read them, and to the shop's list. */
export async function publishDue(scope: OrderScope): Promise<void> {
  for (const published of duePublished(scope.store, scope.now())) await publish(scope, published)
}

async function publish(scope: OrderScope, published: Published): Promise<void> {
  const { store, env, now } = scope
  const { order_id, version } = published
  const at = now()
  const reading = await readOrder(store, order_id, env.POS_ID)
  const due_at = dueAt(store)
  // What the list shows at once may come sooner.
  const written_at = at < published.written_at + PUBLISH_MS ? published.written_at : at
  const [written, listed] = await Promise.allSettled([
    written_at === at ? writeOrder(scope, published, reading) : published.written,
    // Its further attempts are the same row.
    order_id === baseOrderId(order_id) && list(scope, published, reading, due_at),
  ])
  for (const one of [written, listed]) {
    if (one.status === 'rejected') logError('order_not_published', { order_id, ...describeError(one.reason) })
  }
  const isDone = written.status === 'fulfilled' && listed.status === 'fulfilled'
  const next_at = isDone ? written_at + PUBLISH_MS : at + RETRY_MS
  store.all(
    `UPDATE published SET written = ?, written_at = ?, due_at = ?,
       next_at = CASE WHEN ? AND version = ? THEN NULL ELSE ? END WHERE order_id = ?`,
    written.status === 'fulfilled' ? written.value : published.written,
    ...[
      written_at,
      isDone ? due_at : published.due_at,
      Number(isDone && written_at === at),
      version,
      next_at,
      order_id,
    ],
  )
}

/** Has the shop's object of its month list an order, by the attempt that holds money, else the newest. */
async function list(
  scope: OrderScope,
  published: Published,
  reading: OrderReading,
  due_at: number | null,
): Promise<void> {
  const { store, env } = scope
  const { order_id, since, version } = published
  const isOne = attemptIds(store, order_id).length === 1
  const attempts = isOne ? [reading] : await readAttempts(store, order_id, env.POS_ID)
  const { order } = shownOf(attempts)
  const books = await booksOf({ store, env }, published, attempts)
  const month = monthOf(since)
  const { checkout } = reading
  const { customer_email, customer_name, description } = checkout ?? {}
  const open = "SELECT id FROM task WHERE kind = 'open' AND json_extract(task, '$.listed') LIMIT 1"
  const row: ListedRow = {
    summary: { ...summaryOf(order), ...(description && { description }), ...(customer_name && { customer_name }) },
    ...{ order_id, since, version, due_at },
    email: customer_email ?? null,
    last_four: lastFourOf(store, await orderKeyOf(order.order_id)),
    isOpen: store.all(open).length > 0,
    attention: (await attentionOf(store, order)).map((alert) => ({
      ...alert,
      text: textOf(alert, originOf(env, checkout), checkout),
    })),
    failing: store.all<FailingRow>('SELECT event_id, order_id FROM queue WHERE failing > 0'),
    books: books.get(month) as Books,
  }
  books.delete(month)
  await actShop(scope, month, putInList, row)
  for (const [other, its] of books) {
    await actShop(scope, other, putInBooks, { month: other, books: its })
  }
}

/** What an order adds to each month, that of its list among them. */
async function booksOf(
  { store, env }: Pick<OrderScope, 'store' | 'env'>,
  { since, version }: Published,
  attempts: readonly OrderReading[],
): Promise<Map<string, Books>> {
  const orders = attempts.map(({ order }) => order.order_id)
  const months = new Map<string, Books>()
  const of = (at: number): Books => {
    const books = months.get(monthOf(at)) ?? { version, orders, money: [], audit: [] }
    months.set(monthOf(at), books)
    return books
  }
  of(since)
  for (const reading of attempts) {
    const payway = paywayOf(store, await orderKeyOf(reading.order.order_id)) ?? 'unknown'
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

/** What a person should look at, as the alerts about it were, without what is done. */
async function attentionOf(store: OrderStore, order: Order): Promise<RaisedAlert[]> {
  const done = ((await store.get(DONE)) ?? []) as string[]
  return allAttention(store, order).filter((alert) => !done.includes(stateOf(alert, order)))
}

const DONE = 'done'

/**
 * Takes what a person has looked at out of the list, until something new happens of it.
 *
 * Key `done`; value: what is done, in the state that it was in; kept permanently.
 */
export async function attentionDone(
  scope: OrderScope,
  order_id: string,
  { kind, flag }: { kind: string; flag?: string | undefined },
): Promise<void> {
  const { store, env, now } = scope
  const { order } = await readShown(store, order_id, env.POS_ID)
  const isMeant = (alert: RaisedAlert) => alert.kind === kind && (flag === undefined || alert.flag === flag)
  const open = (await attentionOf(store, order)).filter(isMeant)
  if (open.length === 0) throw new ProblemError(404, 'not_found', 'No such item.')
  const known = ((await store.get(DONE)) ?? []) as string[]
  const states = new Set(allAttention(store, order).map((alert) => stateOf(alert, order)))
  await store.put(DONE, [...known.filter((state) => states.has(state)), ...open.map((alert) => stateOf(alert, order))])
  await store.writeDue(now(), () => touch(store, baseOrderId(order_id), now(), { create: false, atOnce: true }))
  // Whoever did it looks at the list next.
  await publishDue(scope)
}

/** Changes when something new happens of it: of a flag, another event, but the refund or void that solves it. */
function stateOf(alert: RaisedAlert, { events }: Order): string {
  const { flag } = alert
  const isNews = ({ method }: { method: string | null }) =>
    flag === 'over_refund' || (method !== 'refund' && method !== 'void')
  return JSON.stringify([alert, flag === undefined ? 0 : events.filter(isNews).length])
}

function allAttention(store: OrderStore, { order_id, flags }: Order): RaisedAlert[] {
  const watched = "SELECT task FROM task WHERE kind = 'open' AND json_extract(task, '$.alerted')"
  const failing = 'SELECT entry FROM queue WHERE failing = 2'
  return [
    ...flags.flatMap((flag) => (flag === 'paid_after_failure' ? [] : { kind: 'flag' as const, order_id, flag })),
    ...store.all<{ task: string }>(watched).map(({ task }) => alertOf(JSON.parse(task) as WatchedRow)),
    ...store.all<{ entry: string }>(failing).map(({ entry }) => failingAlert(JSON.parse(entry) as OutboxEntry)),
  ]
}

/**
 * Writes the folded order for other programs to read, when an event has changed it.
 *
 * Key `order/<order key>`; value: the order as `GET /api/orders/:order_id` returns it, without `attempts` and the customer's
 * e-mail address; no metadata; kept permanently.
 * @returns The hash of what KV has.
 */
async function writeOrder(
  { kv }: OrderScope,
  { written }: Published,
  { order, events }: OrderReading,
): Promise<string | null> {
  if (events.length === 0) return written
  const { attempts: _, customer_email: __, ...stored } = order
  const hash = await sha256(JSON.stringify(stored))
  if (hash !== written) await kv.put(`order/${await orderKeyOf(order.order_id)}`, stored)
  return hash
}
