import process from 'node:process'
import { webhookHandler } from 'edgetill/express'
import express from 'express'
import { store } from './sqlite-node.ts'

const app = express()
app.post(
  '/webhooks',
  webhookHandler({ secrets: () => process.env.EDGETILL_API_SECRET, onEvent: (event) => store().saveEvent(event) }),
)

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('Listening', server.address()))
