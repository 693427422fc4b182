import { actShop } from '../books/actions.ts'
import { askAll, askPage } from '../books/ask.ts'
import { attentionOfBook, failingOfBook, ordersOfBook } from '../books/orders.ts'
import { sumOf } from '../books/register.ts'
import type { Attention, FailingRow, OrderFilter, OrderSummary, Place } from '../books/tables.ts'
import type { Scope } from '../scope.ts'

/** An order of a list. */
export interface ListedOrder extends OrderSummary {
  /** When its first event or opening came, ISO 8601, UTC: what a list is sorted by, and what a period is compared with. */
  listed_at: string
}

/** A page of orders, newest first: as many as there are, and a place to go on from where there are more. */
export async function listOrders(
  scope: Scope,
  filter: OrderFilter,
  limit: number,
  after?: Place,
): Promise<{ orders: ListedOrder[]; next: Place | undefined }> {
  const query = { filter, limit: limit + 1, after }
  const { from, to = Number.POSITIVE_INFINITY } = filter
  const rows = await askPage(scope, ordersOfBook, query, {
    place: ({ since, order_id }) => [since, order_id],
    ...{ newestFirst: true, isBounded: true, from, to: Math.min(to, after?.since ?? to) },
  })
  const page = rows.slice(0, limit)
  const orders = page.map(({ since, summary }) => ({ ...summary, listed_at: new Date(since).toISOString() }))
  const { since, order_id } = page.at(-1) ?? {}
  const isMore = rows.length > limit && since !== undefined && order_id !== undefined
  return { orders, next: isMore ? { since, order_id } : undefined }
}

/** A page of the events that `onEvent` fails on, those that were given up included. @param after The last event's id. */
export async function listFailing(
  scope: Scope,
  limit: number,
  after?: string,
): Promise<{ rows: FailingRow[]; next: string | undefined }> {
  const query = { limit: limit + 1, after }
  const rows = await askPage(scope, failingOfBook, query, { place: ({ event_id }) => [0, event_id] })
  return { rows: rows.slice(0, limit), next: rows.length > limit ? rows[limit - 1]?.event_id : undefined }
}

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
  if (limit === 0) return { items: [], more: count > 0, count }
  const found = await askPage(
    scope,
    attentionOfBook,
    { limit: limit + 1 },
    { place: ({ since, id }) => [since, id], isBounded: true },
  )
  const items = found
    .slice(0, limit)
    .flatMap(({ since, attention }) => attention.map((alert) => ({ ...alert, at: new Date(since).toISOString() })))
  return { items, more: found.length > limit, count }
}

/** The order of an event that `onEvent` fails on. */
export async function orderOfFailing(scope: Scope, event_id: string): Promise<string | undefined> {
  const [found] = await askAll(scope, failingOfBook, { event_id, limit: 1 })
  return found?.order_id
}
