// The recipe for SQLite: each event once, and which orders are not paid. It takes a database of node:sqlite or of bun:sqlite.

import { eventKey, foldOrder, type Order, paidOf } from 'edgetill/orders'
import { readEvent, type WebhookEvent } from 'edgetill/webhooks'

/** The part that both have. */
export interface Sqlite {
  exec(sql: string): unknown
  prepare(sql: string): { run(...values: (string | number | null)[]): unknown; all(...values: string[]): unknown[] }
}

const TABLES = `
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS orders (order_id TEXT PRIMARY KEY, amount REAL NOT NULL, currency TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS events (
    key TEXT PRIMARY KEY, order_id TEXT, kind TEXT NOT NULL, status TEXT, amount REAL, currency TEXT, record TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS events_of_order ON events (order_id)`

// An order that was paid with another amount or currency stays in this list, to be checked by hand.
const UNPAID = `
  SELECT order_id, amount, currency FROM orders WHERE NOT EXISTS (
    SELECT 1 FROM events WHERE events.order_id = orders.order_id AND kind = 'purchase' AND status = 'success'
      AND events.amount = orders.amount AND events.currency = orders.currency
  ) ORDER BY order_id`

/** An order as it was sent to `createPayment`. */
export interface ExpectedOrder {
  order_id: string
  amount: number
  currency: string
}

export interface Store {
  /** Before the payment is created: after a timeout, the order_id is the only way to find it. */
  saveOrder(order: ExpectedOrder): void
  /** For `onEvent`. A repetition changes nothing. Events may come in any order. */
  saveEvent(event: WebhookEvent): void
  unpaidOrders(): ExpectedOrder[]
  /** The state of an order, with totals and flags. */
  orderOf(order_id: string): Order
}

export function openStore(database: Sqlite): Store {
  database.exec(TABLES)
  const insertOrder = database.prepare('INSERT INTO orders VALUES (?, ?, ?)')
  const insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const unpaid = database.prepare(UNPAID)
  const ordered = database.prepare('SELECT amount, currency FROM orders WHERE order_id = ?')
  const events = database.prepare('SELECT record FROM events WHERE order_id = ?')
  return {
    saveOrder({ order_id, amount, currency }) {
      insertOrder.run(order_id, amount, currency)
    },
    saveEvent(event) {
      const { order_id, status, amount, currency } = columnsOf(event)
      insertEvent.run(eventKey(event), order_id, event.kind, status, amount, currency, JSON.stringify(event.record))
    },
    unpaidOrders: () => (unpaid.all() as ExpectedOrder[]).map((row) => ({ ...row })),
    orderOf(order_id) {
      const [expected] = ordered.all(order_id) as Omit<ExpectedOrder, 'order_id'>[]
      const records = events.all(order_id) as { record: string }[]
      return foldOrder(
        records.map(({ record }) => readEvent(JSON.parse(record))),
        expected,
      )
    },
  }
}

/** The columns by which an event is found. An undocumented event has only its record. */
export function columnsOf(event: WebhookEvent) {
  const order_id = event.order_id ?? null
  if (event.kind === 'unknown' || event.kind === 'unexpected') {
    return { order_id, status: null, amount: null, currency: null }
  }
  const { amount, currency } = paidOf(event) ?? event
  return { order_id, status: event.status, amount, currency }
}
