import { option } from '../../schemas/fields.ts'
import { oneOf } from '../../schemas/input.ts'
import { text } from '../../schemas/values.ts'
import type { FailingRow, Position } from '../books/tables.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { act } from '../order/actions.ts'
import { chatOf, post } from '../order/chat.ts'
import { noOnEvent, notFailing, replayEvent, replaySoon, waitingEvent } from '../order/deliver-events.ts'
import type { Scope } from '../scope.ts'
import { listFailing, orderOfFailing } from './list-orders.ts'
import type { Call, FailingEvent } from './results.ts'
import { PAGE, type Routes, route, time } from './route.ts'

/** Undefined when it was handled a moment ago. */
async function failingEvent(scope: Scope, row: FailingRow): Promise<FailingEvent | undefined> {
  const { event_id: id, order_id } = row
  const state = await act(scope, row, waitingEvent)
  if (!state) return undefined
  const { failures: attempts, error = '', given_up = false, next_at } = state
  return { id, order_id, attempts, error, given_up, next_at: given_up ? null : new Date(next_at).toISOString() }
}

/** How many failing events one request looks at. */
const REPLAYED = 200

export const EVENT_ROUTES: Routes<'POST /api/chat' | Extract<Call, `${string}/api/events${string}`>> = {
  // Whether the chat takes a message; its address stays in.
  'POST /api/chat': route({
    may: 'all',
    needs: 'api',
    async run(_, scope) {
      const url = chatOf(scope.env)
      return { accepted: url === undefined ? null : await post(scope, url, `edgetill · ${scope.env.SHOP_NAME ?? ''}`) }
    },
  }),
  // The events that `onEvent` failed on, those that it gave up included, in no order.
  'GET /api/events': route({
    may: 'view',
    needs: 'orders',
    query: { failing: oneOf(['true']), ...PAGE },
    async run(_, scope, { query: { limit, cursor } }) {
      const { page, next } = await listFailing(scope, limit, openCursor(cursor, 'events'))
      const events = await Promise.all(page.map((row) => failingEvent(scope, row)))
      return { events: events.filter((event) => event !== undefined), cursor: sealCursor(next, 'events') }
    },
  }),
  // Has `onEvent` called soon for every event that it has failed on since then, those that it gave up included.
  'POST /api/events/replay': route({
    may: 'all',
    needs: 'orders',
    body: { since: time, cursor: option(text) },
    status: 202,
    async run(_, scope, { body: { since, cursor } }) {
      if (!scope.onEvent) throw noOnEvent()
      const after = openCursor<Position>(cursor, 'replay')
      const { page, next } = await listFailing(scope, REPLAYED, after)
      let queued = 0
      for (const row of page) {
        if (await act(scope, { ...row, since }, replaySoon)) queued += 1
      }
      return { queued, cursor: sealCursor(next, 'replay') }
    },
  }),
  // Calls `onEvent` now for an event that it failed on.
  'POST /api/events/:id/replay': route({
    may: 'all',
    needs: 'orders',
    async run(c, scope) {
      const id = c.req.param('id') as string
      const order_id = await orderOfFailing(scope, id)
      if (order_id === undefined) throw notFailing()
      const handled = await act(scope, { order_id, event_id: id }, replayEvent)
      return c.json({ id, order_id, handled }, handled ? 200 : 502)
    },
  }),
}
