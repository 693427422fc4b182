import type { EventSummary, Issue, WebhookEvent } from '../../index.ts'
import { readSummary } from '../../orders/summary.ts'
import { recordOf } from '../../schemas/read.ts'
import { readEvent } from '../../webhooks/index.ts'
import { sha256 } from '../lib/crypto.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { fitsMetadata, type KvStore, type Row, StorageError } from './kv.ts'
import type { OrderStore } from './order-store.ts'

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
 * Writes an event: to KV first, then to the gate by `putOwn`. Only the removal of personal data changes it afterwards.
 *
 * Key `event/<order key>/<event id>` in both. In KV the metadata is the {@link LoggedEvent} where it fits; kept permanently.
 */
export async function putEvent(
  kv: KvStore,
  orderKey: string,
  { id, ...summary }: LoggedEvent,
  { event, issues }: Pick<StoredEvent, 'event' | 'issues'>,
  putOwn: (key: string, metadata: object) => Promise<void>,
): Promise<void> {
  const { received_at } = summary
  const fits = fitsMetadata(summary)
  const value: StoredEvent = {
    received_at,
    event,
    ...(issues && { issues }),
    ...(!fits && { summary: { id, ...summary } }),
  }
  await kv.put(keyOf(orderKey, id), value, fits ? summary : { received_at, value: true })
  await putOwn(keyOf(orderKey, id), summary)
}

/** Takes the events of an order that KV has into the gate's own rows. @returns How many there are beside the one in hand. */
export async function importEvents(kv: KvStore, store: OrderStore, order_id: string, inHand = ''): Promise<number> {
  const orderKey = await orderKeyOf(order_id)
  const rows = (await kv.list(keyOf(orderKey, ''))).filter(({ key }) => key !== keyOf(orderKey, inHand))
  for (const { key, metadata } of rows) {
    const fits = (metadata as { value?: true } | null)?.value === undefined
    const stored = fits ? undefined : ((await kv.get(key)) as StoredEvent | undefined)
    if (!fits && !stored?.summary) throw new StorageError('The storage hides an event.', false)
    const { id: _, ...summary } = stored?.summary ?? (metadata as EventSummary)
    await store.put(key, undefined, summary)
  }
  return rows.length
}

/** Every event of an order: one list of the gate's storage. */
export async function listEvents(store: OrderStore, orderKey: string): Promise<LoggedEvent[]> {
  return (await store.list(keyOf(orderKey, ''))).map(loggedEvent)
}

function loggedEvent({ key, metadata }: Row): LoggedEvent {
  const id = key.slice(key.lastIndexOf('/') + 1)
  const { received_at, expected } = metadata as LoggedEvent
  return { ...readSummary(id, metadata), received_at, ...(expected && { expected }) }
}

/** One event as it was received. */
export async function getEvent(kv: KvStore, orderKey: string, eventId: string): Promise<StoredEvent | undefined> {
  return (await kv.get(keyOf(orderKey, eventId))) as StoredEvent | undefined
}

/** The event, read again from what was stored. */
export function webhookOf({ event }: Pick<StoredEvent, 'event'>): WebhookEvent {
  return readEvent(event)
}

const HOUR_MS = 3_600_000
const BOOKS = ['order_id', 'pos_id', 'mode', 'gateway_order_id', 'billing_order_id', 'fee', 'status_description']

/**
 * Removes a person's data from the events of an order that were received until `before`; the keys, the metadata and the
 * fold's fields stay.
 *
 * @returns The ids of the events that were due, and how many of them were changed.
 */
export async function eraseEvents(
  { kv, store }: { kv: KvStore; store: OrderStore },
  orderKey: string,
  erased_at: number,
  before: number,
): Promise<{ due: Set<string>; erased: number }> {
  const due = new Set<string>()
  let erased = 0
  for (const { key, metadata } of await store.list(keyOf(orderKey, ''))) {
    const { received_at } = metadata as LoggedEvent
    if (received_at > before) continue
    due.add(key.slice(key.lastIndexOf('/') + 1))
    const stored = (await kv.get(key)) as StoredEvent | undefined
    // KV may show it a moment later; an event that has been absent for an hour was deleted by hand.
    if (!stored && erased_at - received_at < HOUR_MS) throw new StorageError('The storage hides an event.', false)
    if (!stored || stored.erased_at !== undefined) continue
    const { id: _, kind, ...summary } = readSummary('', stored.event)
    const books = Object.fromEntries(
      BOOKS.flatMap((name) => (name in stored.event ? [[name, stored.event[name]]] : [])),
    )
    const { issues, summary: kept } = stored
    const value: StoredEvent = {
      received_at: stored.received_at,
      event: { ...books, ...summary },
      ...(issues && { issues }),
      ...(kept && { summary: kept }),
      erased_at,
    }
    await kv.put(key, value, kept ? { received_at, value: true } : (metadata as object))
    erased++
  }
  return { due, erased }
}
