import type { Context } from 'hono'
import { contextOf, type Deps, waitUntilOf } from '../context.ts'
import type { Env } from '../env.ts'
import { failingOrderOf, listFailingEvents } from '../flows/failing-events.ts'
import { actionsOf } from '../flows/order-actions.ts'
import { requireBindings } from '../lib/configuration.ts'
import { invalidParameter, limitOf, openCursor, queryOf, sealCursor } from '../lib/query.ts'

type Route = (c: Context<{ Bindings: Env }>) => Promise<Response>

export const EVENTS_QUERY: readonly string[] = ['failing', 'limit', 'cursor']

/** `GET /api/events?failing=true`: the events that `onEvent` failed on, those that it gave up included. */
export function failingEvents(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'orders')
    const query = queryOf(c, EVENTS_QUERY)
    if (query.failing !== 'true') throw invalidParameter('failing', 'must be true: no other list of events exists')
    const from = (await openCursor(query.cursor, 'events')) as string | undefined
    const { events, cursor } = await listFailingEvents(contextOf(deps, c.env), limitOf(query), from)
    return c.json({ events, cursor: await sealCursor(cursor, 'events') })
  }
}

/** `POST /api/events/:id/replay`: calls `onEvent` now for an event that it failed on. */
export function replayEvent(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'orders')
    const context = contextOf(deps, c.env, waitUntilOf(c))
    const id = c.req.param('id') ?? ''
    const { order_id } = await failingOrderOf(context, id)
    const handled = await actionsOf(context, order_id).replay(id)
    return c.json({ id, order_id, handled }, handled ? 200 : 502)
  }
}
