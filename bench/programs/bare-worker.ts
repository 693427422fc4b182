// The lower bound of the template: a Hono route for each request that is measured, with the template's calls of KV and of
// Durable Objects' storage, those of its alarm included, and nothing else. It checks nothing, and its caller sends it the order's key.

import type { DurableObjectNamespace, DurableObjectState, KVNamespace } from '@cloudflare/workers-types'
import { Hono } from 'hono/tiny'

interface Env {
  STATE: KVNamespace
  ORDER_GATE: DurableObjectNamespace
}

const app = new Hono<{ Bindings: Env }>()

const gateOf = ({ ORDER_GATE }: Env, key: string) => ORDER_GATE.get(ORDER_GATE.idFromName(key))

app.post('/webhooks', async ({ env, req }) => {
  const { key = '', id = '' } = req.query()
  const body = await req.text()
  await (await gateOf(env, key).fetch(`https://order-gate/?key=${key}&id=${id}`, { method: 'POST', body })).json()
  return new Response(null, { status: 200 })
})

app.get('/orders/:key', async ({ env, req }) => {
  const key = req.param('key')
  return (await gateOf(env, key).fetch(`https://order-gate/?key=${key}`)) as unknown as Response
})

/** The costs of an order's first webhook here: those of worker/README.md, and a list, because no link was opened before. */
export const CALLS = {
  'KV reads': 0,
  'KV writes': 1,
  'KV lists': 1,
  'gate calls': 1,
  'rows read': 5,
  'rows written': 5,
}

export class OrderGate {
  private readonly state: DurableObjectState
  private readonly env: Env
  constructor(state: DurableObjectState, env: Env) {
    this.state = state
    this.env = env
  }

  async fetch(request: Request): Promise<Response> {
    const { sql } = this.state.storage
    const { STATE: kv } = this.env
    const { pathname, searchParams } = new URL(request.url)
    const key = searchParams.get('key') ?? ''
    const id = searchParams.get('id') ?? ''
    sql.exec(
      'CREATE TABLE IF NOT EXISTS event (order_key TEXT, id TEXT, summary TEXT, PRIMARY KEY (order_key, id)) WITHOUT ROWID',
    )
    sql.exec('CREATE TABLE IF NOT EXISTS fact (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID')
    const events = sql.exec<{ summary: string }>('SELECT summary FROM event WHERE order_key = ?', key).toArray()
    for (const name of ['checkout', 'born', 'awaited', 'message'])
      sql.exec('SELECT value FROM fact WHERE key = ?', `${name}/${key}`).toArray()
    if (request.method === 'GET') return Response.json(events.map(({ summary }) => JSON.parse(summary)))
    const body = await request.text()
    if (pathname === '/list') return this.list(key, body)
    if (events.length === 0) await kv.list({ prefix: `event/${key}/` })
    const metadata = { received_at: Date.now(), ...METADATA }
    await kv.put(`event/${key}/${id}`, body.slice(Math.floor(body.length / 4)), { metadata })
    sql.exec('INSERT OR REPLACE INTO event VALUES (?, ?, ?)', key, id, JSON.stringify(metadata))
    for (const name of ['born', 'queue', 'published', 'due'])
      sql.exec('INSERT OR REPLACE INTO fact VALUES (?, ?)', `${name}/${key}`, SUMMARY)
    await this.state.storage.setAlarm(Date.now())
    // Nobody had opened it: it is published at once, lest its alarm never runs.
    this.state.waitUntil(Promise.all([this.env.STATE.put(`order/${key}`, ORDER), this.publish(key)]))
    return Response.json({ value: null })
  }

  private async publish(key: string): Promise<void> {
    await gateOf(this.env, 'shop').fetch(`https://order-gate/list?key=${key}`, { method: 'POST', body: ORDER })
    this.state.storage.sql.exec('INSERT OR REPLACE INTO fact VALUES (?, ?)', `published/${key}`, SUMMARY)
  }

  /** Work after the response: the event is taken from the queue, of which the list learns. */
  async alarm(): Promise<void> {
    const { storage } = this.state
    const { sql } = storage
    await storage.setAlarm(Date.now() + 60_000)
    const [event] = sql.exec<{ order_key: string }>('SELECT order_key FROM event LIMIT 1').toArray()
    const key = event?.order_key ?? ''
    sql.exec('INSERT OR REPLACE INTO fact VALUES (?, ?)', `queue/${key}`, SUMMARY)
    await storage.sync()
    await this.publish(key)
    await storage.deleteAlarm()
  }

  /** The row of the list, with as many indexes as the template's has for such an order. */
  private list(key: string, body: string): Response {
    const { sql } = this.state.storage
    sql.exec(
      'CREATE TABLE IF NOT EXISTS listed (order_id TEXT PRIMARY KEY, since INTEGER, status TEXT, amount INTEGER, last_four TEXT, summary TEXT) WITHOUT ROWID',
    )
    for (const column of ['since', 'status', 'amount', 'last_four'])
      sql.exec(`CREATE INDEX IF NOT EXISTS listed_${column} ON listed (${column}, order_id)`)
    sql.exec('SELECT since FROM listed WHERE order_id = ?', key).toArray()
    sql.exec('INSERT OR REPLACE INTO listed VALUES (?, ?, ?, ?, ?, ?)', key, Date.now(), 'success', 10050, '3220', body)
    return Response.json({ value: null })
  }
}

/** As long as what the template keeps beside an event. */
const SUMMARY = ' '.repeat(153)
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
