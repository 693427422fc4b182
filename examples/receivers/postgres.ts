// The recipe for Postgres: the same tables, with the client `postgres` from npm.

import process from 'node:process'
import { eventKey, foldOrder, type Order } from 'edgetill/orders'
import { readEvent, type WebhookEvent } from 'edgetill/webhooks'
import postgres from 'postgres'
import { columnsOf, type ExpectedOrder } from './store.ts'

const sql = postgres(process.env.DATABASE_URL ?? 'postgres://localhost/shop', { onnotice: () => {} })

await sql`CREATE TABLE IF NOT EXISTS orders (order_id text PRIMARY KEY, amount numeric NOT NULL, currency text NOT NULL)`
await sql`
  CREATE TABLE IF NOT EXISTS events (
    key text PRIMARY KEY, order_id text, kind text NOT NULL, status text, amount numeric, currency text, record json NOT NULL
  )`
await sql`CREATE INDEX IF NOT EXISTS events_of_order ON events (order_id)`

/** Before the payment is created: after a timeout, the order_id is the only way to find it. */
export async function saveOrder({ order_id, amount, currency }: ExpectedOrder): Promise<void> {
  await sql`INSERT INTO orders VALUES (${order_id}, ${amount}, ${currency})`
}

/** For `onEvent`. A repetition changes nothing. Events may come in any order, and many at once. */
export async function saveEvent(event: WebhookEvent): Promise<void> {
  const { order_id, status, amount, currency } = columnsOf(event)
  await sql`
    INSERT INTO events VALUES
      (${eventKey(event)}, ${order_id}, ${event.kind}, ${status}, ${amount}, ${currency}, ${sql.json(event.record as never)})
    ON CONFLICT (key) DO NOTHING`
}

/** An order that was paid with another amount or currency stays in this list, to be checked by hand. */
export async function unpaidOrders(): Promise<ExpectedOrder[]> {
  const rows = await sql<ExpectedOrder[]>`
    SELECT order_id, amount::float8 AS amount, currency FROM orders WHERE NOT EXISTS (
      SELECT 1 FROM events WHERE events.order_id = orders.order_id AND kind = 'purchase' AND status = 'success'
        AND events.amount = orders.amount AND events.currency = orders.currency
    ) ORDER BY order_id`
  return rows.map((row) => ({ ...row }))
}

/** The state of an order, with totals and flags. */
export async function orderOf(order_id: string): Promise<Order> {
  const [expected] = await sql<Omit<ExpectedOrder, 'order_id'>[]>`
    SELECT amount::float8 AS amount, currency FROM orders WHERE order_id = ${order_id}`
  const rows = await sql<{ record: Record<string, unknown> }[]>`SELECT record FROM events WHERE order_id = ${order_id}`
  return foldOrder(
    rows.map(({ record }) => readEvent(record)),
    expected,
  )
}

export const close = (): Promise<void> => sql.end()
