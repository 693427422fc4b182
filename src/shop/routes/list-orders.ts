import { actShop } from '../books/actions.ts'
import {
  attentionOfMonth,
  countFailing as failingCount,
  failingOfMonth,
  monthsOfShop,
  ordersOfMonth,
} from '../books/orders.ts'
import {
  type Attention,
  type FailingRow,
  monthOf,
  type OrderFilter,
  type OrderSummary,
  type Place,
} from '../books/tables.ts'
import { listStrays } from '../kv/strays.ts'
import type { RaisedAlert } from '../options.ts'
import { textOf } from '../order/raise-alert.ts'
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
  const rows: (Place & { summary: OrderSummary })[] = []
  for (const month of await actShop(scope, undefined, monthsOfShop)) {
    if (!mayHold(month, filter, after)) continue
    rows.push(...(await actShop(scope, month, ordersOfMonth, { filter, limit: limit + 1 - rows.length, after })))
    if (rows.length > limit) break
  }
  const page = rows.slice(0, limit)
  const orders = page.map(({ since, summary }) => ({ ...summary, listed_at: new Date(since).toISOString() }))
  const { since, order_id } = page.at(-1) ?? {}
  const isMore = rows.length > limit && since !== undefined && order_id !== undefined
  return { orders, next: isMore ? { since, order_id } : undefined }
}

function mayHold(month: string, { from, to }: OrderFilter, after: Place | undefined): boolean {
  const last = Math.min(after?.since ?? Number.POSITIVE_INFINITY, to === undefined ? Number.POSITIVE_INFINITY : to - 1)
  return (from === undefined || month >= monthOf(from)) && (last === Number.POSITIVE_INFINITY || month <= monthOf(last))
}

/** Where a page of failing events begins. */
export interface FailingPlace {
  month: string
  event_id: string
}

/** A page of the events that `onEvent` fails on, those that were given up included. */
export async function listFailing(
  scope: Scope,
  limit: number,
  after?: FailingPlace,
): Promise<{ rows: FailingRow[]; next: FailingPlace | undefined }> {
  const rows: (FailingRow & { month: string })[] = []
  for (const month of await actShop(scope, undefined, monthsOfShop)) {
    if (after && month > after.month) continue
    const begin = month === after?.month ? after.event_id : undefined
    const found = await actShop(scope, month, failingOfMonth, { after: begin, limit: limit + 1 - rows.length })
    rows.push(...found.map((row) => ({ ...row, month })))
    if (rows.length > limit) break
  }
  const last = rows[limit - 1]
  return { rows: rows.slice(0, limit), next: rows.length > limit && last ? last : undefined }
}

/** How many events `onEvent` fails on. */
export async function countFailing(scope: Scope): Promise<number> {
  let count = 0
  for (const month of await actShop(scope, undefined, monthsOfShop)) count += await actShop(scope, month, failingCount)
  return count
}

/** Something that a person should look at: an alert, and when its order came, ISO 8601, UTC. */
interface AttentionItem extends Attention {
  at: string
}

/** So many orders, and so many strays, are shown at most. */
const SHOWN = 200

/** What needs a person, the oldest first; `more`: there is more than is shown. */
export async function listAttention(scope: Scope): Promise<{ items: AttentionItem[]; more: boolean }> {
  const { kv, env } = scope
  const found: { since: number; attention: Attention[] }[] = []
  for (const month of (await actShop(scope, undefined, monthsOfShop)).reverse()) {
    if (found.length <= SHOWN) found.push(...(await actShop(scope, month, attentionOfMonth, { limit: SHOWN + 1 })))
  }
  const { strays, cursor } = await listStrays(kv, SHOWN)
  for (const { received_at: since, reason, id } of strays) {
    const alert: RaisedAlert = { kind: 'stray', order_id: null, reason, id }
    found.push({ since, attention: [{ ...alert, text: textOf(alert, env.PUBLIC_ORIGIN) }] })
  }
  const isMore = found.length - strays.length > SHOWN || cursor !== undefined
  const shown = found.sort((a, b) => a.since - b.since).slice(0, SHOWN)
  const items = shown.flatMap(({ since, attention }) =>
    attention.map((alert) => ({ ...alert, at: new Date(since).toISOString() })),
  )
  return { items, more: isMore || found.length > shown.length }
}

/** The order of an event that `onEvent` fails on. */
export async function orderOfFailing(scope: Scope, event_id: string): Promise<string | undefined> {
  for (const month of await actShop(scope, undefined, monthsOfShop)) {
    const [found] = await actShop(scope, month, failingOfMonth, { event_id, limit: 1 })
    if (found) return found.order_id
  }
  return undefined
}
