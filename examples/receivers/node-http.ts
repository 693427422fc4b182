import { createServer } from 'node:http'
import process from 'node:process'
import { configFromEnv } from 'edgetill'
import { webhookHandler } from 'edgetill/node'
import { store } from './sqlite-node.ts'

const { apiSecret } = configFromEnv(process.env)
const receive = webhookHandler({ secrets: apiSecret, onEvent: store.saveEvent })

const server = createServer((request, response) => {
  if (request.url === '/webhooks') receive(request, response)
  else response.writeHead(404).end('not found')
})
server.listen(Number(process.env.PORT ?? 3000), () => console.log('Listening', server.address()))
