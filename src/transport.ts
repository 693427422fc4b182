import { type AuthenticatedRequest, authorize } from './authentication.ts'
import type { ResolvedConfig } from './config.ts'
import type { UnknownOutcomeReason } from './errors.ts'
import {
  ConfigError,
  ConnectionError,
  InvalidInputError,
  OutcomeUnknownError,
  UnexpectedResponseError,
} from './errors.ts'
import { type RequestInfo, tell } from './hooks.ts'
import { type Deadline, startDeadline, wait } from './lib/abort.ts'
import { RESPONSE_BYTES } from './lib/limits.ts'
import { abandon, decodeUtf8, readBytes } from './lib/read-text.ts'
import { cutCardFields, paymentSecrets, redactText } from './lib/redact.ts'
import { wasNeverSent } from './lib/unsent.ts'
import { apiError, retryAfterMs } from './refusal.ts'

/** Options of one call. */
export interface CallOptions {
  /** Gives the call up. On a POST that was already sent this throws an `OutcomeUnknownError`. */
  signal?: AbortSignal | undefined
  /** Milliseconds for one attempt; overrides the configuration's. */
  timeoutMs?: number | undefined
  /** Extra body fields, sent as they are: for what the service knows and its document does not show. */
  passThrough?: Record<string, unknown> | undefined
}

/** A request as an operation builds it: everything but credentials. */
export interface WireRequest extends AuthenticatedRequest {
  /** The function that was called. */
  operation: string
  /** Which configured address the path is below. */
  base: 'baseUrl' | 'apiUrl'
  /** Whether a redirect is an answer to this request. */
  redirectExpected?: boolean
  /** How to learn what became of it, when no answer tells; empty for a GET, which changes nothing. */
  howToFindOut: string
}

/** An answer that could be read: 2xx with JSON, or an expected redirect. */
export interface Answer {
  status: number
  /** The parsed body, card data cut out; undefined for a redirect. */
  json: unknown
  /** The absolute address of an expected redirect. */
  location: string | undefined
  /** How many times the request was attempted. */
  attempts: number
}

const BACKOFF_MS = 500
const BACKOFF_LIMIT_MS = 8_000
/** A server that asks for a longer pause than this is not waited for: the caller is told instead. */
const RETRY_AFTER_LIMIT_MS = 60_000

/**
 * Sends a request and reads its answer. No POST is sent twice but after a 429; a GET is sent again after a network
 * failure, a 429 or a 5xx.
 *
 * @throws {ConnectionError} a GET's failure, or a POST that provably never left.
 * @throws {OutcomeUnknownError} a POST without an answer that tells whether it was executed.
 * @throws {ApiError} a 4xx, or a 5xx of a GET.
 * @throws {UnexpectedResponseError} a GET's answer that is not JSON.
 */
export async function send(config: ResolvedConfig, request: WireRequest, options: CallOptions = {}): Promise<Answer> {
  const url = targetUrl(config, request)
  if (options.passThrough && request.body === undefined) {
    throw new InvalidInputError(request.operation, [
      { path: 'passThrough', rule: 'left out: this request has no body', received: 'object' },
    ])
  }
  const timeoutMs = checkTimeout(request.operation, options.timeoutMs ?? config.timeoutMs)
  const repeatable = request.method === 'GET'
  const headers = await signInTime(config, request, timeoutMs, options.signal)
  for (let attempt = 1; ; attempt++) {
    const info: RequestInfo = { operation: request.operation, method: request.method, path: request.path, attempt }
    const deadline = startDeadline(timeoutMs, options.signal)
    let response: Response | undefined
    let retryStatus: number | undefined
    let delayMs = Math.floor(config.random() * Math.min(BACKOFF_LIMIT_MS, BACKOFF_MS * 2 ** (attempt - 1)))
    try {
      response = await attemptOnce(config, request, url, headers, info, deadline)
      const { status } = response
      if (status < 400) return await readAnswer(config, request, response, url, attempt, deadline)
      const mayRetry = status === 429 || (repeatable && status >= 500)
      const asked = retryAfterMs(response.headers.get('retry-after'))
      if (!mayRetry || attempt > config.maxRetries || (asked ?? 0) > RETRY_AFTER_LIMIT_MS) {
        throw await refusal(config, request, response, attempt, asked, deadline)
      }
      abandon(response.body)
      retryStatus = status
      delayMs = asked ?? delayMs
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      // A caller that gave up has nobody left to try again for.
      if (!repeatable || error.reason === 'aborted' || attempt > config.maxRetries)
        throw noAnswerError(config, request, attempt, error)
    } finally {
      deadline.end()
    }
    tell(config.hooks.onRetry, { ...info, delayMs, status: retryStatus })
    try {
      await wait(delayMs, options.signal)
    } catch (cause) {
      // Everything before this pause was answered or could not change anything, so nothing is unknown.
      throw new ConnectionError(
        `${request.operation} was given up while it waited for another attempt; nothing was executed.`,
        { method: request.method, path: request.path, attempts: attempt },
        'aborted',
        cause,
      )
    }
  }
}

