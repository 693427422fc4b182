import type { Context } from '../context.ts'
import { listOpen, openKeyOf } from '../store/open-index.ts'
import type { Order } from '../store/order.ts'
import {
  dayOf,
  hasRecent,
  listRecent,
  listReference,
  type OrderSummary,
  prefixesOf,
  type RecentRow,
  summaryOf,
} from '../store/order-index.ts'
import { actionsOf } from './order-actions.ts'

/** An order of a list. */
export interface ListedOrder extends OrderSummary {
  /** ISO 8601, UTC: what a list is sorted by, and what a period is compared with. */
  listed_at: string
}

export interface OrderFilter {
  status?: string | undefined
  flag?: string | undefined
  reference?: string | undefined
  open?: boolean | undefined
  /** Milliseconds since 1970, inclusive. */
  from?: number | undefined
  /** Milliseconds since 1970, exclusive. */
  to?: number | undefined
}

/** Where a page begins. */
export interface Place {
  /** KV's own cursor of the listing that the page begins in. */
  cursor?: string | undefined
  /** The last key of that listing that an earlier page has dealt with. */
  after?: string | undefined
  /** Of a period: which of its listings, and the moment that it is counted from. */
  block?: number | undefined
  now?: number | undefined
}

/** What a filtered page looks at: rows whose summary is in the row, orders that are read, listings. */
const ROWS = 1000
const READS = 100
const LISTS = 20
const ROW_DAYS_MS = 401 * 86_400_000

/** A row of any index, and how its order is found. */
interface Candidate {
  key: string
  time: number
  /** The order as the row has it. */
  summary?: OrderSummary | undefined
  /** Reads the order; undefined when it is not to be shown here. */
  read?: (() => Promise<OrderSummary | undefined>) | undefined
}

type Listing = (limit: number, cursor?: string) => Promise<{ rows: Candidate[]; cursor: string | undefined }>

/**
 * A page of orders. Without a filter it costs one list, and over KV alone a read of each order; a filtered one looks at a
 * stated number of rows, and can be short or empty although there are more: then there is a place to go on from.
 */
export async function listOrders(
  context: Context,
  filter: OrderFilter,
  limit: number,
  place: Place = {},
): Promise<{ orders: ListedOrder[]; next: Place | undefined }> {
  const now = place.now ?? context.now()
  const listings = listingsOf(context, filter, now)
  const isFiltered = filter.status !== undefined || filter.flag !== undefined || isPeriod(filter)
  const orders: ListedOrder[] = []
  const budget = { rows: isFiltered ? ROWS : limit, reads: READS, lists: isFiltered ? LISTS : 1 }
  let at: Place = { ...place, now }
  for (;;) {
    const listing = listings[at.block ?? 0]
    if (!listing) return { orders: distinct(orders), next: undefined }
    if (budget.rows <= 0 || budget.reads <= 0 || budget.lists <= 0) return { orders: distinct(orders), next: at }
    budget.lists--
    // The rest of a listing that an earlier page stopped in comes first.
    const page = await listing(at.after === undefined ? budget.rows : ROWS, at.cursor)
    const { after } = at
    const rows = after === undefined ? page.rows : page.rows.filter(({ key }) => key > after)
    const last = await take(rows, filter, limit, orders, budget)
    if (last !== undefined) return { orders: distinct(orders), next: { ...at, after: last } }
    const isOver = page.cursor === undefined
    at = isOver ? { block: (at.block ?? 0) + 1, now } : { block: at.block, cursor: page.cursor, now }
    const isFull = orders.length >= limit || (!isFiltered && page.rows.length > 0)
    if (isFull) return { orders: distinct(orders), next: isOver && !listings[at.block ?? 0] ? undefined : at }
  }
}

/**
 * Takes rows into the page, as many as it may look at.
 * @returns The key of the last row that was dealt with, when there are more of them; undefined when all were.
 */
