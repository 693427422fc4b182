import type { Issue } from '../../errors.ts'
import type { EventSummary } from '../../orders/index.ts'
import { orderKey } from '../../orders/order-key.ts'
import { readSummary } from '../../orders/summary.ts'
import { recordOf } from '../../schemas/read.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { fitsMetadata, type KvStore } from '../kv/kv.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { OrderStore } from './tables.ts'

/** A stored event: the value of `event/<order key>/<event id>`. */
export interface StoredEvent {
  /** Milliseconds since 1970. */
  received_at: number
  /** The event under its wire names. */
  event: Record<string, unknown>
  /** The differences from the service's API document, if any. */
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

export const keyOf = (order_id: string, eventId: string): string => `event/${orderKey(order_id)}/${eventId}`

/**
 * Writes an event to KV, for everyone to read. Only the removal of personal data changes it afterwards.
 *
 * Key `event/<order key>/<event id>`; the metadata is the {@link LoggedEvent} where it fits; kept permanently.
 */
export function putEvent(
  kv: KvStore,
  order_id: string,
  { id, ...summary }: LoggedEvent,
  stored: Pick<StoredEvent, 'event' | 'issues'>,
): Promise<void> {
  const { received_at } = summary
  const fits = fitsMetadata(summary)
  const value: StoredEvent = { received_at, ...stored, ...(!fits && { summary: { id, ...summary } }) }
  return kv.put(keyOf(order_id, id), value, fits ? summary : { received_at, value: true })
}

export function putOwnEvent(
  store: OrderStore,
  order_id: string,
  logged: LoggedEvent,
  event: StoredEvent['event'],
): void {
  const { id, ...summary } = logged
  const columns = 'order_key, id, received_at, summary, receipt_url, last_four, payway'
  store.all(
    `INSERT OR IGNORE INTO event (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[orderKey(order_id), id, summary.received_at, JSON.stringify(summary), ...paperOf(event)],
  )
}

const RECEIPT_LENGTH = 2_000

type Paper = 'receipt_url' | 'last_four' | 'payway'

/** The receipt of an event, the last digits that its card's mask shows, and the way of payment. A refund's do not replace a payment's. */
function paperOf({ method, receipt_url, cc_mask, payway }: StoredEvent['event']): (string | null)[] {
  if (method === 'refund') return [null, null, null]
  const isAddress = typeof receipt_url === 'string' && /^https?:\/\//i.test(receipt_url) && URL.canParse(receipt_url)
  const [, card = null] = /\D(\d{4})$/.exec(typeof cc_mask === 'string' ? cc_mask : '') ?? []
  return [
    isAddress && receipt_url.length <= RECEIPT_LENGTH ? receipt_url : null,
    card,
    typeof payway === 'string' ? payway : null,
  ]
}

/** Takes the events of an order that KV has into the gate's table. @returns When those beside the one in hand were received. */
export async function importEvents(kv: KvStore, store: OrderStore, order_id: string, inHand = ''): Promise<number[]> {
  const times: number[] = []
  const prefix = keyOf(order_id, '')
  const rows = (await kv.list(prefix)).filter(({ key }) => key !== prefix + inHand)
  for (const { key, metadata } of rows) {
    const isWhole = (metadata as { value?: true } | null)?.value === undefined
    const stored = isWhole ? undefined : ((await kv.get(key)) as StoredEvent | undefined)
    if (!isWhole && !stored?.summary) throw new StorageError('The storage hides an event.', false)
    const summary = (stored?.summary ?? metadata) as LoggedEvent
    putOwnEvent(store, order_id, { ...summary, id: key.slice(prefix.length) }, stored?.event ?? {})
    times.push(summary.received_at)
  }
  return times
}

export function listEvents(store: OrderStore, order_id: string): LoggedEvent[] {
  const query = 'SELECT id, summary FROM event WHERE order_key = ?'
  return store.all<{ id: string; summary: string }>(query, orderKey(order_id)).map(({ id, summary }) => {
    const kept = JSON.parse(summary) as LoggedEvent
    const { received_at, expected } = kept
    return { ...readSummary(id, kept), received_at, ...(expected && { expected }) }
  })
}

/** Whether the personal data of an event was removed. */
export const isErased = (store: OrderStore, order_id: string, id: string): boolean =>
  store.all('SELECT id FROM event WHERE order_key = ? AND id = ? AND erased = 1', orderKey(order_id), id).length > 0

/** The newest value of an order's receipt, of the last digits of its card, or of its way of payment; erasing removes the first two. */
export function newest(store: OrderStore, order_id: string, column: Paper): string | null {
  const query = `SELECT ${column} AS value FROM event WHERE order_key = ? AND ${column} IS NOT NULL
    ORDER BY received_at DESC LIMIT 1`
  return store.all<{ value: string }>(query, orderKey(order_id))[0]?.value ?? null
}

export const getEvent = (kv: KvStore, order_id: string, eventId: string): Promise<StoredEvent | undefined> =>
  kv.get(keyOf(order_id, eventId)) as Promise<StoredEvent | undefined>
