import { actShop } from '../books/actions.ts'
import { askAll, askPage, type Paged } from '../books/ask.ts'
import { type AttentionRow, attentionOfBook, failingOfBook, ordersOfBook } from '../books/orders.ts'
import { sumOf } from '../books/register.ts'
import type { Attention, FailingRow, OrderFilter, OrderSummary, Place, Position } from '../books/tables.ts'
import type { Scope } from '../scope.ts'

/** An order of a list. */
export interface ListedOrder extends OrderSummary {
  /** When its first event or opening came, ISO 8601, UTC: what a list is sorted by, and what a period is compared with. */
  listed_at: string
}

export const listedOrder = ({ since, summary }: Place & { summary: OrderSummary }): ListedOrder => ({
  ...summary,
  listed_at: new Date(since).toISOString(),
})

/** A page of orders, newest first. */
export async function listOrders(
  scope: Scope,
  filter: OrderFilter,
  limit: number,
  after?: Position,
): Promise<Paged<ListedOrder>> {
  const { from, to = Number.POSITIVE_INFINITY } = filter
  const { page, next } = await askPage(
    scope,
    ordersOfBook,
    { filter, limit, after },
    {
      place: ({ since, order_id }) => [since, order_id],
      ...{ newestFirst: true, isBounded: true, from, to: Math.min(to, after?.[0] ?? to) },
    },
  )
  return { page: page.map(listedOrder), next }
}

/** A page of the events that `onEvent` fails on, those that were given up included. */
export const listFailing = (scope: Scope, limit: number, after?: Position): Promise<Paged<FailingRow>> =>
  askPage(scope, failingOfBook, { limit, after }, { place: ({ event_id }) => [0, event_id] })

/** How many events `onEvent` fails on. */
export const countFailing = (scope: Scope): Promise<number> => actShop(scope, 1, sumOf, 'failing')

/** Something that a person should look at: an alert, and when its order came, ISO 8601, UTC. */
export interface AttentionItem extends Attention {
  at: string
}

/** The matters for a person, the oldest first. */
export interface AttentionList {
  items: AttentionItem[]
  /** There is more than is shown. */
  more: boolean
  /** How many items there are, as the books count them. */
  count: number
}

export async function listAttention(scope: Scope, limit: number): Promise<AttentionList> {
  const count = await actShop(scope, 1, sumOf, 'attention')
  if (limit === 0) return { items: [], more: count > limit, count }
  const order = { place: ({ since, id }: AttentionRow): Position => [since, id], isBounded: true }
  const { page, next } = await askPage(scope, attentionOfBook, { limit }, order)
  const items = page.flatMap(({ since, attention }) =>
    attention.map((alert) => ({ ...alert, at: new Date(since).toISOString() })),
  )
  return { items, more: next !== undefined, count }
}

/** The order of an event that `onEvent` fails on. */
export async function orderOfFailing(scope: Scope, event_id: string): Promise<string | undefined> {
  const [found] = await askAll(scope, failingOfBook, { event_id })
  return found?.order_id
}
