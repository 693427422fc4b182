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

type Statement = [sql: string, ...values: unknown[]]

async function run({ TILL }: Env, ...statements: Statement[]): Promise<Row[]> {
  const object = TILL.get(TILL.idFromName('shop'))
  const response = await object.fetch('https://till/', { method: 'POST', body: JSON.stringify(statements) })
  return response.json()
}

app.post('/webhooks', async ({ env, req, executionCtx }) => {
  const { key = '', id = '' } = req.query()
  const body = await req.text()
  await run(env, ['SELECT body FROM log WHERE id = ?', id])
  await env.STATE.put(`event/${key}/${id}`, body, { metadata: { received_at: Date.now(), ...METADATA } })
  const insert = 'INSERT INTO log (order_key, id, due, is_open, body) VALUES (?, ?, 1, 1, ?)'
  const copy =
    'INSERT INTO copy (order_key, written, due) VALUES (?, ?, 1) ON CONFLICT (order_key) DO UPDATE SET due = 1'
  await run(env, [insert, key, id, body.slice(Math.floor(body.length / 4))], [copy, key, Date.now()])
  executionCtx.waitUntil(
    Promise.all([
      run(env, ['UPDATE log SET due = NULL WHERE id = ?', id]),
      env.STATE.put(`order/${key}`, ORDER).then(() => run(env, ['UPDATE copy SET due = 2 WHERE order_key = ?', key])),
    ]),
  )
  return new Response(null, { status: 200 })
})

app.get('/orders/:key', async ({ env, req }) => {
  const rows = await run(env, ['SELECT body FROM log WHERE order_key = ?', req.param('key')])
  return Response.json(rows.map(() => METADATA))
})

const TABLES = [
  'CREATE TABLE IF NOT EXISTS log (id TEXT PRIMARY KEY, order_key TEXT, due INTEGER, is_open INTEGER, body TEXT) WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS log_order ON log (order_key)',
  'CREATE INDEX IF NOT EXISTS log_due ON log (due) WHERE due IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS log_open ON log (is_open)',
  'CREATE TABLE IF NOT EXISTS copy (order_key TEXT PRIMARY KEY, written INTEGER, due INTEGER)',
  'CREATE INDEX IF NOT EXISTS copy_due ON copy (due)',
]

export class ShopObject {
  private readonly state: DurableObjectState
  constructor(state: DurableObjectState) {
    this.state = state
    for (const table of TABLES) state.storage.sql.exec(table)
  }

  async fetch(request: Request): Promise<Response> {
    const statements = (await request.json()) as Statement[]
    const run = ([sql, ...values]: Statement) => this.state.storage.sql.exec<Row>(sql, ...values).toArray()
    return Response.json(this.state.storage.transactionSync(() => statements.flatMap(run)))
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
