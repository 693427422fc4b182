import { act } from '../actions.ts'
import { notFailing, replayEvent as replay, waitingEvent } from '../flows/deliver-events.ts'
import { invalidParameter, limitOf, openCursor, queryOf, sealCursor } from '../lib/query.ts'
import type { Handler, Scope } from '../scope.ts'
import { getFailing, listFailing } from '../store/failing-events.ts'

export const EVENTS_QUERY: readonly string[] = ['failing', 'limit', 'cursor']

/** `GET /api/events?failing=true`: the events that `onEvent` failed on, those that it gave up included, in no order. */
export const failingEvents: Handler = async (c, scope) => {
  const query = queryOf(c, EVENTS_QUERY)
  if (query.failing !== 'true') throw invalidParameter('failing', 'must be true: no other list of events exists')
  const from = (await openCursor(query.cursor, 'events')) as string | undefined
  const page = await listFailing(scope.kv, limitOf(query), from)
  const events = await Promise.all(page.ids.map((id) => failingEvent(scope, id)))
  const cursor = await sealCursor(page.cursor, 'events')
  return c.json({ events: events.filter((event) => event !== undefined), cursor })
}

/**
 * `attempts`: how many times `onEvent` failed; `error`: name and message of the last error; `given_up`: only a replay runs it
 * again; `next_at`: when it is tried again, ISO 8601, UTC. Undefined when it was handled a moment ago.
 */
async function failingEvent(scope: Scope, id: string): Promise<object | undefined> {
  const order_id = await getFailing(scope.kv, id)
  const state = order_id === undefined ? undefined : await act(scope, order_id, waitingEvent, id)
  if (order_id === undefined || !state) return undefined
  const { failures: attempts, error = '', given_up = false, next_at } = state
  return { id, order_id, attempts, error, given_up, next_at: given_up ? null : new Date(next_at).toISOString() }
}

/** `POST /api/events/:id/replay`: calls `onEvent` now for an event that it failed on. */
export const replayEvent: Handler = async (c, scope) => {
  const id = c.req.param('id') ?? ''
  const order_id = await getFailing(scope.kv, id)
  if (order_id === undefined) throw notFailing()
  const handled = await act(scope, order_id, replay, id)
  return c.json({ id, order_id, handled }, handled ? 200 : 502)
}
