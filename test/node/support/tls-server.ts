import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2Session, constants as h2, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { whenOver } from './fixtures.ts'

const folder = join(import.meta.dirname, 'loopback-tls')
/** The authority that clients have to trust. */
export const AUTHORITY: string = join(folder, 'authority.pem')

/** A way of failing after a request was processed, over HTTP/2. Over HTTP/1.1 the socket is destroyed instead. */
type Failure = (stream: ServerHttp2Stream, session: Http2Session) => void

const RESETS = [
  ...(['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'STREAM_CLOSED'] as const),
  ...(['FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'ENHANCE_YOUR_CALM'] as const),
  ...(['INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'] as const),
]

export const FAILURES: Readonly<Record<string, Failure>> = {
  'socket-destroyed': (_, session) => session.socket.destroy(),
  'session-destroyed': (_, session) => session.destroy(),
  'goaway-0': (_, session) => goAwayAndClose(session, 0),
  'goaway-before': (stream, session) => goAwayAndClose(session, Math.max(0, (stream.id ?? 1) - 2)),
  'goaway-this': (stream, session) => goAwayAndClose(session, stream.id ?? 1),
  ...Object.fromEntries(
    RESETS.map((name): [string, Failure] => [name, (stream) => stream.close(h2[`NGHTTP2_${name}`])]),
  ),
}

function goAwayAndClose(session: Http2Session, lastStreamId: number): void {
  session.goaway(h2.NGHTTP2_NO_ERROR, lastStreamId)
  session.destroy()
}

/** A TLS server that reads each request whole and then fails in the way that `failureOf` names, until the test is over. */
export async function startTlsServer(failureOf: (path: string, body: string) => Failure) {
  /** Every request that was read whole: what a real service would have processed. */
  const processed: { version: string; path: string; body: string }[] = []
  const sockets = new Set<Socket>()
  const server = createSecureServer({
    cert: readFileSync(join(folder, 'certificate.pem')),
    key: readFileSync(join(folder, 'key.pem')),
    allowHTTP1: true,
  })
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('sessionError', () => {})
  server.on('request', (request, response) => {
    let body = ''
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      processed.push({ version: request.httpVersion, path: request.url, body })
      const { stream } = response
      if (request.httpVersion !== '2.0' || !stream.session) return request.socket.destroy()
      stream.on('error', () => {})
      failureOf(request.url, body)(stream, stream.session)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  whenOver(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { origin: `https://127.0.0.1:${port}`, processed }
}
