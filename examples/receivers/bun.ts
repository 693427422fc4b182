// bun examples/receivers/bun.ts

import process from 'node:process'
import { configFromEnv, createWebhookHandler } from 'edgetill'
import { store } from './sqlite-bun.ts'

const { apiSecret } = configFromEnv(process.env)
const receive = createWebhookHandler({ secrets: apiSecret, onEvent: store.saveEvent })

export default {
  port: Number(process.env.PORT ?? 3000),
  fetch: (request: Request) =>
    new URL(request.url).pathname === '/webhooks' ? receive(request) : new Response('not found', { status: 404 }),
}
