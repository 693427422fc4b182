import { bookkeepingOf } from '../../money/personal-data.ts'
import { operationAmong } from '../../orders/fold.ts'
import { reportKey } from '../../orders/operation-key.ts'
import { type LoggedEvent, listEvents, type StoredEvent } from './events.ts'
import { touch } from './published.ts'
import type { OrderStore } from './tables.ts'

/** An event that waits for `onEvent`, in its order's gate: a row of `queue`. One that was handled keeps its id alone. */
export interface QueuedEvent extends Pick<StoredEvent, 'event' | 'issues'> {
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
  /** The personal data was removed: `event` has what the books need. */
  erased?: true
}

const TEN_MINUTES_MS = 600_000

/** Whether a person should hear of an event that `onEvent` fails on. A call that is under way counts as a failure. */
export const needsPerson = ({ given_up, failures, error, received_at }: QueuedEvent, now: number): boolean =>
  given_up === true || failures > 5 || (error !== undefined && (failures === 5 || now - received_at >= TEN_MINUTES_MS))

/** The name of an event for which `onEvent` is called once. An event of an odd shape may have said nothing to it, and stands for itself. */
function reportOf(order_id: string, known: readonly LoggedEvent[], event: LoggedEvent): string {
  const operation = event.kind === 'unexpected' ? undefined : operationAmong(known, event)
  return `~${operation === undefined ? event.id : reportKey(order_id, JSON.parse(operation), event.status)}`
}

/** An engine that told payments apart by their `transaction_id` has written hashes, none of which begins with `~`. */
function renameReports(store: OrderStore): void {
  // One that waits gives way to one that was handled.
  const old = "SELECT event_id, order_id FROM queue WHERE operation < '~' ORDER BY entry IS NULL"
  for (const { event_id, order_id } of store.all<{ event_id: string; order_id: string }>(old)) {
    const known = listEvents(store, order_id)
    const event = known.find(({ id }) => id === event_id)
    const report = event ? reportOf(order_id, known, event) : `~${event_id}`
    store.all('UPDATE OR REPLACE queue SET operation = ? WHERE event_id = ?', report, event_id)
    touch(store, order_id, { create: false })
  }
}

/**
 * Queues an event, unless it was ever queued before, or another one of the same operation and status: neither a late copy
 * of a handled event nor what the service lists of it is new. The same step sets the alarm that runs it, and does `also`.
 */
export function enqueue(
  store: OrderStore,
  event: LoggedEvent,
  order_id: string,
  stored: Pick<StoredEvent, 'event' | 'issues'>,
  known: readonly LoggedEvent[],
  also?: () => void,
): Promise<void> {
  const received_at = store.now()
  return store.writeDue(received_at, () => {
    renameReports(store)
    also?.()
    const { id: event_id } = event
    const entry: QueuedEvent = { ...stored, event_id, received_at, failures: 0, next_at: received_at }
    store.all(
      'INSERT OR IGNORE INTO queue (event_id, operation, order_id, next_at, entry) VALUES (?, ?, ?, ?, ?)',
      ...[event_id, reportOf(order_id, known, event), order_id, received_at, JSON.stringify(entry)],
    )
  })
}

const WAITING = 'SELECT entry FROM queue WHERE entry IS NOT NULL'
const entryOf = ({ entry }: { entry: string }): QueuedEvent => JSON.parse(entry)

/** Every event that waits, those that were given up included. */
export function listQueued(store: OrderStore): QueuedEvent[] {
  store.atomically(() => renameReports(store))
  return store.all<{ entry: string }>(WAITING).map(entryOf)
}

export const getQueued = (store: OrderStore, event_id: string): QueuedEvent | undefined =>
  store.all<{ entry: string }>(`${WAITING} AND event_id = ?`, event_id).map(entryOf)[0]

/** Writes how far an event is and sets the alarm for it; both are on disk when this returns. */
export async function putQueued(store: OrderStore, entry: QueuedEvent): Promise<void> {
  const { event_id, next_at, given_up, failures, error } = entry
  const update = (): void => {
    // One that was handled or erased meanwhile stays so.
    const known = getQueued(store, event_id)
    if (!known) return
    write(store, known.erased && !entry.erased ? withoutPerson(entry) : entry)
    // A call that is under way counts as a failure, the first one for a moment.
    const isFailing = error !== undefined || failures > 1
    markFailing(store, event_id, needsPerson(entry, store.now()) ? 2 : isFailing ? 1 : 0)
  }
  if (given_up) store.atomically(update)
  else await store.writeDue(next_at, update)
  await store.flush()
}

const write = (store: OrderStore, entry: QueuedEvent): unknown =>
  store.all(
    'UPDATE queue SET next_at = ?, entry = ? WHERE event_id = ?',
    ...[entry.given_up ? null : entry.next_at, JSON.stringify(entry), entry.event_id],
  )

/** The text of an error may name a customer. */
const withoutPerson = ({ error, ...entry }: QueuedEvent): QueuedEvent => ({
  ...entry,
  ...(error !== undefined && { error: 'Removed with the personal data.' }),
  event: bookkeepingOf(entry.event, entry.event),
  erased: true,
})

/** The list shows which events fail: it changes with the first failure, and when there is nothing to call any more. */
function markFailing(store: OrderStore, event_id: string, failing: 0 | 1 | 2): void {
  const query = 'UPDATE queue SET failing = ? WHERE event_id = ? AND failing <> ? RETURNING order_id'
  const rows = store.all<{ order_id: string }>(query, failing, event_id, failing)
  for (const { order_id } of rows) touch(store, order_id, { create: false, atOnce: true })
}

/** Removes the personal data of an event, which goes on waiting. */
export function eraseQueued(store: OrderStore, event_id: string): void {
  const entry = getQueued(store, event_id)
  if (entry && !entry.erased) write(store, withoutPerson(entry))
}

/** The event was handled: its id stays known. */
export function dequeue(store: OrderStore, event_id: string): void {
  store.atomically(() => {
    store.all('UPDATE queue SET next_at = NULL, entry = NULL WHERE event_id = ?', event_id)
    markFailing(store, event_id, 0)
  })
}
