import process from 'node:process'
import { webhookHandler } from 'edgetill/fastify'
import { fastify } from 'fastify'
import { store } from './sqlite-node.ts'

const app = fastify()
app.register(webhookHandler, {
  prefix: '/webhooks',
  secrets: () => process.env.EDGETILL_API_SECRET,
  onEvent: (event) => store().saveEvent(event),
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })
console.log('Listening', app.server.address())
