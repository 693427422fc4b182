// The lower bound of the template: a Hono route for each request that is measured, with the template's calls of KV and of a
// Durable Object's storage and nothing else. It checks nothing, and its caller sends it the order's key.

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

app.get('/orders', async ({ env, req }) => {
  const { keys } = await env.STATE.list({ prefix: 'recent/', limit: Number(req.query('limit')) })
  return Response.json(keys.length)
})

/** What the first webhook of an order costs here, which must be what worker/README.md says of the template. */
export const CALLS = {
  'KV reads': 0,
  'KV writes': 2,
  'KV lists': 0,
  'gate calls': 1,
  'rows read': 6,
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
    const { storage } = this.state
    const { STATE: kv } = this.env
    const { searchParams } = new URL(request.url)
    const key = searchParams.get('key') ?? ''
    const id = searchParams.get('id') ?? ''
    if (request.method === 'GET') {
      const events = await storage.list<{ metadata: object }>({ prefix: `event/${key}/` })
      await Promise.all(['checkout', 'status', 'row'].map((name) => storage.get(`${name}/${key}`)))
      return Response.json([...events.values()].map(({ metadata }) => metadata))
    }
    const body = await request.text()
    const now = Date.now()
    await storage.list({ prefix: `event/${key}/` })
    await storage.get(`checkout/${key}`)
    await storage.get(`row/${key}`)
    const value = body.slice(Math.floor(body.length / 4))
    const metadata = { received_at: now, ...METADATA }
    await kv.put(`event/${key}/${id}`, value, { metadata })
    await storage.get(`outbox/${id}`)
    await storage.put({ [`event/${key}/${id}`]: { metadata }, [`outbox/${id}`]: { metadata }, [`queued/${id}`]: now })
    await storage.get(`status/${key}`)
    await storage.put({ [`status/${key}`]: { value: STATUS } })
    await kv.put(`recent/${9_999_999_999_999 - now}/${key}`, '{"order_id":"mugs-000001"}', {
      metadata: { order_id: 'mugs-000001' },
      expirationTtl: 400 * 86_400,
    })
    await storage.put({ [`row/${key}`]: STATUS })
    await storage.get(`row/${key}`)
    return Response.json({ value: null })
  }
}

/** As long as the template's summary of an order. */
const STATUS = ' '.repeat(153)
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
