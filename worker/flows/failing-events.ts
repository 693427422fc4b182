import type { Context } from '../context.ts'
import { getRetry, listRetryPage, type Retry } from '../store/event-progress.ts'
import { actionsOf } from './order-actions.ts'
import { notFailing } from './replay.ts'

/** An event that `onEvent` failed on, as the API shows it. */
export interface FailingEvent {
  id: string
  order_id: string
  /** How many times `onEvent` failed. */
  attempts: number
  /** Name and message of the last error. */
  error: string
  /** Whether only a replay runs it again. */
  given_up: boolean
  /** ISO 8601, UTC: when it is tried again; null when it was given up. */
  next_at: string | null
}

/** A page of what `onEvent` failed on: one list, and two reads for each of them. In no particular order. */
export async function listFailingEvents(
  context: Context,
  limit: number,
  cursor?: string,
): Promise<{ events: FailingEvent[]; cursor: string | undefined }> {
  const page = await listRetryPage(context.store, limit, cursor)
  const events = await Promise.all(page.ids.map((id) => failingEvent(context, id)))
  return { events: events.filter((event) => event !== undefined), cursor: page.cursor }
}

/** Undefined when it was handled a moment ago. */
async function failingEvent(context: Context, id: string): Promise<FailingEvent | undefined> {
  const kept = await getRetry(context.store, id)
  if (!kept) return undefined
  const { order_id } = kept
  // With the gate the row in KV only leads there: its queue has the newest state.
  const state = context.env.ORDER_GATE ? await actionsOf(context, order_id).waiting(id) : kept
  if (!state) return undefined
  const { attempts, error = '', given_up = false, next_at } = state
  return { id, order_id, attempts, error, given_up, next_at: given_up ? null : new Date(next_at).toISOString() }
}

/** What is kept of an event that `onEvent` failed on. @throws {ProblemError} when it is not failing. */
export async function failingOrderOf({ store }: Context, event_id: string): Promise<Retry> {
  const kept = await getRetry(store, event_id)
  if (!kept) throw notFailing()
  return kept
}
