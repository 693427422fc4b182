import type { GateStorage } from '../runtime.ts'
import { alarmBy } from './alarm.ts'
import type { StoredEvent } from './event-log.ts'
import { orStorageError } from './kv.ts'

/** An event that waits for `onEvent`, in its order's gate. */
export interface OutboxEntry extends Pick<StoredEvent, 'event' | 'issues'> {
  event_id: string
  /** Milliseconds since 1970. */
  received_at: number
  /** How many times `onEvent` failed. A call that is under way counts as one. */
  failures: number
  /** Milliseconds since 1970 before which it is not called again. */
  next_at: number
  /** When it was last called without success, milliseconds since 1970. */
  failed_at?: number
  /** Name and message of the last error. */
  error?: string
  /** Set after the last failure: only a replay calls it again. */
  given_up?: true
  /** Whether `failing/<event id>` in KV leads here. */
  listed?: boolean
}

/** The queue of `onEvent` in an order's gate: consistent, and woken by an alarm. */
export interface Outbox {
  /**
   * Queues an event, unless it was ever queued before: a late copy of a handled event is not new. The same step sets the
   * alarm that runs it, and writes `rows`.
   */
  add(event_id: string, stored: Pick<StoredEvent, 'event' | 'issues'>, now: number, rows?: object): Promise<void>
  list(): Promise<OutboxEntry[]>
  get(event_id: string): Promise<OutboxEntry | undefined>
  /** Writes an entry and sets the alarm for it; both are on disk when this returns. */
  put(entry: OutboxEntry): Promise<void>
  remove(event_id: string): Promise<void>
}

const PREFIX = 'outbox/'

export function openOutbox(storage: GateStorage): Outbox {
  return {
    add: (event_id, stored, now, rows = {}) =>
      orStorageError('write', () =>
        storage.transaction(async (transaction) => {
          const isNew = (await transaction.get(`queued/${event_id}`)) === undefined
          const entry: OutboxEntry = { ...stored, event_id, received_at: now, failures: 0, next_at: now }
          const added = isNew ? { [`queued/${event_id}`]: now, [PREFIX + event_id]: entry } : {}
          await transaction.put({ ...rows, ...added })
          if (isNew) await alarmBy(transaction, now)
        }),
      ),
    list: () => orStorageError('list', async () => [...(await storage.list<OutboxEntry>({ prefix: PREFIX })).values()]),
    get: (event_id) => orStorageError('read', () => storage.get<OutboxEntry>(PREFIX + event_id)),
    put: (entry) =>
      orStorageError('write', async () => {
        await storage.transaction(async (transaction) => {
          await transaction.put(PREFIX + entry.event_id, entry)
          if (!entry.given_up) await alarmBy(transaction, entry.next_at)
        })
        await storage.sync()
      }),
    remove: (event_id) => orStorageError('delete', async () => void (await storage.delete(PREFIX + event_id))),
  }
}
