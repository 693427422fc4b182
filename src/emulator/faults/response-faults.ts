import type { Random } from '../state/random.ts'
import { applyContentFaults } from './content-faults.ts'
import { type Fault, hasContents } from './fault.ts'

/**
 * Thrown by `emulator.fetch` where the connection would break. In-process it stands for the runtime's own network
 * error; a server adapter has to break the connection when it sees it.
 */
export class ConnectionResetError extends TypeError {
  override readonly name = 'ConnectionResetError'
  /** As Node's own network errors say it. */
  readonly code = 'ECONNRESET'
  /** Whether the request was executed first. The caller cannot know: read it only in tests. */
  readonly committed: boolean

  constructor(committed: boolean) {
    super('The emulator broke the connection on purpose.')
    this.committed = committed
  }
}

const HTML = '<!doctype html><html lang="en"><title>Error</title><h1>The emulator fails on purpose</h1></html>'
const HUGE = 2 * 1024 * 1024

/** Applies the faults before the execution; undefined when the request may go on. @throws {ConnectionResetError} */
export async function applyRequestFaults(
  faults: readonly Fault[],
  random: Random,
  signal: AbortSignal,
): Promise<Response | undefined> {
  for (const fault of faults) {
    if (fault.kind === 'latency') await pause(fault.ms, random, signal)
    if (fault.kind === 'no_response') return aborted(signal)
    if (fault.kind === 'reset') throw new ConnectionResetError(false)
    if (fault.kind === 'too_many_requests') {
      const headers = { 'retry-after': String(fault.retryAfter ?? 1) }
      return Response.json({ message: 'Too many requests', args: { code: 'EMULATOR-429' } }, { status: 429, headers })
    }
    if (fault.kind === 'server_error') return serverError(fault)
  }
  return undefined
}

/** Waits for this many milliseconds of real time, or for a random number within a range. */
export async function pause(
  ms: number | readonly [number, number],
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const length = typeof ms === 'number' ? ms : ms[0] + (ms[1] - ms[0]) * random()
  if (length <= 0) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, length)
  })
  await Promise.race([over, aborted(signal)]).finally(() => clearTimeout(timer))
}

export function statusCodeOf(faults: readonly Fault[]): string | undefined {
  return faults.flatMap((fault) => (fault.kind === 'status_code' ? [fault.status_code] : [])).at(-1)
}

/** Applies the faults after the request was executed. @throws {ConnectionResetError} */
export async function applyResponseFaults(
  response: Response,
  faults: readonly Fault[],
  signal: AbortSignal,
): Promise<Response> {
  let changed = await changeContent(response, faults)
  for (const fault of faults) {
    if (fault.kind === 'reset') throw new ConnectionResetError(true)
    if (fault.kind === 'no_response') return aborted(signal)
    if (fault.kind === 'server_error') changed = serverError(fault)
    if (fault.kind === 'body') changed = changeBody(changed, fault.body ?? 'truncated', await changed.clone().text())
    if (fault.kind === 'slow_body') changed = slowly(changed, await changed.clone().arrayBuffer(), signal, fault)
  }
  return changed
}

async function changeContent(response: Response, faults: readonly Fault[]): Promise<Response> {
  if (faults.length === 0 || !hasContents(response)) return response
  const value: unknown = await response.json()
  return Response.json(applyContentFaults(value, faults), { status: response.status })
}

function serverError(fault: Extract<Fault, { kind: 'server_error' }>): Response {
  const status = fault.status ?? 503
  const response = new Response(HTML, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
  return fault.body === undefined || fault.body === 'html' ? response : changeBody(response, fault.body, HTML)
}

function changeBody(response: Response, body: 'html' | 'empty' | 'truncated' | 'huge', text: string): Response {
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  if (body === 'html') headers.set('content-type', 'text/html; charset=utf-8')
  const changed = {
    html: HTML,
    empty: '',
    truncated: text.slice(0, Math.floor(text.length / 2)),
    huge: text + ' '.repeat(HUGE),
  }[body]
  return new Response(changed, { status: response.status, headers })
}

/** Never resolves; rejects, as `fetch` does, when the caller gives up. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function slowly(
  response: Response,
  bytes: ArrayBuffer,
  signal: AbortSignal,
  { ms = 100, pieces = 10 }: Extract<Fault, { kind: 'slow_body' }>,
): Response {
  const size = Math.max(1, Math.ceil(bytes.byteLength / pieces))
  let sent = 0
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A rejection here ends the body as a broken connection would.
      if (sent > 0) await Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), aborted(signal)])
      if (sent >= bytes.byteLength) return controller.close()
      controller.enqueue(new Uint8Array(bytes.slice(sent, sent + size)))
      sent += size
    },
  })
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  return new Response(stream, { status: response.status, headers })
}
