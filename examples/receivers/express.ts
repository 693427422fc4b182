import process from 'node:process'
import { configFromEnv } from 'edgetill'
import { webhookHandler } from 'edgetill/express'
import express from 'express'
import { store } from './sqlite-node.ts'

const { apiSecret } = configFromEnv(process.env)
const app = express()
app.post('/webhooks', webhookHandler({ secrets: apiSecret, onEvent: store.saveEvent }))

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('Listening', server.address()))
