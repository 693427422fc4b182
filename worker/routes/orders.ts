import type { Context } from 'hono'
import { type Env, requireBindings } from '../env.ts'
import { ProblemError } from '../lib/problem.ts'
import { getDeadLetter, listDeadLetters } from '../store/dead-letters.ts'
import { getEvent, orderKeyOf } from '../store/event-log.ts'
import { type KvStore, openKvStore } from '../store/kv.ts'
import type { Order } from '../store/order.ts'
import { dayOf, hasRecent, listRecent, type RecentRow } from '../store/order-index.ts'
import { readOrder } from '../store/read-order.ts'

type C = Context<{ Bindings: Env }>

const PAGE = 20
const LARGEST_PAGE = 100

/** `GET /api/orders/:order_id` */
export async function getOrder(c: C): Promise<Response> {
  const state = stateOf(c)
  const { order, summaries, checkout } = await readOrder(state, c.req.param('order_id') ?? '')
  if (summaries.length === 0 && !checkout) throw new ProblemError(404, 'not_found', 'No such order.')
  return c.json(order)
}

/** `GET /api/orders?limit=20&cursor=…`: the orders with events, newest first. A page can be shorter than its limit. */
export async function listOrders(c: C): Promise<Response> {
  const state = stateOf(c)
  const { rows, cursor } = await listRecent(state, limitOf(c), cursorOf(c))
  const orders = await Promise.all(rows.map((row) => latestReading(state, row)))
  const distinct = new Map(orders.flatMap((order) => (order ? [[order.order_id, order]] : [])))
  return c.json({ orders: [...distinct.values()], cursor: cursor ?? null })
}

/**
 * An order has a row for each day with an event: it is shown at its newest one, on whatever page that is. A row that was
 * written before an attempt failed has a twin with the time of the event; the twin is the one that is shown.
 */
async function latestReading(state: KvStore, { order_id, orderKey, time }: RecentRow): Promise<Order | undefined> {
  const { order, summaries } = await readOrder(state, order_id)
  const times = summaries.map(({ received_at }) => received_at)
  if (times.some((received_at) => dayOf(received_at) > dayOf(time))) return undefined
  const first = Math.min(...times.filter((received_at) => dayOf(received_at) === dayOf(time)))
  const hasTwin = Number.isFinite(first) && first !== time && (await hasRecent(state, orderKey, first))
  return hasTwin ? undefined : order
}

/** `GET /api/orders/:order_id/events/:event_id`: one event under its wire names, without the card's token. */
export async function getOrderEvent(c: C): Promise<Response> {
  const state = stateOf(c)
  const orderKey = await orderKeyOf(c.req.param('order_id') ?? '')
  const stored = await getEvent(state, orderKey, c.req.param('event_id') ?? '')
  if (!stored) throw new ProblemError(404, 'not_found', 'No such event.')
  const { received_at, event, issues } = stored
  return c.json({ received_at, event: withoutToken(event), ...(issues && { issues }) })
}

/** `GET /api/strays`: genuine webhooks that could not be read, or that name no order. */
export async function showDeadLetters(c: C): Promise<Response> {
  const { strays, cursor } = await listDeadLetters(stateOf(c), limitOf(c), cursorOf(c))
  return c.json({ strays, cursor: cursor ?? null })
}

/** `GET /api/strays/:id`: the raw `data` of one. */
export async function showDeadLetter(c: C): Promise<Response> {
  const data = await getDeadLetter(stateOf(c), c.req.param('id') ?? '')
  if (data === undefined) throw new ProblemError(404, 'not_found', 'No such stray.')
  return c.json({ data })
}

/** A card's token can be charged: it stays in KV. */
export function withoutToken(record: object): Record<string, unknown> {
  const { cc_token, ...rest } = record as Record<string, unknown>
  return rest
}

function stateOf(c: C): KvStore {
  requireBindings(c.env, 'orders')
  return openKvStore(c.env.STATE)
}

function limitOf(c: C): number {
  const text = c.req.query('limit')
  if (text === undefined) return PAGE
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit
  throw new ProblemError(400, 'invalid_limit', `limit must be a whole number from 1 to ${LARGEST_PAGE}.`)
}

function cursorOf(c: C): string | undefined {
  const cursor = c.req.query('cursor')
  if (cursor === undefined || /^[\w+/=%.-]{1,1024}$/.test(cursor)) return cursor
  throw new ProblemError(400, 'invalid_cursor', 'cursor must be the one that the page before answered.')
}
