// bun examples/receivers/bun.ts

import process from 'node:process'
import { createWebhookHandler } from 'edgetill/webhooks'
import { store } from './sqlite-bun.ts'

const receive = createWebhookHandler({
  secrets: () => process.env.EDGETILL_API_SECRET,
  onEvent: (event) => store().saveEvent(event),
})

export default {
  port: Number(process.env.PORT ?? 3000),
  fetch: (request: Request) =>
    new URL(request.url).pathname === '/webhooks' ? receive(request) : new Response('not found', { status: 404 }),
}
