// A shop behind node:http or Express, without an import of either.

/** Where a request comes from: as a handler of Node passes it, or as Deno and Bun do. */
export interface Client {
  address?: string | undefined
  /** The path that Express has mounted the shop at. */
  base?: string | undefined
  /** Of Deno. */
  remoteAddr?: { hostname?: string } | undefined
  /** Of Bun's server. */
  requestIP?: ((request: Request) => { address: string } | null) | undefined
}

/** The address of the connection that a request came over. */
export const clientOf = (request: Request, from: Client): string | undefined =>
  from.address ?? from.remoteAddr?.hostname ?? from.requestIP?.(request)?.address

/** The request of node:http or Express, as far as the handler uses it. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string | undefined
  url?: string | undefined
  rawHeaders: readonly string[]
  headers: { readonly host?: string | undefined; readonly 'content-type'?: string | undefined }
  socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean }
  readableDidRead: boolean
  resume(): unknown
  /** Express's own: the path with the mount's, and the mount. */
  originalUrl?: string
  baseUrl?: string
  /** The result of a body parser. */
  body?: unknown
}

/** The response of node:http or Express, as far as the handler uses it. */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  setHeader(name: string, value: string | string[]): unknown
  write(chunk: Uint8Array): boolean
  end(text?: string): unknown
  once(event: 'drain' | 'close', listener: () => void): unknown
}

/**
 * A handler for `createServer` of node:http and for Express, also below a path: `app.use('/pay', nodeHandler(shop))`,
 * where `PUBLIC_ORIGIN` ends in `/pay`. Mount it before a body parser if you can: a webhook is read best from the bytes
 * as they came.
 * @param shop What `createShop` of `edgetill/server` returned.
 * @example
 * import { nodeHandler, type ServerShop } from 'edgetill/server'
 * const handler = (shop: ServerShop) => nodeHandler(shop) // createServer(handler).listen(3000) of node:http
 */
export function nodeHandler(shop: {
  fetch: (request: Request, from: Client) => Promise<Response>
}): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    try {
      const request = requestOf(incoming)
      const from = { address: incoming.socket.remoteAddress, base: incoming.baseUrl || undefined }
      await send(request ? await shop.fetch(request, from) : new Response('Bad request', { status: 400 }), outgoing)
    } catch {
      if (!outgoing.headersSent) outgoing.statusCode = 500
      outgoing.end()
    }
    // The unread rest of a body must not be taken for the next request.
    incoming.resume()
  }
}

/** Undefined if a Request cannot express it: a malformed Host, TRACE. */
function requestOf(incoming: NodeRequest): Request | undefined {
  const { method = 'GET', url = '/', originalUrl = url, rawHeaders, socket } = incoming
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const scheme = socket.encrypted ? 'https' : 'http'
  const address = `${scheme}://${incoming.headers.host ?? 'localhost'}${originalUrl}`
  if (!originalUrl.startsWith('/') || !URL.canParse(address) || /^(TRACE|CONNECT|TRACK)$/.test(method)) return undefined
  const { username, password } = new URL(address)
  if (username + password !== '') return undefined
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers })
  const init = { method, headers, body: bodyOf(incoming), duplex: 'half' }
  return new Request(address, init as RequestInit)
}

/** The body's bytes; if a parser has read them, its result as a body again. */
function bodyOf(incoming: NodeRequest): BodyInit {
  const { body, readableDidRead, headers } = incoming
  if (!readableDidRead) return streamOf(incoming[Symbol.asyncIterator]())
  if (typeof body === 'string' || body instanceof Uint8Array) return body as BodyInit
  if (/json/.test(headers['content-type'] ?? '')) return JSON.stringify(body)
  return new URLSearchParams(body as Record<string, string>).toString()
}

const streamOf = (chunks: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })

async function send({ status, headers, body }: Response, outgoing: NodeResponse): Promise<void> {
  outgoing.statusCode = status
  for (const [name, value] of headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  let isClosed = false
  const closed = new Promise<void>((resolve) =>
    outgoing.once('close', () => {
      isClosed = true
      resolve()
    }),
  )
  const reader = body?.getReader()
  for (let read = await reader?.read(); read && !read.done && !isClosed; read = await reader?.read()) {
    if (!outgoing.write(read.value)) await Promise.race([closed, new Promise<void>((go) => outgoing.once('drain', go))])
  }
  if (isClosed) await reader?.cancel()
  outgoing.end()
}
