// app/webhooks/route.ts of a Next app. It runs on Node, where node:sqlite is.

import process from 'node:process'
import { configFromEnv, createWebhookHandler } from 'edgetill'
import { store } from './sqlite-node.ts'

export const runtime = 'nodejs'

const { apiSecret } = configFromEnv(process.env)
export const POST = createWebhookHandler({ secrets: apiSecret, onEvent: store.saveEvent })