/** An attempt that brought no readable answer. */
class NoAnswer extends Error {
  readonly reason: ConnectionError['reason']
  /** Whether provably not one byte left. */
  readonly neverSent: boolean
  readonly status: number | undefined
  constructor(reason: NoAnswer['reason'], cause: unknown, neverSent: boolean, status?: number) {
    super(reason, { cause })
    this.reason = reason
    this.neverSent = neverSent
    this.status = status
  }
}

/** A signer of the caller's may be slow, or never answer: the time limit of an attempt holds for it too. */
async function signInTime(
  config: ResolvedConfig,
  request: WireRequest,
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
): Promise<Record<string, string>> {
  if (!config.signer) return authorize(config, request)
  const deadline = startDeadline(timeoutMs, callerSignal)
  try {
    return await deadline.race(authorize(config, request))
  } catch (cause) {
    const givenUp = deadline.givenUp()
    throw givenUp ? noAnswerError(config, request, 0, new NoAnswer(givenUp, cause, true)) : cause
  } finally {
    deadline.end()
  }
}

async function attemptOnce(
  config: ResolvedConfig,
  request: WireRequest,
  url: string,
  headers: Record<string, string>,
  info: RequestInfo,
  deadline: Deadline,
): Promise<Response> {
  const { signal } = deadline
  if (signal.aborted) throw new NoAnswer('aborted', signal.reason, true)
  tell(config.hooks.onRequest, info)
  const { fetch } = config
  const startedAt = Date.now()
  const init: RequestInit = { method: request.method, headers, signal, redirect: 'manual', keepalive: false }
  // A Blob body is the one form that no runtime sends a second time by itself when a connection drops.
  if (request.method !== 'GET') init.body = new Blob(request.body === undefined ? [] : [request.body])
  let response: Response
  try {
    response = await deadline.race(fetch(url, init))
    if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function') {
      throw new TypeError('The fetch of the configuration answered something that is not a Response.')
    }
  } catch (cause) {
    const givenUp = deadline.givenUp()
    const neverSent = !givenUp && wasNeverSent(cause)
    throw new NoAnswer(givenUp ?? (neverSent ? 'unreachable' : 'interrupted'), cause, neverSent)
  }
  tell(config.hooks.onResponse, {
    ...info,
    status: response.status,
    durationMs: Date.now() - startedAt,
    requestId: requestId(response, sensitiveValues(config, request)),
  })
  return response
}

/** Somebody else's text: hooks get it without secrets, and not at any length. */
function requestId(response: Response, secrets: readonly string[]): string | undefined {
  const id = response.headers.get('x-request-id')
  return id === null ? undefined : redactText(id.slice(0, 200), secrets)
}

async function readAnswer(
  config: ResolvedConfig,
  request: WireRequest,
  response: Response,
  url: string,
  attempts: number,
  deadline: Deadline,
): Promise<Answer> {
  const { status } = response
  if (status >= 300) {
    const location = redirectTarget(response.headers.get('location'), url)
    abandon(response.body)
    if (request.redirectExpected && location && status !== 304) return { status, json: undefined, location, attempts }
    throw unreadable(config, request, attempts, status, 'unexpected_redirect', redirectText(request, status))
  }
  const bytes = await readBody(response, deadline)
  const text = bytes && decodeUtf8(bytes)
  try {
    return { status, json: JSON.parse(text ?? '', cutCardFields), location: undefined, attempts }
  } catch {
    throw unreadable(config, request, attempts, status, 'unreadable_answer', bodyText(request, status, bytes), text)
  }
}

/** The body's bytes; undefined beyond the limit. */
async function readBody(response: Response, deadline: Deadline): Promise<Uint8Array | undefined> {
  try {
    return await deadline.race(readBytes(response, RESPONSE_BYTES))
  } catch (cause) {
    if ((cause as { name?: unknown } | null)?.name === 'TooLargeError') return undefined
    throw new NoAnswer(deadline.givenUp() ?? 'interrupted', cause, false, response.status)
  }
}

function redirectTarget(location: string | null, url: string): string | undefined {
  if (!location) return undefined
  try {
    const target = new URL(location, url)
    return target.protocol === 'https:' || target.protocol === 'http:' ? target.href : undefined
  } catch {
    return undefined
  }
}

