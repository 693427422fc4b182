import { type ClientConfig, type ResolvedConfig, resolveConfig, TIMEOUT_LIMIT_MS } from '../config.ts'
import { ConnectionError } from '../errors.ts'
import { callHook, type RequestInfo } from '../hooks.ts'
import { abandon } from '../lib/read-bytes.ts'
import { rejectInput } from '../schemas/input.ts'
import { addressOf } from './address.ts'
import { authorize } from './auth.ts'
import { readErrorText, readJson } from './body.ts'
import { sleep, startDeadline } from './deadline.ts'
import {
  connectionError,
  invalidResponse,
  isRetryable,
  noResponse,
  redactorOf,
  rejectedRequest,
  retryAfterMs,
} from './errors.ts'
import { wasNeverSent } from './never-sent.ts'
import { checkOptions } from './options.ts'
import type { Answered, Attempt, CallOptions, Head, ParsedResponse, RunningAttempt, WireRequest } from './types.ts'

const BACKOFF_MS = 500
const BACKOFF_LIMIT_MS = 8_000
/** If a server wants a longer pause, the call ends, and the error has the time to wait. */
const RETRY_AFTER_LIMIT_MS = 60_000
/** Characters of a request id that hooks and errors get. */
const REQUEST_ID_LENGTH = 200

/** An operation of the client, without the parts that all operations share. */
type Operation<Input, Result> = (config: ResolvedConfig, input: Input, options: CallOptions) => Promise<Result>

/**
 * Runs an operation with its options checked. Its error goes to `onError` too; a wrong configuration has no hooks yet.
 */
export async function call<Input, Result>(
  name: string,
  run: Operation<Input, Result>,
  config: ClientConfig,
  input: Input,
  options: CallOptions,
): Promise<Result> {
  const resolved = resolveConfig(config)
  try {
    return await run(resolved, input, checkOptions(name, options))
  } catch (error) {
    callHook(resolved.given.onError, { operation: name, error })
    throw error
  }
}

/** A call with its limits. */
interface Call extends Omit<Attempt, 'number' | 'sentAt'> {
  url: string
  signal: AbortSignal | undefined
  maxRetries: number
  timeoutMs: number
  /** Milliseconds that are left for the whole call. */
  remainingMs: () => number
}

/** Why an attempt is followed by another. */
interface Retry {
  status: number | undefined
  delayMs: number
}

/**
 * Sends a request and reads its response. A POST is sent again only after a 429; a GET also after a network failure, a
 * 408 or a 5xx.
 *
 * @throws {ConnectionError} a GET without a response, or a POST that provably never left.
 * @throws {OutcomeUnknownError} a POST that may have been processed.
 * @throws {ApiError} a rejected request that was not processed, or a GET that keeps failing.
 * @throws {UnexpectedResponseError} a GET's response that is not JSON.
 */
export async function send(
  config: ResolvedConfig,
  request: WireRequest,
  options: CallOptions,
): Promise<ParsedResponse> {
  if (options.passThrough && request.body === undefined) {
    rejectInput(request.operation, 'passThrough', 'must be left out: there is no body', options.passThrough)
  }
  const { signal } = options
  // The first read loads `init` from the runtime, which takes Node milliseconds: they must not count for an attempt.
  void config.init
  const deadlineMs = options.deadlineMs ?? config.deadlineMs
  const startedAt = Date.now()
  const current: Call = {
    config,
    request,
    callId: crypto.randomUUID(),
    url: addressOf(config, request),
    signal,
    maxRetries: options.maxRetries ?? config.maxRetries,
    timeoutMs: options.timeoutMs ?? config.timeoutMs,
    remainingMs: () => (deadlineMs === undefined ? TIMEOUT_LIMIT_MS : startedAt + deadlineMs - Date.now()),
  }
  for (let number = 1; ; number++) {
    const outcome = await attemptOnce(current, number)
    if ('response' in outcome) return outcome.response
    callHook(config.given.onRetry, { ...infoOf(current, number), ...outcome.retry })
    // An abort during the pause ends the next attempt before anything is sent.
    await sleep(outcome.retry.delayMs, signal)
  }
}

async function attemptOnce(call: Call, number: number): Promise<{ response: ParsedResponse } | { retry: Retry }> {
  const { config, request, callId } = call
  const deadline = startDeadline(Math.min(call.timeoutMs, Math.max(0, call.remainingMs())), call.signal)
  const attempt: RunningAttempt = { config, request, callId, number, deadline, sentAt: Date.now() }
  const retryAfter = (status: number | undefined, delayMs: number): Retry | undefined =>
    number <= call.maxRetries && delayMs < call.remainingMs() ? { status, delayMs } : undefined
  try {
    const headers = await sign(attempt)
    const { response, head } = await exchange(attempt, call.url, headers)
    const { status } = head
    const answered = { ...attempt, head }
    if (status < 400) return { response: await readSuccess(answered, response, call.url) }
    const requestedMs = retryAfterMs(response.headers.get('retry-after') ?? '')
    const mayRepeat = status === 429 || (request.method === 'GET' && isRetryable(status))
    const retry =
      mayRepeat && (requestedMs ?? 0) <= RETRY_AFTER_LIMIT_MS
        ? retryAfter(status, requestedMs ?? backoff(config, number))
        : undefined
    if (retry) {
      abandon(response.body)
      return { retry }
    }
    throw rejectedRequest(answered, { text: await readErrorText(answered, response), retryAfterMs: requestedMs })
  } catch (error) {
    const retry = wasLost(attempt, error) ? retryAfter(undefined, backoff(config, number)) : undefined
    if (!retry) throw error
    return { retry }
  } finally {
    deadline.end()
  }
}

