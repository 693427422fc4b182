// deno serve --allow-env --allow-read --allow-write --port 3000 examples/receivers/deno.ts

import process from 'node:process'
import { configFromEnv, createWebhookHandler } from 'edgetill'
import { store } from './sqlite-node.ts'

const { apiSecret } = configFromEnv(process.env)
const receive = createWebhookHandler({ secrets: apiSecret, onEvent: store.saveEvent })

export default {
  fetch: (request: Request) =>
    new URL(request.url).pathname === '/webhooks' ? receive(request) : new Response('not found', { status: 404 }),
}
