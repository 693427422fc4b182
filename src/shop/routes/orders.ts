import * as v from 'valibot'
import { MONEY_STATES, type MoneyState } from '../../orders/money-state.ts'
import { nonEmptyText, oneOf, wholeNumber } from '../../schemas/input.ts'
import { listOrders, type OrdersQuery } from '../../till/lists.ts'
import { FLAGS } from '../engine/alerts.ts'
import { finishStray, listAttention } from '../engine/attention.ts'
import { readEvent } from '../engine/read-event.ts'
import { showOrder } from '../engine/show.ts'
import { getStray, listStrays } from '../kv/strays.ts'
import { notFound } from '../lib/problem.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import type { Call } from './calls.ts'
import { invalidParameter, PAGE, type Routes, route, time } from './route.ts'

/** At most this many orders, and webhooks without an order, are shown. */
const MOST_SHOWN = 200

/** The states of a list, as `waiting,pending`. @throws {ProblemError} for another name. */
function statesOf(text: string): MoneyState[] {
  return text.split(',').map((name) => {
    const known = MONEY_STATES.find((state) => state === name)
    if (!known) throw invalidParameter('state', `must be names of ${MONEY_STATES.join(', ')}, with commas between them`)
    return known
  })
}

const dateOf = (time: number | undefined): Date | undefined => (time === undefined ? undefined : new Date(time))

export const ORDER_ROUTES: Routes<'GET /api/attention' | Extract<Call, `GET /api/orders${string}`>> = {
  // A page of orders, newest first, exact at this moment.
  'GET /api/orders': route({
    id: 'listOrders',
    may: 'view',
    needs: 'orders',
    query: {
      status: v.optional(nonEmptyText),
      flag: v.optional(oneOf([...Object.keys(FLAGS), 'paid_after_failure', 'any'])),
      reference: v.optional(nonEmptyText),
      open: v.optional(oneOf(['true'])),
      state: v.optional(v.pipe(nonEmptyText, v.transform(statesOf))),
      from: v.optional(time),
      to: v.optional(time),
      search: v.optional(nonEmptyText),
      ...PAGE,
    },
    async run(_, scope, { query: { limit, cursor, open, state: states, from, to, flag, ...filter } }) {
      if (from !== undefined && to !== undefined && from >= to) {
        throw invalidParameter('from', 'must be earlier than to')
      }
      const listing = JSON.stringify({ ...filter, flag, from, to, open, states })
      const period = { from: dateOf(from), to: dateOf(to) }
      const filters = { ...filter, ...period, states, open: open === 'true', flag: flag as OrdersQuery['flag'] }
      const after = openCursor<string>(cursor, listing)
      const page = await listOrders(scope.till, { ...filters, limit, cursor: after })
      return { orders: page.orders, cursor: sealCursor(page.cursor ?? undefined, listing) }
    },
  }),
  // The orders that need a person, each with a sentence, the oldest first; with `limit=0` only how much there is.
  'GET /api/attention': route({
    id: 'showAttention',
    may: 'view',
    needs: 'orders',
    query: { limit: v.optional(wholeNumber(0, MOST_SHOWN), MOST_SHOWN) },
    run: (_, scope, { query }) => listAttention(scope, query.limit),
  }),
  'GET /api/orders/:order_id': route({
    id: 'getOrder',
    errors: ['not_found'],
    may: 'view',
    needs: 'orders',
    async run(c, scope) {
      const order = await showOrder(scope, c.req.param('order_id') as string)
      if (!order) throw notFound('order')
      return order
    },
  }),
  // One event under its wire names, without the card's token.
  'GET /api/orders/:order_id/events/:event_id': route({
    id: 'getOrderEvent',
    errors: ['not_found'],
    may: 'view',
    needs: 'orders',
    async run({ req }, scope) {
      const stored = await readEvent(scope, req.param('order_id') as string, req.param('event_id') as string)
      if (!stored) throw notFound('event')
      const { received_at, event, issues, erased_at } = stored
      return { received_at, event: withoutToken(event), ...(issues && { issues }), ...(erased_at && { erased_at }) }
    },
  }),
}

/** Genuine webhooks that could not be read, or that name no order; and the raw `data` of such a webhook. */
export const STRAY_ROUTES: Routes<Extract<Call, `${string}/api/strays${string}`>> = {
  'GET /api/strays': route({
    id: 'listStrays',
    may: 'all',
    needs: 'stored',
    query: PAGE,
    async run(_, { kv }, { query }) {
      const { strays, cursor } = await listStrays(kv, query.limit, openCursor(query.cursor, 'strays'))
      return { strays, cursor: sealCursor(cursor, 'strays') }
    },
  }),
  'GET /api/strays/:id': route({
    id: 'getStray',
    errors: ['not_found'],
    may: 'all',
    needs: 'stored',
    async run({ req }, { kv }) {
      const data = await getStray(kv, req.param('id') as string)
      if (data === undefined) throw notFound('stray')
      return { data }
    },
  }),
  // Takes it out of GET /api/attention; it stays among the strays.
  'POST /api/strays/:id/done': route({
    id: 'finishStray',
    errors: ['not_found'],
    may: 'all',
    needs: 'orders',
    async run({ req }, scope) {
      const id = req.param('id') as string
      if (!(await finishStray(scope, id))) throw notFound('item')
      return { id, done: true }
    },
  }),
}

/** Leaves out the card's token, which can be charged. */
export function withoutToken(record: object): Record<string, unknown> {
  const cut = (key: string, value: unknown) => (key === 'cc_token' ? undefined : value)
  return JSON.parse(JSON.stringify(record, cut)) as Record<string, unknown>
}
