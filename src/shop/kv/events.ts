import type { Issue } from '../../errors.ts'
import type { EventSummary } from '../../orders/index.ts'
import { orderKey } from '../../orders/order-key.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { fitsMetadata, type KvStore } from './kv.ts'

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

/** An event of the log: its summary, when this worker received it, and the amount that its payment requested. */
export interface LoggedEvent extends EventSummary {
  received_at: number
  expected?: ExpectedOrder
}

export const keyOf = (order_id: string, eventId: string): string => `event/${orderKey(order_id)}/${eventId}`

/**
 * Writes an event to KV, for other programs to read. Only the removal of personal data changes it afterwards.
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
