import { orStorageError } from '../lib/storage-error.ts'
import { openTables, type Schema, type Tables } from '../lib/tables.ts'
import type { GateStorage } from '../runtime.ts'

/** The tables of an order's object. An order and its further attempts share one. */
const ORDER: Schema = {
  // The log's events: `summary` is the LoggedEvent as JSON.
  event: [
    `CREATE TABLE event (order_key TEXT, id TEXT, received_at INTEGER NOT NULL, erased INTEGER NOT NULL DEFAULT 0,
       summary TEXT NOT NULL, receipt_url TEXT, last_four TEXT, PRIMARY KEY (order_key, id)) WITHOUT ROWID`,
    'ALTER TABLE event ADD COLUMN payway TEXT',
  ],
  // Captures, refunds and voids: `operation` is JSON.
  operation: [
    `CREATE TABLE operation (order_key TEXT, id TEXT, started_at INTEGER NOT NULL, operation TEXT NOT NULL,
       PRIMARY KEY (order_key, id)) WITHOUT ROWID`,
  ],
  // Every event that was queued for `onEvent`, one for each status of an operation; handled: without an entry and a time.
  queue: [
    `CREATE TABLE queue (event_id TEXT PRIMARY KEY, operation TEXT UNIQUE, order_id TEXT NOT NULL, next_at INTEGER,
       failing INTEGER NOT NULL DEFAULT 0, entry TEXT) WITHOUT ROWID`,
    'CREATE INDEX queue_waiting ON queue (next_at) WHERE entry IS NOT NULL',
  ],
  // What is due at a time: `open` (to ask the service about), `erase`.
  task: [
    `CREATE TABLE task (kind TEXT, order_id TEXT, id TEXT, next_at INTEGER NOT NULL, task TEXT NOT NULL,
       PRIMARY KEY (kind, order_id, id)) WITHOUT ROWID`,
  ],
  // What was published of each order, and when it is due again.
  published: [
    `CREATE TABLE published (order_id TEXT PRIMARY KEY, since INTEGER NOT NULL, version INTEGER NOT NULL,
       written TEXT, written_at INTEGER NOT NULL DEFAULT 0, due_at INTEGER, next_at INTEGER) WITHOUT ROWID`,
  ],
  // Who did what: `entry` is JSON.
  record: ['CREATE TABLE record (key TEXT PRIMARY KEY, at INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID'],
  // Checkouts, links that were revoked or closed, alerts that were raised: a value under a key.
  fact: ['CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID'],
}

/** The state of one order, in its gate: consistent, and seen by nobody else. */
export interface OrderStore extends Tables {
  /** A fact; undefined when there is none, or its time to live is over. */
  get(key: string): Promise<unknown>
  put(key: string, value: unknown, metadata?: undefined, ttlSeconds?: number): Promise<void>
  /** Writes in one step what is due at a time, together with the alarm for it. */
  writeDue(at: number, write: () => void): Promise<void>
}

export function openOrderStore(storage: GateStorage, now: () => number): OrderStore {
  const tables = openTables(storage, ORDER)
  return {
    ...tables,
    async get(key) {
      const query = 'SELECT value FROM fact WHERE key = ? AND coalesce(expires_at, 1e15) > ?'
      const [row] = tables.all<{ value: string }>(query, key, now())
      return row && JSON.parse(row.value)
    },
    async put(key, value, _, ttlSeconds) {
      const expires = ttlSeconds === undefined ? null : now() + ttlSeconds * 1000
      if (expires !== null) tables.all('DELETE FROM fact WHERE expires_at <= ?', now())
      tables.all(
        'INSERT OR REPLACE INTO fact (key, value, expires_at) VALUES (?, ?, ?)',
        key,
        JSON.stringify(value),
        expires,
      )
    },
    writeDue: (at, write) =>
      orStorageError('write', async () => {
        const alarm = await storage.getAlarm()
        tables.atomically(write)
        if (alarm === null || alarm > at) await storage.setAlarm(at)
      }),
  }
}

/** How a gate began: the value of `born`, the first row of its storage. */
export interface Birth {
  /** Milliseconds since 1970. */
  at: number
  /** The event that it began with. */
  first?: string | undefined
  /** When it was rebuilt: its storage was lost. */
  rebuilt_at?: number
  /** Whether the service has been asked since for every operation of the order. */
  asked?: boolean
}

export const getBirth = async (store: OrderStore): Promise<Birth | undefined> =>
  (await store.get('born')) as Birth | undefined

/** Writes it unless there is one: a money call and an event may find none at the same moment. @returns The one that counts. */
export async function addBirth(store: OrderStore, birth: Birth): Promise<Birth> {
  store.all("INSERT OR IGNORE INTO fact (key, value) VALUES ('born', ?)", JSON.stringify(birth))
  return (await getBirth(store)) as Birth
}

/** Key `born`; kept permanently. */
export const putBirth = (store: OrderStore, birth: Birth): Promise<void> => store.put('born', birth)

/** Until what failed is tried again. */
const PAUSE_MS = 15 * 60_000

/**
 * Sets a gate's one alarm for what is due next: an event for `onEvent`, something open to ask about, an order to publish, an
 * erasure. An item that a run leaves due is put off: the runtime would run the alarm again at once, endlessly.
 *
 * @param began When this run began: what came due since then was not in its hands.
 * @param hasOnEvent Without it the queue of events waits. With it, what is due came in the meantime or is the rest of a batch.
 */
export async function scheduleAlarm(
  storage: GateStorage,
  store: OrderStore,
  began: number,
  hasOnEvent: boolean,
): Promise<void> {
  // First: whatever is written between a look at what is due and the alarm for it would be left without one.
  const alarm = await orStorageError('read', () => storage.getAlarm())
  const [{ at } = { at: null }] = store.all<{ at: number | null }>(
    `SELECT min(at) AS at FROM (
       SELECT CASE WHEN ? OR next_at > ? THEN next_at ELSE ? END AS at FROM queue WHERE entry IS NOT NULL
       UNION ALL SELECT CASE WHEN next_at > ? THEN next_at ELSE ? END FROM task
       UNION ALL SELECT next_at FROM published)`,
    ...[Number(hasOnEvent), began, began + PAUSE_MS, began, began + PAUSE_MS],
  )
  await orStorageError('write', async () => {
    if (at !== null) await storage.setAlarm(at)
    else if (alarm !== null) await storage.deleteAlarm()
  })
}
