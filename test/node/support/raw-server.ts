import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './fixtures.ts'

/** A request that arrived whole: what a real service would have executed. */
export interface ReceivedRequest {
  method: string
  path: string
  body: string
  headers: IncomingHttpHeaders
}

/** The bytes that are written to the connection, or `drop`: close it without one byte. */
export type Reaction = string | 'drop'

/** An HTTP server that reads each request whole and adds nothing to what `react` says, until the test is over. */
export async function startRawServer(react: (request: ReceivedRequest, index: number) => Reaction) {
  const received: ReceivedRequest[] = []
  let opened = 0
  const server = createServer(async (request) => {
    const { method = '', url: path = '', socket, headers } = request
    const one = { method, path, body: await text(request), headers }
    received.push(one)
    const reaction = react(one, received.length - 1)
    if (reaction === 'drop') socket.destroy()
    else socket.write(reaction)
  })
  server.on('connection', () => {
    opened++
  })
  /** How many connections were opened. */
  const connections = () => opened
  return { origin: await listen(server), received, connections }
}

/** An HTTP/1.1 answer with its length, on a connection that stays open. */
export function answer(status: number, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries({ ...headers, 'content-length': String(body.length) }).map(([k, v]) => `${k}: ${v}`)
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