async function take(
  rows: readonly Candidate[],
  filter: OrderFilter,
  limit: number,
  orders: ListedOrder[],
  budget: { rows: number; reads: number },
): Promise<string | undefined> {
  for (let at = 0; at < rows.length; ) {
    const few = rows.slice(at, at + Math.max(1, Math.min(limit, budget.rows, budget.reads)))
    const shown = await Promise.all(few.map(async ({ summary, read }) => summary ?? read?.()))
    for (const [i, row] of few.entries()) {
      at++
      budget.rows--
      if (row.read) budget.reads--
      const summary = shown[i]
      if (!summary || !matches(summary, row.time, filter)) continue
      orders.push({ ...summary, listed_at: new Date(row.time).toISOString() })
      if (orders.length >= limit) return at < rows.length ? row.key : undefined
    }
    if ((budget.rows <= 0 || budget.reads <= 0) && at < rows.length) return rows[at - 1]?.key
  }
  return undefined
}

const isPeriod = ({ from, to }: OrderFilter): boolean => from !== undefined || to !== undefined

function matches({ status, flags }: OrderSummary, time: number, filter: OrderFilter): boolean {
  if (filter.status !== undefined && status !== filter.status) return false
  if (filter.flag !== undefined && !flags.some((flag) => flag === filter.flag)) return false
  return time >= (filter.from ?? 0) && time < (filter.to ?? Number.POSITIVE_INFINITY)
}

/** An order whose row was written on two days at once is shown where it comes first. */
const distinct = (orders: readonly ListedOrder[]): ListedOrder[] => {
  const seen = new Map<string, ListedOrder>()
  for (const order of orders) if (!seen.has(order.order_id)) seen.set(order.order_id, order)
  return [...seen.values()]
}

function listingsOf(context: Context, filter: OrderFilter, now: number): Listing[] {
  const { store } = context
  const { reference } = filter
  if (reference !== undefined) {
    return [
      async (limit, cursor) => {
        const page = await listReference(store, reference, limit, cursor)
        return { ...page, rows: page.rows.map((row) => ({ ...row, read: () => readSummary(context, row.order_id) })) }
      },
    ]
  }
  if (filter.open) return [openListing(context)]
  const recent =
    (prefix?: string): Listing =>
    async (limit, cursor) => {
      const page = await listRecent(store, limit, cursor, prefix)
      return { ...page, rows: page.rows.map((row) => candidateOf(context, row)) }
    }
  if (!isPeriod(filter)) return [recent()]
  return prefixesOf(filter.from ?? now - ROW_DAYS_MS, filter.to ?? now + 1, now).map(recent)
}

/** What is open, each order once. A row can be a moment behind: the order says whether it still is. */
function openListing(context: Context): Listing {
  return async (limit, cursor) => {
    const page = await listOpen(context.store, limit, cursor)
    const rows = page.rows.map(async ({ order_id, kind, since, attempt_id }) => ({
      key: await openKeyOf(order_id, attempt_id),
      time: since,
      read: async () => {
        const order = (await actionsOf(context, order_id).read())?.order
        if (!order) return undefined
        const isOpen =
          kind === 'checkout'
            ? order.status !== 'success' && order.status !== 'failure'
            : order.attempts.some(({ id }) => id === attempt_id)
        return isOpen ? summaryOf(order) : undefined
      },
    }))
    return { rows: await Promise.all(rows), cursor: page.cursor }
  }
}

function candidateOf(context: Context, row: RecentRow): Candidate {
  const { key, time, summary, isOld } = row
  if (isOld || summary) return { key, time, summary }
  return { key, time, read: () => orderAt(context, row) }
}

async function readSummary(context: Context, order_id: string): Promise<OrderSummary | undefined> {
  const found = await actionsOf(context, order_id).read()
  return found && summaryOf(found.order)
}

/**
 * The order of a row without a summary, which a worker without a gate wrote. It has such a row for each day with an event:
 * it is shown at its newest one, on whatever page that is. A row that was written before an attempt failed has a twin with
 * the time of the event; the twin is the one that is shown. An order whose gate has written a row since is shown there.
 */
async function orderAt(context: Context, { order_id, orderKey, time }: RecentRow): Promise<OrderSummary | undefined> {
  const found = await actionsOf(context, order_id).read()
  if (!found || found.listed !== undefined) return undefined
  const { order, received } = found as { order: Order; received: number[] }
  if (received.some((received_at) => dayOf(received_at) > dayOf(time))) return undefined
  const first = Math.min(...received.filter((received_at) => dayOf(received_at) === dayOf(time)))
  const hasTwin = Number.isFinite(first) && first !== time && (await hasRecent(context.store, orderKey, first))
  return hasTwin ? undefined : summaryOf(order)
}
