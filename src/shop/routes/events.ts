import type { FailingRow } from '../books/tables.ts'
import { jsonBody } from '../lib/json-body.ts'
import { ProblemError } from '../lib/problem.ts'
import { invalidParameter, limitOf, openCursor, parseTime, queryOf, sealCursor } from '../lib/query.ts'
import { act } from '../order/actions.ts'
import { noOnEvent, notFailing, replayEvent, replaySoon, waitingEvent } from '../order/deliver-events.ts'
import type { Handler, Scope } from '../scope.ts'
import { listFailing, orderOfFailing } from './list-orders.ts'

export const EVENTS_QUERY: readonly string[] = ['failing', 'limit', 'cursor']

/** `GET /api/events?failing=true`: the events that `onEvent` failed on, those that it gave up included, in no order. */
export const failingEvents: Handler = async (c, scope) => {
  const query = queryOf(c, EVENTS_QUERY)
  if (query.failing !== 'true') throw invalidParameter('failing', 'must be true: no other list of events exists')
  const from = openCursor(query.cursor, 'events') as string | undefined
  const { rows, next } = await listFailing(scope, limitOf(query), from)
  const events = await Promise.all(rows.map((row) => failingEvent(scope, row)))
  const cursor = sealCursor(next, 'events')
  return c.json({ events: events.filter((event) => event !== undefined), cursor })
}

/**
 * `attempts`: how many times `onEvent` failed; `error`: name and message of the last error; `given_up`: only a replay runs it
 * again; `next_at`: when it is tried again, ISO 8601, UTC. Undefined when it was handled a moment ago.
 */
async function failingEvent(scope: Scope, row: FailingRow): Promise<object | undefined> {
  const { event_id: id, order_id } = row
  const state = await act(scope, row, waitingEvent)
  if (!state) return undefined
  const { failures: attempts, error = '', given_up = false, next_at } = state
  return { id, order_id, attempts, error, given_up, next_at: given_up ? null : new Date(next_at).toISOString() }
}

/** `POST /api/events/:id/replay`: calls `onEvent` now for an event that it failed on. */
export const postReplay: Handler = async (c, scope) => {
  const id = c.req.param('id') ?? ''
  const order_id = await orderOfFailing(scope, id)
  if (order_id === undefined) throw notFailing()
  const handled = await act(scope, { order_id, event_id: id }, replayEvent)
  return c.json({ id, order_id, handled }, handled ? 200 : 502)
}

/** How many failing events one request looks at. */
const REPLAYED = 200

/**
 * `POST /api/events/replay`, with `{ "since": "<ISO 8601>" }`: has `onEvent` called soon for every event that it has failed
 * on since then, those that it gave up included. `queued`: how many; `cursor`, to be sent with `since`: there are more.
 */
export const postReplays: Handler = async (c, scope) => {
  const { since, cursor } = await jsonBody(c.req.raw)
  const from = parseTime(String(since))
  if (!Number.isFinite(from)) {
    throw new ProblemError(400, 'invalid_input', 'since must be a time.', 'For example 2026-11-23T08:00:00Z.')
  }
  if (!scope.onEvent) throw noOnEvent()
  const page = openCursor(cursor == null ? undefined : String(cursor), 'replay') as string | undefined
  const { rows, next } = await listFailing(scope, REPLAYED, page)
  let queued = 0
  for (const row of rows) {
    if (await act(scope, { ...row, since: from }, replaySoon)) queued += 1
  }
  return c.json({ queued, cursor: sealCursor(next, 'replay') }, 202)
}
