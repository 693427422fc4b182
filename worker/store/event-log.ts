import { sha256 } from '../lib/crypto.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { type EventSummary, type Issue, readEvent, readSummary, recordOf, type WebhookEvent } from '../sdk.ts'
import { fitsMetadata, type KvStore, type Row, StorageError } from './kv.ts'

/** A stored event: the value of `event/<order key>/<event id>`. */
export interface StoredEvent {
  /** Milliseconds since 1970. */
  received_at: number
  /** The event under its wire names. */
  event: Record<string, unknown>
  /** What differs from the service's API document, when something does. */
  issues?: readonly Issue[]
  /** Present when it does not fit into the key's metadata. */
  summary?: EventSummary
  /** When the personal data was removed. */
  erased_at?: number
}

/** An event of the log: its summary, when this worker received it, and what was asked for when its payment was created. */
export interface LoggedEvent extends EventSummary {
  received_at: number
  expected?: ExpectedOrder
}

/** The order that an event belongs to; undefined when it does not say. */
export function orderIdOf(event: WebhookEvent): string | undefined {
  const { order_id } = recordOf(event)
  return typeof order_id === 'string' && order_id !== '' ? order_id : undefined
}

/**
 * 43 characters for any order_id: 256 Cyrillic letters alone would fill a key, and `a` must not be a prefix of `a/b`. Half of a
 * surrogate pair is escaped: as UTF-8 all halves are the same, and different orders would share a key.
 */
export const orderKeyOf = (order_id: string): Promise<string> =>
  sha256(/\p{Surrogate}/u.test(order_id) ? JSON.stringify(order_id) : order_id)

const keyOf = (orderKey: string, eventId: string): string => `event/${orderKey}/${eventId}`

/**
 * Writes an event. Never changed afterwards, but for the removal of personal data: a duplicate that a stale read hides
 * writes the same event again.
 *
 * Key `event/<order key>/<event id>`; metadata: the {@link LoggedEvent}; kept permanently.
 */
export function putEvent(
  store: KvStore,
  orderKey: string,
  { id, ...summary }: LoggedEvent,
  { event, issues }: Pick<StoredEvent, 'event' | 'issues'>,
): Promise<void> {
  const { received_at } = summary
  const fits = fitsMetadata(summary)
  const value: StoredEvent = {
    received_at,
    event,
    ...(issues && { issues }),
    ...(!fits && { summary: { id, ...summary } }),
  }
  return store.put(keyOf(orderKey, id), value, fits ? summary : { received_at, value: true })
}

/** Every event of an order: one list, and a get for the rare one whose fields do not fit into metadata. */
export async function listEvents(store: KvStore, orderKey: string): Promise<LoggedEvent[]> {
  const rows = await store.list(keyOf(orderKey, ''))
  return Promise.all(rows.map((row) => loggedEvent(store, row)))
}

async function loggedEvent(store: KvStore, { key, metadata }: Row): Promise<LoggedEvent> {
  const id = key.slice(key.lastIndexOf('/') + 1)
  const { value } = (metadata ?? { value: true }) as { value?: unknown }
  const kept = value === true ? ((await store.get(key)) as StoredEvent | undefined)?.summary : metadata
  const { received_at = 0, expected } = (kept ?? metadata ?? {}) as Partial<LoggedEvent>
  return { ...readSummary(id, kept), received_at, ...(expected && { expected }) }
}

/** One event as it was received. */
export async function getEvent(store: KvStore, orderKey: string, eventId: string): Promise<StoredEvent | undefined> {
  return (await store.get(keyOf(orderKey, eventId))) as StoredEvent | undefined
}

/** The event, read again from what was stored. */
export function webhookOf({ event }: Pick<StoredEvent, 'event'>): WebhookEvent {
  return readEvent(event)
}

const HOUR_MS = 3_600_000
const BOOKS = ['order_id', 'pos_id', 'mode', 'gateway_order_id', 'billing_order_id', 'fee', 'status_description']

/**
 * Removes a person's data from every event of an order; the keys, the metadata and the fold's fields stay.
 *
 * @param options `before`: only events that were received until then. `eraseRest`: removes what else is kept of an event,
 * also of one that was erased before.
 */
export async function eraseEvents(
  store: KvStore,
  orderKey: string,
  erased_at: number,
  { before, eraseRest }: { before: number; eraseRest: (event_id: string) => Promise<void> },
): Promise<number> {
  let erased = 0
  for (const { key, metadata } of await store.list(keyOf(orderKey, ''))) {
    // Most are not due yet: where the metadata says so, nothing is read.
    const { received_at = 0 } = (metadata ?? {}) as Partial<LoggedEvent>
    if (received_at > before) continue
    await eraseRest(key.slice(key.lastIndexOf('/') + 1))
    const stored = (await store.get(key)) as StoredEvent | undefined
    // KV may show it a moment later; what is absent for long was deleted by hand.
    if (!stored && erased_at - received_at < HOUR_MS) throw new StorageError('The storage hides an event.', false)
    if (!stored || stored.erased_at !== undefined || stored.received_at > before) continue
    const { id: _, kind, ...summary } = readSummary('', stored.event)
    const books = Object.fromEntries(
      BOOKS.flatMap((name) => (name in stored.event ? [[name, stored.event[name]]] : [])),
    )
    const { issues, summary: kept } = stored
    const event = { ...books, ...summary }
    const value = {
      received_at: stored.received_at,
      event,
      ...(issues && { issues }),
      ...(kept && { summary: kept }),
      erased_at,
    }
    await store.put(key, value, (metadata ?? undefined) as object | undefined)
    erased++
  }
  return erased
}
