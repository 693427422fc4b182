import { sha256 } from '../lib/crypto.ts'
import {
  type EventSummary,
  type Issue,
  readEvent,
  readSummary,
  recordOf,
  type WebhookEvent,
  type WebhookForm,
} from '../sdk.ts'
import { fitsMetadata, type KvStore, type Row } from './kv.ts'

/** A stored event: the value of `event/<order key>/<event id>`. */
export interface StoredEvent {
  /** Milliseconds since 1970. */
  received_at: number
  /** The form as received; absent when the event came as the answer to a re-send. */
  form?: WebhookForm
  /** The event under its wire names. */
  event: Record<string, unknown>
  /** What differs from the service's document, when something does. */
  issues?: readonly Issue[]
  /** Present when it does not fit into the key's metadata. */
  summary?: EventSummary
}

/** A summary of the log, with the time at which this worker received it. */
export interface LoggedEvent extends EventSummary {
  received_at: number
}

/** The order that an event belongs to; undefined when it does not say. */
export function orderIdOf(event: WebhookEvent): string | undefined {
  const { order_id } = recordOf(event)
  return typeof order_id === 'string' && order_id !== '' ? order_id : undefined
}

/** 43 characters for any order_id: 256 Cyrillic letters alone would fill a key, and `a` must not be a prefix of `a/b`. */
export const orderKeyOf = (order_id: string): Promise<string> => sha256(order_id)

const prefixOf = (orderKey: string): string => `event/${orderKey}/`

/**
 * Writes an event. Never changed afterwards: a duplicate that a stale read hides writes the same event again.
 *
 * Key `event/<order key>/<event id>`; metadata: the {@link EventSummary} and `received_at`; kept for good.
 */
export function putEvent(
  state: KvStore,
  orderKey: string,
  summary: EventSummary,
  event: WebhookEvent,
  received_at: number,
  form: WebhookForm | undefined,
): Promise<void> {
  const { id, ...fields } = summary
  const metadata = { received_at, ...fields }
  const fits = fitsMetadata(metadata)
  const value: StoredEvent = {
    received_at,
    ...(form && { form }),
    event: recordOf(event),
    ...(event.issues.length > 0 && { issues: event.issues }),
    ...(!fits && { summary }),
  }
  return state.put(prefixOf(orderKey) + id, value, fits ? metadata : { received_at, value: true })
}

/** Every event of an order: one list, and a get for the rare one whose fields do not fit into metadata. */
export async function listEvents(state: KvStore, orderKey: string): Promise<LoggedEvent[]> {
  const rows = await state.list(prefixOf(orderKey))
  return Promise.all(rows.map((row) => loggedEvent(state, row)))
}

async function loggedEvent(state: KvStore, { key, metadata }: Row): Promise<LoggedEvent> {
  const id = key.slice(key.lastIndexOf('/') + 1)
  const { received_at, value } = (metadata ?? { value: true }) as { received_at?: unknown; value?: unknown }
  const fields = value === true ? ((await state.get(key)) as StoredEvent | undefined)?.summary : metadata
  return { ...readSummary(id, fields), received_at: typeof received_at === 'number' ? received_at : 0 }
}

/** One event as it was received. */
export async function getEvent(state: KvStore, orderKey: string, eventId: string): Promise<StoredEvent | undefined> {
  return (await state.get(prefixOf(orderKey) + eventId)) as StoredEvent | undefined
}

/** The event as it was when it arrived. */
export function webhookOf({ event }: StoredEvent): WebhookEvent {
  return readEvent(event)
}
