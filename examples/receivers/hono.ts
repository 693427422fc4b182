import process from 'node:process'
import { serve } from '@hono/node-server'
import { createWebhookHandler } from 'edgetill/webhooks'
import { Hono } from 'hono'
import { store } from './sqlite-node.ts'

const receive = createWebhookHandler({
  secrets: () => process.env.EDGETILL_API_SECRET,
  onEvent: (event) => store().saveEvent(event),
})
const app = new Hono()
app.post('/webhooks', (c) => receive(c.req.raw))

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, (address) => console.log('Listening', address))
