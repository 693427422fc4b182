import { act } from '../actions.ts'
import { showOrder } from '../flows/order-page.ts'
import type { Scope } from '../scope.ts'
import { listRecent, listReference, type OrderSummary, prefixesOf, summaryOf } from '../store/order-index.ts'
import { listWatched, watchedKeyOf } from '../store/watchlist.ts'

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
  /** Reads the order; undefined when it is not to be shown. */
  read?: (() => Promise<OrderSummary | undefined>) | undefined
}

type Listing = (limit: number, cursor?: string) => Promise<{ rows: Candidate[]; cursor: string | undefined }>

/**
 * A page of orders. Without a filter it costs one list; a filtered one looks at a stated number of rows, and can be short or
 * empty although there are more: then there is a place to go on from.
 */
export async function listOrders(
  scope: Scope,
  filter: OrderFilter,
  limit: number,
  place: Place = {},
): Promise<{ orders: ListedOrder[]; next: Place | undefined }> {
  const now = place.now ?? scope.now()
  const listings = listingsOf(scope, filter, now)
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

function listingsOf(scope: Scope, filter: OrderFilter, now: number): Listing[] {
  const { kv } = scope
  const { reference } = filter
  if (reference !== undefined) {
    return [
      async (limit, cursor) => {
        const page = await listReference(kv, reference, limit, cursor)
        return { ...page, rows: page.rows.map((row) => ({ ...row, read: () => readSummary(scope, row.order_id) })) }
      },
    ]
  }
  if (filter.open) return [openListing(scope)]
  const recent =
    (prefix?: string): Listing =>
    (limit, cursor) =>
      listRecent(kv, limit, cursor, prefix)
  if (!isPeriod(filter)) return [recent()]
  return prefixesOf(filter.from ?? now - ROW_DAYS_MS, filter.to ?? now + 1, now).map(recent)
}

/** The orders that are watched, each once. A row can be a moment behind: the order says whether it is still open. */
function openListing(scope: Scope): Listing {
  return async (limit, cursor) => {
    const page = await listWatched(scope.kv, limit, cursor)
    const rows = page.rows.map(async ({ order_id, kind, since, attempt_id }) => ({
      key: await watchedKeyOf(order_id, attempt_id),
      time: since,
      read: async () => {
        const order = await act(scope, order_id, showOrder)
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

async function readSummary(scope: Scope, order_id: string): Promise<OrderSummary | undefined> {
  const order = await act(scope, order_id, showOrder)
  return order && summaryOf(order)
}
