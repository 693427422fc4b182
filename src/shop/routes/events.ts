import { option } from '../../schemas/fields.ts'
import { oneOf } from '../../schemas/input.ts'
import { text } from '../../schemas/values.ts'
import { listFailing, noOnEvent, orderOfFailing, replayEvent, replaySoon } from '../engine/deliver.ts'
import { act } from '../engine/record.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import type { Call } from './calls.ts'
import { PAGE, type Routes, route, time } from './route.ts'

/** How many failing events one request looks at. */
const REPLAYED = 200

export const EVENT_ROUTES: Routes<Extract<Call, `${string}/api/events${string}`>> = {
  // The events that `onEvent` failed on, those that it gave up included, in no order.
  'GET /api/events': route({
    id: 'listFailingEvents',
    may: 'view',
    needs: 'orders',
    query: { failing: oneOf(['true']), ...PAGE },
    async run(_, scope, { query: { limit, cursor } }) {
      const found = await listFailing(scope, limit + 1, openCursor(cursor, 'events'))
      const events = found.slice(0, limit).map(({ failed_at: _, ...event }) => event)
      return { events, cursor: sealCursor(found.length > limit ? events.at(-1)?.id : undefined, 'events') }
    },
  }),
  // Has `onEvent` called soon for every event that it has failed on since then, those that it gave up included.
  'POST /api/events/replay': route({
    id: 'replayEvents',
    errors: ['no_on_event'],
    statuses: [202],
    may: 'all',
    needs: 'orders',
    body: { since: time, cursor: option(text) },
    async run(_, scope, { body: { since, cursor } }) {
      if (!scope.onEvent) throw noOnEvent()
      const found = await listFailing(scope, REPLAYED + 1, openCursor(cursor, 'replay'))
      const page = found.slice(0, REPLAYED)
      let queued = 0
      for (const { id, order_id, failed_at } of page) {
        if (failed_at < since) continue
        if (await act(scope, order_id, { action: 'replay' }, () => replaySoon(scope, id))) queued += 1
      }
      return { queued, cursor: sealCursor(found.length > REPLAYED ? page.at(-1)?.id : undefined, 'replay') }
    },
  }),
  // Calls `onEvent` now for an event that it failed on.
  'POST /api/events/:id/replay': route({
    id: 'replayEvent',
    errors: ['not_found', 'no_on_event'],
    statuses: [200, 502],
    may: 'all',
    needs: 'orders',
    async run(c, scope) {
      const id = c.req.param('id') as string
      const order_id = await orderOfFailing(scope, id)
      const end = (handled: boolean) => ({ result: handled ? 'done' : 'failed' })
      const handled = await act(scope, order_id, { action: 'replay' }, () => replayEvent(scope, id), end)
      return c.json({ id, order_id, handled }, handled ? 200 : 502)
    },
  }),
}
