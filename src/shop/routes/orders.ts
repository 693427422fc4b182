import * as v from 'valibot'
import { nonEmptyText, oneOf, wholeNumber } from '../../schemas/input.ts'
import type { Position } from '../books/tables.ts'
import { getStray, listStrays } from '../kv/strays.ts'
import { DAY_MS } from '../lib/day.ts'
import { ProblemError } from '../lib/problem.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { act } from '../order/actions.ts'
import { getEvent } from '../order/events.ts'
import { showOrder } from '../order/order-page.ts'
import { FLAGS } from '../order/raise-alert.ts'
import { listAttention, listOrders } from './list-orders.ts'
import type { Call } from './results.ts'
import { invalidParameter, PAGE, type Routes, route, time } from './route.ts'

/** Words are looked for in the orders of so long before `to`, or now: each of them is read. */
const WORDS_MS = 92 * DAY_MS
/** So many orders, and webhooks without one, are shown at most. */
const MOST_SHOWN = 200

export const ORDER_ROUTES: Routes<'GET /api/attention' | Extract<Call, `GET /api/orders${string}`>> = {
  // A page of orders, newest first, exact but for the changes of the last seconds; see `listOrders`.
  'GET /api/orders': route({
    may: 'view',
    needs: 'orders',
    query: {
      status: v.optional(nonEmptyText),
      flag: v.optional(oneOf([...Object.keys(FLAGS), 'paid_after_failure', 'rebuilt', 'any'])),
      reference: v.optional(nonEmptyText),
      open: v.optional(oneOf(['true'])),
      from: v.optional(time),
      to: v.optional(time),
      search: v.optional(nonEmptyText),
      ...PAGE,
    },
    async run(_, scope, { query: { limit, cursor, open, ...filter } }) {
      const { from, to = scope.now() } = filter
      if (from !== undefined && filter.to !== undefined && from >= to) {
        throw invalidParameter('from', 'must be earlier than to')
      }
      const listing = JSON.stringify({ ...filter, open })
      const asked = { ...filter, open: open === 'true', wordsSince: to - WORDS_MS }
      const { page, next } = await listOrders(scope, asked, limit, openCursor<Position>(cursor, listing))
      return { orders: page, cursor: sealCursor(next, listing) }
    },
  }),
  // The orders that need a person, each with a sentence, the oldest first; with `limit=0` only how much there is.
  'GET /api/attention': route({
    may: 'view',
    needs: 'orders',
    query: { limit: v.optional(wholeNumber(0, MOST_SHOWN), MOST_SHOWN) },
    run: (_, scope, { query }) => listAttention(scope, query.limit),
  }),
  'GET /api/orders/:order_id': route({
    may: 'view',
    needs: 'orders',
    async run(c, scope) {
      const order = await act(scope, c.req.param('order_id') as string, showOrder)
      if (!order) throw new ProblemError(404, 'not_found', 'No such order.')
      return order
    },
  }),
  // One event under its wire names, without the card's token.
  'GET /api/orders/:order_id/events/:event_id': route({
    may: 'view',
    needs: 'stored',
    async run({ req }, { kv }) {
      const [order_id, event_id] = [req.param('order_id') as string, req.param('event_id') as string]
      // `mugs~1` is a name of ours, unless another program's order has it.
      const stored =
        (await getEvent(kv, order_id, event_id)) ?? (await getEvent(kv, order_id.replace(/~1$/, ''), event_id))
      if (!stored) throw new ProblemError(404, 'not_found', 'No such event.')
      const { received_at, event, issues, erased_at } = stored
      return { received_at, event: withoutToken(event), ...(issues && { issues }), ...(erased_at && { erased_at }) }
    },
  }),
}

/** Genuine webhooks that could not be read, or that name no order; and the raw `data` of one. */
export const STRAY_ROUTES: Routes<Extract<Call, `GET /api/strays${string}`>> = {
  'GET /api/strays': route({
    may: 'all',
    needs: 'stored',
    query: PAGE,
    async run(_, { kv }, { query }) {
      const { strays, cursor } = await listStrays(kv, query.limit, openCursor(query.cursor, 'strays'))
      return { strays, cursor: sealCursor(cursor, 'strays') }
    },
  }),
  'GET /api/strays/:id': route({
    may: 'all',
    needs: 'stored',
    async run({ req }, { kv }) {
      const data = await getStray(kv, req.param('id') as string)
      if (data === undefined) throw new ProblemError(404, 'not_found', 'No such stray.')
      return { data }
    },
  }),
}

/** A card's token can be charged: it stays in the store. */
export function withoutToken(record: object): Record<string, unknown> {
  const cut = (key: string, value: unknown) => (key === 'cc_token' ? undefined : value)
  return JSON.parse(JSON.stringify(record, cut)) as Record<string, unknown>
}
