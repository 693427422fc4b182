import process from 'node:process'
import { serve } from '@hono/node-server'
import { configFromEnv, createWebhookHandler } from 'edgetill'
import { Hono } from 'hono'
import { store } from './sqlite-node.ts'

const { apiSecret } = configFromEnv(process.env)
const receive = createWebhookHandler({ secrets: apiSecret, onEvent: store.saveEvent })
const app = new Hono()
app.post('/webhooks', (c) => receive(c.req.raw))

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, (address) => console.log('Listening', address))
