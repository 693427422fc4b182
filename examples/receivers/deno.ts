// deno serve --allow-env --allow-read --allow-write --port 3000 examples/receivers/deno.ts

import process from 'node:process'
import { createWebhookHandler } from 'edgetill/webhooks'
import { store } from './sqlite-node.ts'

const receive = createWebhookHandler({
  secrets: () => process.env.EDGETILL_API_SECRET,
  onEvent: (event) => store().saveEvent(event),
})

export default {
  fetch: (request: Request) =>
    new URL(request.url).pathname === '/webhooks' ? receive(request) : new Response('not found', { status: 404 }),
}
