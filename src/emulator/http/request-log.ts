import { type Context, pathOf } from '../context.ts'
import type { Fault } from '../faults/fault.ts'
import { wellFormed } from '../parse-input.ts'
import type { LoggedRequest } from '../state/activity.ts'
import { maskBody, maskHeaders, maskText } from '../state/mask.ts'
import { stopwatch, timestamp } from '../state/time.ts'
import { Problem } from './problem.ts'

type Handler = (request: Request, entry: LoggedRequest) => Promise<Response>

/**
 * Keeps a request and its response in the log, and reports it when the response is known. The bytes stay as they are.
 */
export async function recordRequest(context: Context, request: Request, handle: Handler): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const took = stopwatch(context.options)
  const entry: Omit<LoggedRequest, 'id'> = {
    at: timestamp(context.scheduler.now()),
    method: request.method,
    path: maskText(pathname + search),
    operation: null,
    order_id: null,
    headers: maskHeaders(request.headers),
    body: '',
    status: null,
    reason: null,
    response_headers: {},
    response_body: '',
    ms: 0,
    faults: [],
  }
  if (!isLogged(request.method, pathOf(context, request))) {
    return handle(request, { id: '', ...entry }).catch((error: unknown) => {
      reportError(context, null, error, request.signal)
      throw error
    })
  }
  const logged = context.activity.open(entry)
  try {
    const copy = await keepBody(logged, request)
    const response = await keepResponse(logged, copy === undefined ? tooLarge() : await handle(copy, logged))
    logged.ms = took()
    report(context, logged)
    return response
  } catch (error) {
    logged.ms = took()
    reportFailure(context, logged, error, request.signal)
    throw error
  }
}

/** The service's own requests, and changes of the emulator. Its pages and readings would drown the rest. */
function isLogged(method: string, path: string): boolean {
  if (path.startsWith('/_emulator/api/')) return method === 'POST'
  return path !== '/_emulator' && path !== '/' && path !== '/favicon.ico' && !path.startsWith('/_emulator/')
}

/** Notes the faults that fired on a request. */
export function noteFaults(context: Context, entry: LoggedRequest, on: string, faults: readonly Fault[]): void {
  for (const fault of faults) {
    entry.faults.push(fault)
    const at = timestamp(context.scheduler.now())
    context.activity.report({ type: 'fault', at, fault, on, id: entry.id, order_id: entry.order_id })
  }
}

async function keepBody(entry: LoggedRequest, request: Request): Promise<Request | undefined> {
  if (request.body === null) return request
  const body = await readBody(request.body)
  if (body === undefined) return undefined
  entry.body = maskBody(body, request.headers.get('content-type') ?? '')
  entry.order_id = orderIdOf(body)
  // Without the signal: a Request that follows another's keeps it, and its waiters, in memory on Node.
  return new Request(request, { body, signal: null })
}

/** No request of the service comes near: more is a mistake, which must not cost seconds and memory. */
const MAX_BYTES = 8 * 1024 * 1024
/** This much is read and dropped: a client that is still sending would see a reset instead of the response. */
const MAX_DROPPED = 64 * 1024 * 1024

function tooLarge(): Response {
  return new Problem(413, 'The body has more than 8 MiB', { code: 'EMULATOR-413' }).toResponse()
}

async function readBody(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: BlobPart[] = []
  let size = 0
  const reader = stream.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size <= MAX_BYTES) parts.push(part.value as BlobPart)
    if (size > MAX_DROPPED) break
  }
  if (size > MAX_BYTES) {
    reader.cancel().catch(() => {})
    return undefined
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

function orderIdOf(body: Uint8Array): string | null {
  try {
    const { order_id } = JSON.parse(new TextDecoder().decode(body)) as { order_id?: unknown }
    return typeof order_id === 'string' ? wellFormed(order_id) : null
  } catch {
    return null
  }
}

async function keepResponse(entry: LoggedRequest, response: Response): Promise<Response> {
  entry.status = response.status
  entry.response_headers = maskHeaders(response.headers)
  const type = response.headers.get('content-type') ?? ''
  const isPage = type.startsWith('text/html') && response.status < 500
  const inPieces = entry.faults.some(({ kind }) => kind === 'slow_body')
  // A page has it in a header: its text is for people.
  const header = response.headers.get('x-emulator-reason')
  if (header !== null) entry.reason = decodeURIComponent(header)
  if (isPage || inPieces || response.body === null) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  entry.response_body = maskBody(bytes, type)
  if (response.status >= 400) entry.reason = reasonOf(entry.response_body)
  return new Response(bytes, response)
}

function reasonOf(text: string): string | null {
  try {
    const { message, error, args } = JSON.parse(text) as Record<string, unknown>
    const sentence = message ?? error
    if (typeof sentence !== 'string') return null
    // A rejection by the order's state is one sentence, which is the violation as well.
    const violations = ((Array.isArray(args) ? args : []) as Record<string, unknown>[])
      .filter(({ violation }) => violation !== sentence)
      .map(({ field_name, violation }) => `${field_name} ${violation}`)
    return violations.length === 0
      ? sentence
      : `${sentence}${sentence.endsWith('.') ? '' : ':'} ${violations.join(', ')}`
  } catch {
    return null
  }
}

function report(context: Context, entry: LoggedRequest): void {
  const { at, id, method, path, operation, order_id, status, reason, ms } = entry
  const controlBody = path.startsWith('/_emulator/') && entry.body !== '' ? { body: entry.body } : {}
  context.activity.report({
    type: 'request',
    at,
    id,
    method,
    path,
    operation,
    order_id,
    status,
    reason,
    ms,
    ...controlBody,
  })
}

function reportFailure(context: Context, entry: LoggedRequest, error: unknown, signal: AbortSignal): void {
  const onPurpose = error instanceof Error && error.name === 'ConnectionResetError'
  if (onPurpose) entry.reason = 'the connection was broken on purpose'
  else entry.reason = signal.aborted ? 'the caller gave up' : 'internal error'
  report(context, entry)
  if (!onPurpose) reportError(context, entry.id, error, signal)
}

function reportError(context: Context, id: string | null, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  context.activity.report({ type: 'error', at: timestamp(context.scheduler.now()), id, stack })
}
