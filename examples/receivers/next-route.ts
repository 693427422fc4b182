// app/webhooks/route.ts of a Next app. It runs on Node, where node:sqlite is.

import process from 'node:process'
import { createWebhookHandler } from 'edgetill/webhooks'
import { store } from './sqlite-node.ts'

export const runtime = 'nodejs'

export const POST = createWebhookHandler({
  secrets: () => process.env.EDGETILL_API_SECRET,
  onEvent: (event) => store().saveEvent(event),
})
