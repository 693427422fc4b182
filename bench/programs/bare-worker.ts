// The least that could be done with a webhook: a Hono route with the template's KV operations and nothing else. It checks
// nothing, and its caller tells it the order.

import type { KVNamespace } from '@cloudflare/workers-types'
import { Hono } from 'hono/tiny'

const app = new Hono<{ Bindings: { STATE: KVNamespace } }>()

app.post('/webhooks', async ({ env, req }) => {
  const body = await req.text()
  const order = req.query('order') ?? ''
  const metadata = { received_at: Date.now(), method: 'purchase', status: 'success', amount: 100.5, currency: 'UAH' }
  await env.STATE.list({ prefix: `event/${order}/`, limit: 1000 })
  await env.STATE.put(`recent/${9_999_999_999_999 - Date.now()}/${order}`, '{}', {
    metadata: { order_id: order },
    expirationTtl: 400 * 86_400,
  })
  await env.STATE.put(`event/${order}/first`, body, { metadata })
  return new Response(null, { status: 200 })
})

export default app