/** Whether a GET was sent and got no response, while its caller still waits for one. */
function wasLost({ request, number }: RunningAttempt, error: unknown): boolean {
  const lost = error instanceof ConnectionError && error.reason !== 'aborted' && error.attempts === number
  return lost && request.method === 'GET'
}

function backoff(config: ResolvedConfig, number: number): number {
  return Math.floor((config.given.random ?? Math.random)() * Math.min(BACKOFF_LIMIT_MS, BACKOFF_MS * 2 ** (number - 1)))
}

/** The headers of an attempt. Each attempt gets a new signature; a caller's signer counts towards the time limit. */
async function sign(attempt: RunningAttempt): Promise<Record<string, string>> {
  const { config, request, number, deadline } = attempt
  try {
    return await deadline.race(authorize(config, request))
  } catch (cause) {
    const reason = deadline.stopReason()
    if (!reason) throw cause
    const what = reason === 'timeout' ? 'was not signed in time' : undefined
    throw connectionError(attempt, { reason, cause, what, attempts: number - 1 })
  }
}

async function exchange(
  attempt: RunningAttempt,
  url: string,
  headers: Record<string, string>,
): Promise<{ response: Response; head: Head }> {
  const { config, request, number, deadline } = attempt
  const { method, body, idempotent } = request
  // Call it as a plain function: workerd's fetch throws when it is called as a method of another object.
  const { fetch = globalThis.fetch } = config.given
  const info = infoOf(attempt, number)
  callHook(config.given.onRequest, info)
  deadline.check()
  if (deadline.stopReason()) throw noResponse(attempt, { processed: 'no', cause: deadline.signal.reason })
  const startedAt = Date.now()
  const init: RequestInit = { ...config.init, method, headers, signal: deadline.signal }
  // Deno sends an empty Blob chunked, which many gateways reject: a request that may be repeated has empty bytes
  // instead.
  if (method !== 'GET') init.body = body !== undefined || !idempotent ? config.bodyOf(body ?? '') : new Uint8Array()
  let what: string | undefined
  try {
    const response = await deadline.race(fetch(url, init))
    if (!isFresh(response)) {
      what = 'got no fresh Response from the configured `fetch`'
      throw new TypeError(what)
    }
    const { status } = response
    const durationMs = Date.now() - startedAt
    const id = response.headers.get('x-request-id')
    // Another party's text: hooks and errors get it without secrets and cut to length.
    const requestId = id ? redactorOf(attempt).text(id).slice(0, REQUEST_ID_LENGTH) : undefined
    const head = { status, requestId }
    callHook(config.given.onResponse, { ...info, ...head, durationMs })
    return { response, head }
  } catch (cause) {
    const processed = !deadline.stopReason() && wasNeverSent(cause) ? 'no' : 'unknown'
    throw noResponse(attempt, { processed, cause, what })
  }
}

/** Whether a response can be read. A stub's or another library's may not, nor can one that was read before. */
function isFresh(response: Response | undefined): boolean {
  const { status, headers, body, bodyUsed } = response ?? ({} as Response)
  const isOne = Number.isInteger(status) && status >= 200 && typeof headers?.get === 'function'
  return isOne && (body === null || !!body?.getReader) && !bodyUsed
}

async function readSuccess(
  attempt: RunningAttempt & Answered,
  response: Response,
  url: string,
): Promise<ParsedResponse> {
  const { request, head } = attempt
  if (head.status < 300) return { attempt, json: await readJson(attempt, response), location: undefined }
  abandon(response.body)
  const header = response.headers.get('location') ?? ''
  const location = httpAddress(header, url)
  if (request.redirectExpected && location && head.status !== 304) return { attempt, json: undefined, location }
  const what = request.redirectExpected ? ' without a usable Location' : ', a redirect, which was not followed'
  throw invalidResponse(attempt, {
    reason: 'unexpected_redirect',
    what,
    location: location ?? (header || undefined),
  })
}

function httpAddress(location: string, url: string): string | undefined {
  if (location === '' || !URL.canParse(location, url)) return undefined
  const { href } = new URL(location, url)
  return /^https?:/.test(href) ? href : undefined
}

function infoOf({ request, callId }: Pick<Attempt, 'request' | 'callId'>, attempt: number): RequestInfo {
  const { operation, method, path, template = path } = request
  return { operation, callId, method, path, template, attempt }
}
