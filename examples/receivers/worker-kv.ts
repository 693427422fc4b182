// A Worker that receives webhooks into KV and shows an order, and nothing else: no gate, no checkout, no refunds.
// It needs a KV namespace bound as STATE, and the secret API_SECRET: `npx wrangler secret put API_SECRET`.

import type { KVNamespace, KVNamespaceListResult } from '@cloudflare/workers-types'
import { eventKey, foldOrder } from 'edgetill/orders'
import { createWebhookHandler, readEvent, type WebhookEvent } from 'edgetill/webhooks'
import { Hono } from 'hono'

interface Env {
  STATE: KVNamespace
  API_SECRET: string
}

const app = new Hono<{ Bindings: Env }>()

// 200 only after KV has the event. While KV fails it is 503, and the service sends the webhook again.
app.post('/webhooks', (c) => {
  const { STATE, API_SECRET } = c.env
  const receive = createWebhookHandler({
    secrets: API_SECRET,
    onEvent: (event) => storeEvent(STATE, event),
    // Genuine, but not JSON, for instance: `data` is the only copy.
    onUnreadable: async ({ data }) => STATE.put(`stray/${await hash(data)}`, data),
  })
  return receive(c.req.raw)
})

// Anyone with an order_id can read the order: put a check in front of this route, such as Cloudflare Access.
app.get('/orders/:order_id', async (c) => {
  const events = await eventsOf(c.env.STATE, c.req.param('order_id'))
  return events.length > 0 ? c.json(foldOrder(events)) : c.json({ error: 'No such order.' }, 404)
})

export default app

/** A key for each event: a repetition writes the same value again. The record may hold `cc_token`, which can be charged. */
async function storeEvent(kv: KVNamespace, event: WebhookEvent): Promise<void> {
  const { order_id, record } = event
  const prefix = order_id === undefined ? 'stray/' : await prefixOf(order_id)
  await kv.put(prefix + eventKey(event), JSON.stringify(record))
}

/** All events of an order: folded in any order, they give the same state. KV may show a new event up to a minute later. */
async function eventsOf(kv: KVNamespace, order_id: string): Promise<WebhookEvent[]> {
  const prefix = await prefixOf(order_id)
  const events: WebhookEvent[] = []
  let cursor: string | null = null
  do {
    // A page has at most 1,000 keys.
    const page: KVNamespaceListResult<unknown> = await kv.list({ prefix, cursor })
    const records = await Promise.all(page.keys.map(({ name }) => kv.get(name)))
    for (const record of records) if (record !== null) events.push(readEvent(JSON.parse(record)))
    cursor = page.list_complete ? null : page.cursor
  } while (cursor !== null)
  return events
}

// A hash: an order_id may be longer than a key, and "a/b" must not be found under "a".
const prefixOf = async (order_id: string): Promise<string> => `event/${await hash(order_id)}/`

/** SHA-256 as hex. JSON.stringify escapes half a surrogate pair, which UTF-8 cannot express. */
async function hash(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(text)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
