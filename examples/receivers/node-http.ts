import { createServer } from 'node:http'
import process from 'node:process'
import { webhookHandler } from 'edgetill/node'
import { store } from './sqlite-node.ts'

const receive = webhookHandler({
  secrets: () => process.env.EDGETILL_API_SECRET,
  onEvent: (event) => store().saveEvent(event),
})

const server = createServer((request, response) => {
  if (request.url === '/webhooks') receive(request, response)
  else response.writeHead(404).end('not found')
})
server.listen(Number(process.env.PORT ?? 3000), () => console.log('Listening', server.address()))
