import type { Context as HonoContext } from 'hono'
import { type Context, contextOf, type Deps } from '../context.ts'
import type { Env } from '../env.ts'
import { actionsOf } from '../flows/order-actions.ts'
import { requireBindings } from '../lib/configuration.ts'
import { sha256 } from '../lib/crypto.ts'
import { ProblemError } from '../lib/problem.ts'
import { getDeadLetter, listDeadLetters } from '../store/dead-letters.ts'
import { getEvent, orderKeyOf } from '../store/event-log.ts'
import { type KvStore, openKvStore } from '../store/kv.ts'
import type { Order } from '../store/order.ts'
import { dayOf, hasRecent, listRecent, type RecentRow } from '../store/order-index.ts'

type C = HonoContext<{ Bindings: Env }>
type Route = (c: C) => Promise<Response>

const PAGE = 20
const MAX_PAGE = 100

/** `GET /api/orders/:order_id` */
export function getOrder(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'orders')
    const found = await actionsOf(contextOf(deps, c.env), c.req.param('order_id') ?? '').read()
    if (!found) throw new ProblemError(404, 'not_found', 'No such order.')
    return c.json(found.order)
  }
}

/** `GET /api/orders?limit=20&cursor=…`: the orders with events, newest first. A page can be shorter than its limit. */
export function listOrders(deps: Deps): Route {
  return async (c) => {
    const store = storeOf(c)
    const { limit, cursor: from } = await pageOf(c)
    const { rows, cursor } = await listRecent(store, limit, from)
    const context = contextOf(deps, c.env)
    const orders = await Promise.all(rows.map((row) => orderAt(context, row)))
    const distinct = new Map(orders.flatMap((order) => (order ? [[order.order_id, order]] : [])))
    return c.json({ orders: [...distinct.values()], cursor: await sealCursor(cursor) })
  }
}

/**
 * An order has a row for each day with an event: it is shown at its newest one, on whatever page that is. A row that was
 * written before an attempt failed has a twin with the time of the event; the twin is the one that is shown.
 */
async function orderAt(context: Context, { order_id, orderKey, time }: RecentRow): Promise<Order | undefined> {
  const found = await actionsOf(context, order_id).read()
  if (!found || found.received.some((received_at) => dayOf(received_at) > dayOf(time))) return undefined
  const first = Math.min(...found.received.filter((received_at) => dayOf(received_at) === dayOf(time)))
  const hasTwin = Number.isFinite(first) && first !== time && (await hasRecent(context.store, orderKey, first))
  return hasTwin ? undefined : found.order
}

/** `GET /api/orders/:order_id/events/:event_id`: one event under its wire names, without the card's token. */
export async function getOrderEvent(c: C): Promise<Response> {
  const store = storeOf(c)
  const orderKey = await orderKeyOf(c.req.param('order_id') ?? '')
  const stored = await getEvent(store, orderKey, c.req.param('event_id') ?? '')
  if (!stored) throw new ProblemError(404, 'not_found', 'No such event.')
  const { received_at, event, issues, erased_at } = stored
  return c.json({ received_at, event: withoutToken(event), ...(issues && { issues }), ...(erased_at && { erased_at }) })
}

/** `GET /api/strays`: genuine webhooks that could not be read, or that name no order. */
export async function showDeadLetters(c: C): Promise<Response> {
  const { limit, cursor: from } = await pageOf(c)
  const { deadLetters, cursor } = await listDeadLetters(storeOf(c), limit, from)
  return c.json({ strays: deadLetters, cursor: await sealCursor(cursor) })
}

/** `GET /api/strays/:id`: the raw `data` of one. */
export async function showDeadLetter(c: C): Promise<Response> {
  const data = await getDeadLetter(storeOf(c), c.req.param('id') ?? '')
  if (data === undefined) throw new ProblemError(404, 'not_found', 'No such stray.')
  return c.json({ data })
}

/** A card's token can be charged: it stays in the store. */
export function withoutToken(record: object): Record<string, unknown> {
  const { cc_token, ...rest } = record as Record<string, unknown>
  return rest
}

function storeOf(c: C): KvStore {
  requireBindings(c.env, 'orders')
  return openKvStore(c.env.STATE)
}

async function pageOf(c: C): Promise<{ limit: number; cursor: string | undefined }> {
  const query = c.req.query()
  const unknown = Object.keys(query).find((name) => name !== 'limit' && name !== 'cursor')
  if (unknown !== undefined) {
    throw new ProblemError(400, 'unknown_parameter', 'Unknown query parameter. Known are limit and cursor.', unknown)
  }
  const limit = query.limit === undefined ? PAGE : Number(query.limit)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE)) {
    throw new ProblemError(400, 'invalid_limit', `limit must be a whole number from 1 to ${MAX_PAGE}.`)
  }
  return { limit, cursor: query.cursor === undefined ? undefined : await openCursor(query.cursor) }
}

const CHECK_LENGTH = 8

/** With a check: KV takes some broken cursors for an end, and a program would miss orders. */
async function sealCursor(cursor: string | undefined): Promise<string | null> {
  return cursor === undefined ? null : (await sha256(cursor)).slice(0, CHECK_LENGTH) + cursor
}

async function openCursor(text: string): Promise<string> {
  const cursor = text.slice(CHECK_LENGTH)
  if (cursor !== '' && text === (await sealCursor(cursor))) return cursor
  throw new ProblemError(400, 'invalid_cursor', 'cursor must be the one that the previous page returned.')
}
