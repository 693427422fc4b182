import { sha256 } from '../lib/crypto.ts'
import { type Issue, readEvent, type WebhookEvent, type WebhookForm } from '../sdk.ts'
import { type Fact, factFromMetadata, recordOf } from './event-summary.ts'
import { fitsMetadata, type Row, type State } from './kv.ts'

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
  fact?: Fact
}

/** A fact of the log, with the time at which this worker received it. */
export interface LoggedFact extends Fact {
  received_at: number
}

/** 43 characters for any order_id: 256 Cyrillic letters alone would fill a key, and `a` must not be a prefix of `a/b`. */
export const orderKeyOf = (order_id: string): Promise<string> => sha256(order_id)

const prefixOf = (orderKey: string): string => `event/${orderKey}/`

/**
 * Writes an event. Never changed afterwards: a duplicate that a stale read hides writes the same event again.
 *
 * Key `event/<order key>/<event id>`; metadata: the {@link Fact} and `received_at`; kept for good.
 */
export function putEvent(
  state: State,
  orderKey: string,
  fact: Fact,
  event: WebhookEvent,
  received_at: number,
  form: WebhookForm | undefined,
): Promise<void> {
  const { id, ...fields } = fact
  const metadata = { received_at, ...fields }
  const fits = fitsMetadata(metadata)
  const value: StoredEvent = {
    received_at,
    ...(form && { form }),
    event: recordOf(event),
    ...(event.issues.length > 0 && { issues: event.issues }),
    ...(!fits && { fact }),
  }
  return state.put(prefixOf(orderKey) + id, value, fits ? metadata : { received_at, value: true })
}

/** Every event of an order: one list, and a get for the rare one whose fields do not fit into metadata. */
export async function listEvents(state: State, orderKey: string): Promise<LoggedFact[]> {
  const rows = await state.list(prefixOf(orderKey))
  return Promise.all(rows.map((row) => loggedFact(state, row)))
}

async function loggedFact(state: State, { key, metadata }: Row): Promise<LoggedFact> {
  const id = key.slice(key.lastIndexOf('/') + 1)
  const { received_at, value } = (metadata ?? { value: true }) as { received_at?: unknown; value?: unknown }
  const fields = value === true ? ((await state.get(key)) as StoredEvent | undefined)?.fact : metadata
  return { ...factFromMetadata(id, fields), received_at: typeof received_at === 'number' ? received_at : 0 }
}

/** One event as it was received. */
export async function getEvent(state: State, orderKey: string, eventId: string): Promise<StoredEvent | undefined> {
  return (await state.get(prefixOf(orderKey) + eventId)) as StoredEvent | undefined
}

/** The event as it was when it arrived. */
export function webhookOf({ event }: StoredEvent): WebhookEvent {
  return readEvent(event)
}