function redirectText(request: WireRequest, status: number): string {
  return request.redirectExpected
    ? `${request.operation} was answered with ${status} but without a usable Location.`
    : `${request.operation} was answered with a redirect (${status}), which was not followed: it would have carried your credentials elsewhere.`
}

function bodyText(request: WireRequest, status: number, bytes: Uint8Array | undefined): string {
  const what = bytes === undefined ? `larger than ${RESPONSE_BYTES} bytes` : bytes.length === 0 ? 'empty' : 'not JSON'
  return `${request.operation} was answered with ${status}, but the answer's body is ${what}.`
}

function unreadable(
  config: ResolvedConfig,
  request: WireRequest,
  attempts: number,
  status: number,
  reason: UnknownOutcomeReason,
  what: string,
  text?: string,
): Error {
  const call = { method: request.method, path: request.path, attempts }
  if (request.method !== 'GET') {
    return new OutcomeUnknownError(what, call, { reason, howToFindOut: request.howToFindOut, status })
  }
  const body = text === undefined ? undefined : redactText(text, sensitiveValues(config, request))
  return new UnexpectedResponseError(what, call, { status, issues: [], body })
}

async function refusal(
  config: ResolvedConfig,
  request: WireRequest,
  response: Response,
  attempts: number,
  retryAfter: number | undefined,
  deadline: Deadline,
): Promise<Error> {
  const { status } = response
  const call = { method: request.method, path: request.path, attempts }
  if (request.method !== 'GET' && status >= 500) {
    abandon(response.body)
    return new OutcomeUnknownError(
      `${request.operation} was answered with ${status}, an error inside the service.`,
      call,
      {
        reason: 'server_error',
        howToFindOut: request.howToFindOut,
        status,
      },
    )
  }
  // The status alone already says that it was refused: a body that cannot be read takes nothing away from that.
  const bytes = await readBody(response, deadline).catch(() => undefined)
  const usesDefaultSigner =
    request.authentication === 'hmac' && config.authentication === 'documented' && config.signer === undefined
  return apiError({
    operation: request.operation,
    call,
    status,
    text: (bytes && decodeUtf8(bytes)) ?? '',
    retryAfterMs: retryAfter,
    retryable: status === 429 || status >= 500,
    usesDefaultSigner,
    sensitive: sensitiveValues(config, request),
  })
}

function noAnswerError(config: ResolvedConfig, request: WireRequest, attempts: number, error: NoAnswer): Error {
  const call = { method: request.method, path: request.path, attempts }
  const { reason, cause, status, neverSent } = error
  if (request.method === 'GET' || neverSent || reason === 'unreachable') {
    const what = {
      unreachable: 'could not reach the service; nothing was sent',
      timeout: neverSent ? 'could not be signed in time; nothing was sent' : 'got no complete answer in time',
      aborted: neverSent ? 'was given up before it was sent' : 'was given up by its caller',
      interrupted: 'lost its connection before a complete answer',
    }[reason]
    const origin = new URL(config[request.base] ?? config.baseUrl).origin
    return new ConnectionError(
      `${request.operation} ${what} (${origin}, attempt ${attempts}). Calling again is safe.`,
      call,
      reason,
      cause,
    )
  }
  const what = {
    timeout: `${request.operation} got no complete answer in time.`,
    aborted: `${request.operation} was given up by its caller after it had been sent.`,
    interrupted: `${request.operation} lost its connection before a complete answer.`,
  }[reason]
  return new OutcomeUnknownError(what, call, { reason, howToFindOut: request.howToFindOut, status, cause })
}

function sensitiveValues(config: ResolvedConfig, request: WireRequest): string[] {
  return [config.apiSecret, config.endpointsKey, config.apiKey, ...paymentSecrets(request.body)]
}

function targetUrl(config: ResolvedConfig, request: WireRequest): string {
  const base = config[request.base]
  if (base === undefined) {
    throw new ConfigError(
      'apiUrl',
      `${request.operation} needs apiUrl, the {api_url} of the document: balances have an address of their own.`,
    )
  }
  const url = base + request.path
  // The last guard against a value that changes the path: what a URL parser makes of it must be what was built.
  const parsed = new URL(url)
  if (parsed.origin + parsed.pathname + parsed.search !== url) {
    throw new InvalidInputError(request.operation, [
      { path: 'path', rule: 'a path that stays as it is built, without "." or ".." segments', received: 'string' },
    ])
  }
  return url
}

function checkTimeout(operation: string, timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= 2_147_483_647) return timeoutMs
  throw new InvalidInputError(operation, [
    { path: 'timeoutMs', rule: 'a number of milliseconds from 1 to 2147483647', received: typeof timeoutMs },
  ])
}
