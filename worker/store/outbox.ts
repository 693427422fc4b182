import { alarmBy, type GateStorage } from './alarm.ts'
import type { StoredEvent } from './event-log.ts'
import { attempt } from './kv.ts'

/** An event that waits for `onEvent`, in its order's gate. */
export interface OutboxEntry extends Pick<StoredEvent, 'event' | 'issues'> {
  event_id: string
  /** Milliseconds since 1970. */
  received_at: number
  /** How many times `onEvent` failed. */
  attempts: number
  /** Milliseconds since 1970 before which it is not tried again. */
  next_at: number
  /** Name and message of the last error. */
  error?: string
  /** Set after the last attempt: only a replay runs it again. */
  given_up?: true
  /** Set when `retry/<event id>` in KV leads here. */
  listed?: true
}

/** The queue of `onEvent` in an order's gate: consistent, and woken by an alarm. */
export interface Outbox {
  /**
   * Queues an event once, together with the alarm that runs it.
   *
   * @param waited What became of it before there was a gate. @returns False when it was queued before.
   */
  add(
    event_id: string,
    stored: Pick<StoredEvent, 'event' | 'issues'>,
    now: number,
    waited?: Partial<OutboxEntry>,
  ): Promise<boolean>
  /** Whether it was ever added: also after it was handled. */
  wasQueued(event_id: string): Promise<boolean>
  list(): Promise<OutboxEntry[]>
  get(event_id: string): Promise<OutboxEntry | undefined>
  /** Writes an entry and sets the alarm for it. */
  put(entry: OutboxEntry): Promise<void>
  remove(event_id: string): Promise<void>
}

const PREFIX = 'outbox/'

export function openOutbox(storage: GateStorage): Outbox {
  return {
    add: (event_id, stored, now, waited) =>
      attempt('write', () =>
        storage.transaction(async (transaction) => {
          // Kept after the event was handled: a late copy of it is not new.
          if ((await transaction.get(`queued/${event_id}`)) !== undefined) return false
          const entry: OutboxEntry = { ...stored, event_id, received_at: now, attempts: 0, next_at: now, ...waited }
          await transaction.put({ [`queued/${event_id}`]: now, [PREFIX + event_id]: entry })
          if (!entry.given_up) await alarmBy(transaction, entry.next_at)
          return true
        }),
      ),
    wasQueued: (event_id) => attempt('read', async () => (await storage.get(`queued/${event_id}`)) !== undefined),
    list: () => attempt('list', async () => [...(await storage.list<OutboxEntry>({ prefix: PREFIX })).values()]),
    get: (event_id) => attempt('read', () => storage.get<OutboxEntry>(PREFIX + event_id)),
    put: (entry) =>
      attempt('write', () =>
        storage.transaction(async (transaction) => {
          await transaction.put(PREFIX + entry.event_id, entry)
          if (!entry.given_up) await alarmBy(transaction, entry.next_at)
        }),
      ),
    remove: (event_id) => attempt('delete', async () => void (await storage.delete(PREFIX + event_id))),
  }
}
