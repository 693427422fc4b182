import { createServer, type Socket } from 'node:net'

/** A request as it arrived, byte for byte. */
export interface ReceivedRequest {
  method: string
  path: string
  head: string
  body: string
}

/** What a raw server does with a complete request: a full HTTP answer, or `drop` (close without one byte). */
export type Reaction = string | 'drop'

export interface RawServer {
  origin: string
  /** Every complete request: what a real service would have executed. */
  received: ReceivedRequest[]
  /** Connections that were opened. */
  connections(): number
  close(): Promise<void>
}

/** An HTTP server made of a TCP socket alone, so that nothing but the client under test decides what is sent. */
export async function startRawServer(react: (request: ReceivedRequest, index: number) => Reaction): Promise<RawServer> {
  const received: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let buffer = ''
    socket.on('data', (chunk) => {
      buffer += chunk.toString('latin1')
      for (;;) {
        const complete = takeRequest(buffer)
        if (!complete) return
        buffer = complete.rest
        received.push(complete.request)
        const reaction = react(complete.request, received.length - 1)
        if (reaction === 'drop') return socket.destroy()
        socket.write(reaction)
      }
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => done())
      }),
  }
}

/** An HTTP/1.1 answer with its length, on a connection that stays open. */
export function answer(status: number, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries({ ...headers, 'content-length': String(body.length) }).map(([k, v]) => `${k}: ${v}`)
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

function takeRequest(buffer: string): { request: ReceivedRequest; rest: string } | undefined {
  const end = buffer.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = buffer.slice(0, end)
  const [method = '', path = ''] = head.split(' ')
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  const start = end + 4
  let stop = start + Number(length ?? 0)
  let body = buffer.slice(start, stop)
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const last = buffer.indexOf('0\r\n\r\n', start)
    if (last < 0) return undefined
    stop = last + 5
    body = buffer.slice(start, stop)
  } else if (buffer.length < stop) return undefined
  return { request: { method, path, head, body }, rest: buffer.slice(stop) }
}
