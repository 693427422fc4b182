import type { OrderFlag } from '../../orders/index.ts'
import type { OrderFilter, Place } from '../books/tables.ts'
import { getStray, listStrays } from '../kv/strays.ts'
import { ProblemError } from '../lib/problem.ts'
import { invalidParameter, limitOf, openCursor, parseTime, queryOf, sealCursor } from '../lib/query.ts'
import { act } from '../order/actions.ts'
import { getEvent } from '../order/events.ts'
import { showOrder } from '../order/order-page.ts'
import type { Handler } from '../scope.ts'
import { listAttention, listOrders as listOrdersOf } from './list-orders.ts'

/** The query of a list. */
export const PAGE_QUERY: readonly string[] = ['limit', 'cursor']
export const ORDERS_QUERY: readonly string[] = [
  'status',
  'flag',
  'reference',
  'open',
  'from',
  'to',
  'search',
  ...PAGE_QUERY,
]

/** `GET /api/orders/:order_id` */
export const getOrder: Handler = async (c, scope) => {
  const order = await act(scope, c.req.param('order_id') ?? '', showOrder)
  if (!order) throw new ProblemError(404, 'not_found', 'No such order.')
  return c.json(order)
}

/** `GET /api/orders`: a page of orders, newest first, exact but for the changes of the last seconds; see `listOrders`. */
export const listOrders: Handler = async (c, scope) => {
  const query = queryOf(c, ORDERS_QUERY)
  const { limit: _, cursor, ...filters } = query
  const listing = JSON.stringify(Object.entries(filters).sort())
  const place = openCursor(cursor, listing) as Place | undefined
  const page = await listOrdersOf(scope, filterOf(filters, scope.now()), limitOf(query), place)
  return c.json({ orders: page.orders, cursor: sealCursor(page.next, listing) })
}

export const ATTENTION_QUERY: readonly string[] = ['limit']
/** So many orders, and webhooks without one, are shown at most. */
const MOST_SHOWN = 200

/** `GET /api/attention`: what needs a person, each with a sentence, the oldest first; with `limit=0` only how much there is. */
export const showAttention: Handler = async (c, scope) => {
  const { limit: text = String(MOST_SHOWN) } = queryOf(c, ATTENTION_QUERY)
  const limit = Number(text)
  if (!/^\d{1,3}$/.test(text) || limit > MOST_SHOWN) {
    throw new ProblemError(400, 'invalid_limit', `limit must be a whole number from 0 to ${MOST_SHOWN}.`)
  }
  return c.json(await listAttention(scope, limit))
}

const FLAGS: readonly string[] = [
  'amount_mismatch',
  'currency_mismatch',
  'over_capture',
  'unknown_order',
  'unexpected_shape',
  'foreign_pos',
  'status_conflict',
  'over_refund',
  'paid_after_failure',
  'paid_twice',
  'rebuilt',
  'any',
] satisfies (OrderFlag | 'any')[]

/** Words are looked for in the orders of so long before `to`, or now: each of them is read. */
const WORDS_MS = 92 * 86_400_000

function filterOf(query: Record<string, string>, now: number): OrderFilter {
  const { status, flag, reference, open, search } = query
  for (const name of ['status', 'reference', 'search'])
    if (query[name] === '') throw invalidParameter(name, 'must not be empty')
  if (flag !== undefined && !FLAGS.includes(flag)) throw invalidParameter('flag', `must be one of ${FLAGS.join(', ')}`)
  if (open !== undefined && open !== 'true') throw invalidParameter('open', 'must be true, or be left out')
  const [from, to] = [timeOf('from', query.from), timeOf('to', query.to)]
  if (from !== undefined && to !== undefined && from >= to) throw invalidParameter('from', 'must be earlier than to')
  const wordsSince = (to ?? now) - WORDS_MS
  return { status, flag, reference, open: open === 'true', from, to, search, wordsSince }
}

/** A day (its beginning, UTC), or a time with its zone. */
function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const time = isTime ? parseTime(text) : Number.NaN
  if (Number.isFinite(time)) return time
  throw invalidParameter(name, 'must be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T12:00:00Z')
}

/** `GET /api/orders/:order_id/events/:event_id`: one event under its wire names, without the card's token. */
export const getOrderEvent: Handler = async (c, { kv }) => {
  const stored = await getEvent(kv, c.req.param('order_id') ?? '', c.req.param('event_id') ?? '')
  if (!stored) throw new ProblemError(404, 'not_found', 'No such event.')
  const { received_at, event, issues, erased_at } = stored
  return c.json({ received_at, event: withoutToken(event), ...(issues && { issues }), ...(erased_at && { erased_at }) })
}

/** `GET /api/strays`: genuine webhooks that could not be read, or that name no order. */
export const showStrays: Handler = async (c, { kv }) => {
  const query = queryOf(c, PAGE_QUERY)
  const from = openCursor(query.cursor, 'strays') as string | undefined
  const { strays, cursor } = await listStrays(kv, limitOf(query), from)
  return c.json({ strays, cursor: sealCursor(cursor, 'strays') })
}

/** `GET /api/strays/:id`: the raw `data` of one. */
export const showStray: Handler = async (c, { kv }) => {
  const data = await getStray(kv, c.req.param('id') ?? '')
  if (data === undefined) throw new ProblemError(404, 'not_found', 'No such stray.')
  return c.json({ data })
}

/** A card's token can be charged: it stays in the store. */
export function withoutToken(record: object): Record<string, unknown> {
  const cut = (key: string, value: unknown) => (key === 'cc_token' ? undefined : value)
  return JSON.parse(JSON.stringify(record, cut)) as Record<string, unknown>
}
