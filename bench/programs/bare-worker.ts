// The lower bound of the template: a Hono route for each request that is measured, with the template's calls of KV and of the
// object's database, those after its response included, and nothing else. It checks nothing, and its caller sends it the order's key.

import type { DurableObjectNamespace, DurableObjectState, KVNamespace } from '@cloudflare/workers-types'
import { Hono } from 'hono/tiny'

interface Env {
  STATE: KVNamespace
  TILL: DurableObjectNamespace
}

type Row = Record<string, string | number | null>

const app = new Hono<{ Bindings: Env }>()

/** The costs of an order's first webhook here: those of worker/README.md. */
export const CALLS = {
  'KV reads': 0,
  'KV writes': 2,
  'KV lists': 0,
  'object calls': 4,
  'rows read': 1,
  'rows written': 10,
}

async function run({ TILL }: Env, sql: string, ...values: unknown[]): Promise<Row[]> {
  const object = TILL.get(TILL.idFromName('shop'))
  const response = await object.fetch('https://till/', { method: 'POST', body: JSON.stringify([sql, values]) })
  return response.json()
}

app.post('/webhooks', async ({ env, req, executionCtx }) => {
  const { key = '', id = '' } = req.query()
  const body = await req.text()
  const summary = JSON.stringify(METADATA)
  const insert = 'INSERT INTO log (order_key, id, due, is_open, token, body) VALUES (?, ?, 1, 1, ?, ?)'
  await run(env, insert, key, id, id, body.slice(Math.floor(body.length / 4)))
  await env.STATE.put(`event/${key}/${id}`, body, { metadata: { received_at: Date.now(), ...METADATA } })
  executionCtx.waitUntil(
    (async () => {
      await run(env, 'SELECT body FROM log WHERE id = ?', id)
      await run(env, 'UPDATE log SET due = 2 WHERE id = ?', id)
      const list = 'INSERT INTO listed VALUES (?, ?, ?, ?, ?, ?, ?)'
      await run(env, list, key, Date.now(), 'success', 10050, '3220', 'cart-7', summary)
      await run(env, 'UPDATE log SET due = NULL WHERE id = ?', id)
      await env.STATE.put(`order/${key}`, ORDER)
      await run(env, 'UPDATE log SET is_open = 0 WHERE id = ?', id)
    })(),
  )
  return new Response(null, { status: 200 })
})

app.get('/orders/:key', async ({ env, req }) => {
  const rows = await run(env, 'SELECT body FROM log WHERE order_key = ?', req.param('key'))
  return Response.json(rows.map(() => METADATA))
})

const TABLES = [
  'CREATE TABLE IF NOT EXISTS log (id TEXT PRIMARY KEY, order_key TEXT, due INTEGER, is_open INTEGER, token TEXT, body TEXT) WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS log_order ON log (order_key)',
  'CREATE INDEX IF NOT EXISTS log_due ON log (due)',
  'CREATE INDEX IF NOT EXISTS log_open ON log (is_open)',
  'CREATE INDEX IF NOT EXISTS log_token ON log (token)',
  'CREATE TABLE IF NOT EXISTS listed (order_id TEXT PRIMARY KEY, since INTEGER, status TEXT, amount INTEGER, last_four TEXT, reference TEXT, summary TEXT) WITHOUT ROWID',
  ...['since', 'status', 'amount', 'last_four', 'reference'].map(
    (column) => `CREATE INDEX IF NOT EXISTS listed_${column} ON listed (${column}, order_id)`,
  ),
]

export class ShopObject {
  private readonly state: DurableObjectState
  constructor(state: DurableObjectState) {
    this.state = state
    for (const table of TABLES) state.storage.sql.exec(table)
  }

  async fetch(request: Request): Promise<Response> {
    const [sql, values] = (await request.json()) as [string, unknown[]]
    return Response.json(this.state.storage.sql.exec<Row>(sql, ...values).toArray())
  }
}

/** As long as an order that is published. */
const ORDER = JSON.stringify({ order: ' '.repeat(600) })
const METADATA = {
  kind: 'documented',
  method: 'purchase',
  transaction_id: '6ec0bd7f-11c0-43da-975e-2a8ad9000001',
  payment_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c000001',
  status: 'success',
  status_code: '1000',
  amount: 100.5,
  currency: 'UAH',
  created_at: '2026-03-01T10:00:00.000',
  processed_at: '2026-03-01T10:00:05.250',
  fee_amount: 2.51,
  fee_currency: 'UAH',
}

export default app
