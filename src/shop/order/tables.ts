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
  // Entries that are due at a time: `open` (to ask the service about), `erase`.
  task: [
    `CREATE TABLE task (kind TEXT, order_id TEXT, id TEXT, next_at INTEGER NOT NULL, task TEXT NOT NULL,
       PRIMARY KEY (kind, order_id, id)) WITHOUT ROWID`,
  ],
  // The published state of each order, and when it is due again.
  published: [
    `CREATE TABLE published (order_id TEXT PRIMARY KEY, since INTEGER NOT NULL, version INTEGER NOT NULL,
       written TEXT, written_at INTEGER NOT NULL DEFAULT 0, due_at INTEGER, next_at INTEGER) WITHOUT ROWID`,
    'ALTER TABLE published ADD COLUMN book INTEGER',
  ],
  // Who did what: `entry` is JSON.
  record: ['CREATE TABLE record (key TEXT PRIMARY KEY, at INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID'],
  // How the object began: one row.
  birth: [
    `CREATE TABLE birth (one INTEGER PRIMARY KEY, at INTEGER NOT NULL, first TEXT, rebuilt_at INTEGER,
       asked INTEGER NOT NULL DEFAULT 0)`,
  ],
  // Paying each attempt: `checkout` is JSON. When the shop closed its links; when the service was asked for a customer who waits.
  checkout: [
    'CREATE TABLE checkout (order_key TEXT PRIMARY KEY, checkout TEXT, closed_at INTEGER, asked_at INTEGER) WITHOUT ROWID',
  ],
  // Links, by the first 16 characters of their token.
  revoked: ['CREATE TABLE revoked (nonce TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID'],
  // `raised`: alerts of the last hour, by their hash. `done`: what a person has looked at, in the state that it was in.
  alert: ['CREATE TABLE alert (kind TEXT, alert TEXT, at INTEGER NOT NULL, PRIMARY KEY (kind, alert)) WITHOUT ROWID'],
  // Until 2026-11 the four above were values under keys.
  fact: [
    'CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID',
    `INSERT INTO birth SELECT 1, value ->> 'at', value ->> 'first', value ->> 'rebuilt_at', coalesce(value ->> 'asked', 0)
       FROM fact WHERE key = 'born'`,
    `INSERT INTO checkout (order_key, checkout) SELECT substr(key, 10), value FROM fact WHERE key GLOB 'checkout/*'`,
    `INSERT INTO checkout (order_key, closed_at) SELECT substr(key, 8), value ->> 'at' FROM fact WHERE key GLOB 'closed/*'
       ON CONFLICT DO UPDATE SET closed_at = excluded.closed_at`,
    `INSERT INTO revoked SELECT substr(key, 9), value ->> 'expires_at' FROM fact WHERE key GLOB 'revoked/*'`,
    `INSERT INTO alert SELECT 'done', j.value, 0 FROM fact, json_each(fact.value) j WHERE fact.key = 'done'`,
    'DROP TABLE fact',
  ],
}

/** The state of one order, in its gate: consistent, and seen by nobody else. */
export interface OrderStore extends Tables {
  now(): number
  /** Writes in one step what is due at a time, together with the alarm for it. */
  writeDue(at: number, write: () => void): Promise<void>
  /** Waits until everything that was written is on disk. */
  flush(): Promise<void>
  /** Orders that changed while they were being published, in a way that the list is to show at once. */
  atOnce: Set<string>
}

export function openOrderStore(storage: GateStorage, now: () => number): OrderStore {
  const tables = openTables(storage, ORDER)
  return {
    ...tables,
    now,
    writeDue: (at, write) =>
      orStorageError('write', async () => {
        const alarm = await storage.getAlarm()
        tables.atomically(write)
        if (alarm === null || alarm > at) await storage.setAlarm(at)
      }),
    flush: () => orStorageError('write', () => storage.sync()),
    atOnce: new Set(),
  }
}

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
  return orStorageError('write', async () => {
    if (at !== null) await storage.setAlarm(at)
    else if (alarm !== null) await storage.deleteAlarm()
  })
}
