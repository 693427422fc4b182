// The lower bound for receiving a webhook: a Hono route with the template's KV operations and nothing else. It checks
// nothing, and its caller sends it the order's key.

import type { DurableObjectNamespace, DurableObjectState, KVNamespace } from '@cloudflare/workers-types'
import { Hono } from 'hono/tiny'

interface Env {
  STATE: KVNamespace
  ORDER_GATE: DurableObjectNamespace
}

const app = new Hono<{ Bindings: Env }>()

app.post('/webhooks', async ({ env, req }) => {
  const body = await req.text()
  const key = req.query('key') ?? ''
  const now = Date.now()
  await env.STATE.list({ prefix: `event/${key}/`, limit: 1000 })
  await env.STATE.put(`recent/${9_999_999_999_999 - now}/${key}`, '{"order_id":"mugs-000001"}', {
    metadata: { order_id: 'mugs-000001' },
    expirationTtl: 400 * 86_400,
  })
  await env.STATE.get(`checkout/${key}`)
  await env.STATE.put(`status/${key}`, STATUS)
  // As long as what the template stores: the event, which is a quarter shorter than its Base64Url.
  const value = body.slice(Math.floor(body.length / 4))
  await env.STATE.put(`event/${key}/${key}`, value, { metadata: { received_at: now, ...METADATA } })
  return new Response(null, { status: 200 })
})

/** The same through a Durable Object of the order, with the calls of its storage that the template makes: 7 reads, 4 writes. */
app.post('/gated/webhooks', async ({ env, req }) => {
  const key = req.query('key') ?? ''
  const body = await req.text()
  const gate = env.ORDER_GATE.get(env.ORDER_GATE.idFromName(key))
  await (await gate.fetch(`https://order-gate/?key=${key}`, { method: 'POST', body })).json()
  return new Response(null, { status: 200 })
})

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
    const key = new URL(request.url).searchParams.get('key') ?? ''
    const body = await request.text()
    const now = Date.now()
    await storage.get(`read/event/${key}/`)
    await kv.list({ prefix: `event/${key}/`, limit: 1000 })
    await storage.list({ prefix: `event/${key}/` })
    await storage.put({ [`read/event/${key}/`]: {} })
    await storage.list({ prefix: `event/${key}/` })
    await storage.get(`checkout/${key}`)
    await kv.get(`checkout/${key}`)
    await storage.get(`row/${key}`)
    await kv.put(`recent/${9_999_999_999_999 - now}/${key}`, '{"order_id":"mugs-000001"}', {
      metadata: { order_id: 'mugs-000001' },
      expirationTtl: 400 * 86_400,
    })
    await storage.put({ [`row/${key}`]: STATUS })
    await storage.get(`status/${key}`)
    await storage.put({ [`status/${key}`]: { value: STATUS } })
    const value = body.slice(Math.floor(body.length / 4))
    const metadata = { received_at: now, ...METADATA }
    await kv.put(`event/${key}/${key}`, value, { metadata })
    await storage.put({ [`event/${key}/${key}`]: { metadata } })
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
