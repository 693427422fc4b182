import process from 'node:process'
import { configFromEnv } from 'edgetill'
import { webhookHandler } from 'edgetill/fastify'
import { fastify } from 'fastify'
import { store } from './sqlite-node.ts'

const { apiSecret } = configFromEnv(process.env)
const app = fastify()
app.register(webhookHandler, { prefix: '/webhooks', secrets: apiSecret, onEvent: store.saveEvent })

await app.listen({ port: Number(process.env.PORT ?? 3000) })
console.log('Listening', app.server.address())
