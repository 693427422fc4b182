import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Responds to one request, as `emulator.fetch` or a Worker does. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

export interface ServeOptions {
  port?: number | undefined
  /** Default 127.0.0.1: other machines cannot reach it. */
  host?: string | undefined
  /** Serves https with this key and certificate, in PEM. */
  tls?: { key: string; cert: string } | undefined
}

export interface Served {
  /** `http://127.0.0.1:4010` */
  origin: string
  port: number
  close(): Promise<void>
}

/**
 * Serves a fetch handler over HTTP/1.1 on Node. Bodies are streamed both ways, byte for byte. Where the handler throws
 * a `ConnectionResetError` the connection is reset before the first byte of a response; any other throw is a plain 500.
 * @throws when the port is taken.
 */
export async function serveOnNode(fetch: FetchHandler, options: ServeOptions = {}): Promise<Served> {
  const { host = '127.0.0.1', tls } = options
  const scheme = tls === undefined ? 'http' : 'https'
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    respond(fetch, incoming, outgoing, scheme).catch((error: unknown) => fail(error, outgoing))
  }
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

/** The error of an address that cannot be listened on, with what to do about it; any other error as it is. */
export function listenError(error: unknown, { port = 0, host = '' }: ServeOptions): unknown {
  const elsewhere = `This machine does not have the address ${host}. Pass one of its own, or 0.0.0.0 for all.`
  const texts: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken: end the program that has it, or choose another with --port (0: a free one).`,
    EACCES: `Port ${port} needs more rights: choose one from 1024 on with --port.`,
    ...{ EADDRNOTAVAIL: elsewhere, ENOTFOUND: elsewhere },
  }
  const text = texts[(error as NodeJS.ErrnoException).code ?? '']
  return text === undefined ? error : new Error(text)
}

async function respond(fetch: FetchHandler, incoming: IncomingMessage, outgoing: ServerResponse, scheme: string) {
  const aborted = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) aborted.abort()
  })
  const request = toRequest(incoming, aborted.signal, scheme)
  if (request === undefined) {
    outgoing.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end('Bad request\n')
    return
  }
  const response = await fetch(request)
  outgoing.statusCode = response.status
  if (response.statusText) outgoing.statusMessage = response.statusText
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  await send(response, incoming.method, outgoing)
  // The rest of a body that the handler did not read must not be taken for the next request.
  incoming.resume()
}

/** Undefined if a Request cannot express it: `OPTIONS *`, TRACE, a malformed Host. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal, scheme: string): Request | undefined {
  const { method = 'GET', headers, rawHeaders, url = '/' } = incoming
  const fields = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) fields.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const address = url.startsWith('/') ? `${scheme}://${headers.host ?? '127.0.0.1'}${url}` : url
  if (!URL.canParse(address) || ['TRACE', 'CONNECT', 'TRACK'].includes(method)) return undefined
  // A Request takes no address with credentials, as in `Host: 127.0.0.1@shop.example.com`.
  if (new URL(address).username !== '' || new URL(address).password !== '') return undefined
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers: fields, signal })
  const body = Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>
  const init = { method, headers: fields, body, signal, duplex: 'half' }
  return new Request(address, init)
}

async function send(response: Response, method: string | undefined, outgoing: ServerResponse): Promise<void> {
  if (response.body === null || method === 'HEAD') {
    await response.body?.cancel()
    if (response.status !== 204 && response.status !== 304 && method !== 'HEAD') outgoing.setHeader('content-length', 0)
    outgoing.end()
    return
  }
  outgoing.flushHeaders()
  // A client that has gone away reads no more: that is not a failure.
  await pipeline(Readable.fromWeb(response.body as never), outgoing).catch((error) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

function fail(error: unknown, outgoing: ServerResponse): void {
  // By name: a bundled emulator brings its own class.
  const reset = error instanceof Error && error.name === 'ConnectionResetError'
  if (reset || outgoing.headersSent) {
    outgoing.socket?.resetAndDestroy()
    return
  }
  outgoing.statusCode = 500
  outgoing.setHeader('content-type', 'text/plain; charset=utf-8')
  outgoing.end('Internal error\n')
}
