import { ConfigError } from '../errors.ts'
import { isBuiltIn, membersOf } from '../lib/kind.ts'
import { encodeUtf8 } from '../lib/utf8.ts'
import { tooLarge } from '../webhooks/errors.ts'
import { readForm, type WebhookForm } from '../webhooks/form.ts'
import { createReceiver, requirePost, type WebhookHandlerOptions, type WebhookResponse } from '../webhooks/receiver.ts'
import { checkMaxBytes, parseBytes, requireFormType } from '../webhooks/verify.ts'

/** The request of node:http, as far as a handler uses it. */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly destroyed: boolean
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown
  removeListener(event: string, listener: (chunk: Uint8Array | string) => void): unknown
  resume(): unknown
  /** The rest of a body parser: the text, its bytes, or the fields of the form. */
  readonly body?: unknown
}

/** The response of node:http, as far as a handler uses it. */
export interface OutgoingResponse {
  statusCode: number
  readonly headersSent: boolean
  setHeader(name: string, value: string): unknown
  end(text: string): unknown
}

/** The part that Express and node:http share. `cure` tells you what to do if the body was read and nothing is left. */
export function createIncomingHandler(
  options: WebhookHandlerOptions,
  cure: string,
): (request: IncomingRequest, response: OutgoingResponse) => Promise<void> {
  const receive = createReceiver(options)
  const maxBytes = checkMaxBytes(membersOf(options, ['maxBytes']).maxBytes)
  return async (request, response) => {
    if (typeof response?.setHeader !== 'function') {
      throw new ConfigError(
        'response',
        'This handler takes the request and the response of node:http or Express. For a web Request use ' +
          'createWebhookHandler.',
      )
    }
    const result = await receive(() => readIncomingForm(request, request.body, maxBytes, cure))
    // Something else, such as a timeout, was faster.
    if (!response.headersSent) send(response, result)
  }
}

function send(response: OutgoingResponse, { status, headers, text }: WebhookResponse): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(text)
}

/**
 * Reads a form from a body parser's result, or from the stream when no parser has read it.
 * @throws {ConfigError} when the body was read and nothing is left.
 */
export async function readIncomingForm(
  request: IncomingRequest,
  parsed: unknown,
  maxBytes: number,
  cure: string,
): Promise<WebhookForm> {
  requireForm(request)
  const wasRead = request.readableDidRead || request.readableEnded
  // Express 4 has {} where no parser fitted; a Fastify app may hand the stream over.
  const body = !wasRead && (isEmpty(parsed) || parsed === request) ? await readStream(request, maxBytes) : parsed
  if (body === undefined || body === null) throw new ConfigError('body', `The body was read already. ${cure}`)
  if (typeof body === 'string' || isBytes(body)) {
    const bytes = typeof body === 'string' ? encodeUtf8(body) : body
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
    return parseBytes(bytes)
  }
  const form = readForm(body)
  if (form.data.length > maxBytes) throw tooLarge(maxBytes)
  return form
}

/** @throws {WebhookVerificationError} `method`, `content_type`. */
export function requireForm({ method, headers }: IncomingRequest): void {
  requirePost(method)
  requireFormType(String(headers['content-type'] ?? ''))
}

const isBytes = (body: unknown): body is Uint8Array => isBuiltIn(body, 'Uint8Array')

/** Whether a body parser left nothing, or an object without fields. */
const isEmpty = (body: unknown): boolean =>
  body === undefined || body === null || (isPlain(body) && Object.keys(body).length === 0)

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value))

/**
 * Reads a stream that nothing has read yet. Beyond the limit the rest is discarded, so that the sender gets its
 * response.
 */
function readStream(request: IncomingRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let isWhole = false
    const fail = (error: unknown) => {
      for (const [event, listener] of listeners) request.removeListener(event, listener)
      request.resume()
      reject(error)
    }
    const listeners: [event: string, listener: (chunk: Uint8Array | string) => void][] = [
      [
        'data',
        (chunk) => {
          const bytes = typeof chunk === 'string' ? encodeUtf8(chunk) : chunk
          size += bytes.byteLength
          if (size > maxBytes) fail(tooLarge(maxBytes))
          else chunks.push(bytes)
        },
      ],
      [
        'end',
        () => {
          isWhole = true
          resolve(joined(chunks, size))
        },
      ],
      ['error', fail],
      ['close', () => isWhole || fail(new Error('The connection closed before the whole body arrived.'))],
    ]
    if (Number(request.headers['content-length']) > maxBytes) return fail(tooLarge(maxBytes))
    if (request.destroyed) return fail(new Error('The connection closed before the body was read.'))
    for (const [event, listener] of listeners) request.on(event, listener)
  })
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks
  if (first?.byteLength === size) return first
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
