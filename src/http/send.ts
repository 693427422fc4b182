import * as v from 'valibot'
import { type ResolvedConfig, TIMEOUT_LIMIT_MS } from '../config.ts'
import { ConfigError, ConnectionError } from '../errors.ts'
import { type RequestInfo, tell } from '../hooks.ts'
import { isObject } from '../lib/kind.ts'
import { RESPONSE_BYTES } from '../lib/limits.ts'
import { abandon, readBytes, TooLargeError } from '../lib/read-bytes.ts'
import { cutDeepCardData, redactText } from '../lib/redact.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import { anObject, define, fieldsOf, must, noUnknownOption, objectMessage, type Schema } from '../schemas/fields.ts'
import { checkInput, rejectInput, wholeNumber } from '../schemas/input.ts'
import { authorize } from './auth.ts'
import { startDeadline, wait } from './deadline.ts'
import { apiError, retryAfterMs } from './errors.ts'
import { noAnswer, sensitiveValues, unknownOutcome, unreadable } from './failure.ts'
import { wasNeverSent } from './never-sent.ts'
import type { Answer, CallOptions, Exchange, WireRequest } from './types.ts'

const optionFields = /* @__PURE__ */ define(() =>
  fieldsOf<CallOptions>()({
    signal: v.optional(v.custom<AbortSignal>(isSignal, must('be an AbortSignal (the `signal` of an AbortController)'))),
    timeoutMs: v.optional(wholeNumber(1, TIMEOUT_LIMIT_MS)),
    passThrough: v.optional(v.custom<Record<string, unknown>>(isObject, must('be a plain object of extra fields'))),
  }),
)

const optionsSchema: Schema<CallOptions> = /* @__PURE__ */ define(() =>
  v.pipe(anObject, noUnknownOption(Object.keys(optionFields)), v.looseObject(optionFields, objectMessage)),
)

function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
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
  const { operation, method, path, body } = request
  const { signal: callerSignal, passThrough } = options
  const timeoutMs = options.timeoutMs ?? config.timeoutMs
  const url = targetUrl(config, request)
  if (passThrough && body === undefined) {
    rejectInput(operation, 'passThrough', 'must be left out: this request has no body', passThrough)
  }
  checkInput(operation, optionsSchema, options)
  const repeatable = method === 'GET'
  const headers = await (config.signer
    ? signInTime({ config, request, attempts: 0, deadline: startDeadline(timeoutMs, callerSignal), sentAt: Date.now() })
    : authorize(config, request))
  for (let attempts = 1; ; attempts++) {
    const deadline = startDeadline(timeoutMs, callerSignal)
    const exchange: Exchange = { config, request, attempts, deadline, sentAt: Date.now() }
    const info: RequestInfo = { operation, method, path, attempt: attempts }
    const mayRepeat = attempts <= config.maxRetries
    let status: number | undefined
    let delayMs = Math.floor(config.random() * Math.min(BACKOFF_LIMIT_MS, BACKOFF_MS * 2 ** (attempts - 1)))
    try {
      const response = await attemptOnce(exchange, url, headers, info)
      status = response.status
      if (status < 400) return await readAnswer(exchange, response, url)
      const asked = retryAfterMs(response.headers.get('retry-after') ?? '')
      const waitable = mayRepeat && (asked ?? 0) <= RETRY_AFTER_LIMIT_MS
      if (!waitable || !(status === 429 || (repeatable && status >= 500))) {
        throw await refusal(exchange, response, asked)
      }
      abandon(response.body)
      delayMs = asked ?? delayMs
    } catch (error) {
      // A caller that gave up has nobody left to try again for.
      const lost = error instanceof ConnectionError && error.reason !== 'aborted'
      if (!repeatable || !mayRepeat || !lost) throw error
      status = undefined
    } finally {
      deadline.end()
    }
    tell(config.hooks.onRetry, { ...info, delayMs, status })
    const pause = await wait(delayMs, callerSignal)
    // Everything before this pause was answered or could not change anything, so nothing is unknown.
    if (pause.givenUp() === 'aborted') throw noAnswer({ ...exchange, deadline: pause }, callerSignal?.reason, true)
  }
}

/** A signer of the caller's may be slow, or never answer: the time limit of an attempt holds for it too. */
async function signInTime(exchange: Exchange): Promise<Record<string, string>> {
  const { config, request, deadline } = exchange
  try {
    return await deadline.race(authorize(config, request))
  } catch (cause) {
    throw deadline.givenUp() ? noAnswer(exchange, cause, true) : cause
  } finally {
    deadline.end()
  }
}

async function attemptOnce(
  exchange: Exchange,
  url: string,
  headers: Record<string, string>,
  info: RequestInfo,
): Promise<Response> {
  const { config, request, deadline } = exchange
  const { hooks, fetch } = config
  const { method, body } = request
  const { signal } = deadline
  if (signal.aborted) throw noAnswer(exchange, signal.reason, true)
  tell(hooks.onRequest, info)
  const startedAt = Date.now()
  const init: RequestInit = { method, headers, signal, redirect: 'manual', keepalive: false }
  // A Blob body is the one form that no runtime sends a second time by itself when a connection drops.
  if (method !== 'GET') init.body = new Blob(body === undefined ? [] : [body])
  try {
    const response = await deadline.race(fetch(url, init))
    const { status } = response
    if (!Number.isInteger(status)) throw new TypeError('fetch answered no Response.')
    // Somebody else's text: hooks get it without secrets, and not at any length.
    const id = response.headers.get('x-request-id')?.slice(0, 200)
    const requestId = id && redactText(id, sensitiveValues(exchange))
    tell(hooks.onResponse, { ...info, status, durationMs: Date.now() - startedAt, requestId })
    return response
  } catch (cause) {
    throw noAnswer(exchange, cause, !deadline.givenUp() && wasNeverSent(cause))
  }
}

async function readAnswer(exchange: Exchange, response: Response, url: string): Promise<Answer> {
  const { request, attempts, sentAt } = exchange
  const { status } = response
  if (status >= 300) {
    const location = redirectTarget(response.headers.get('location'), url)
    abandon(response.body)
    if (request.redirectExpected && location && status !== 304)
      return { status, json: undefined, location, attempts, sentAt }
    const what = request.redirectExpected
      ? `${status} but without a usable Location`
      : `a redirect (${status}), not followed: it would carry your credentials elsewhere`
    throw unreadable(exchange, status, 'unexpected_redirect', what)
  }
  const bytes = await readBody(exchange, response)
  const text = bytes && decodeUtf8(bytes)
  try {
    const json: unknown = JSON.parse(text ?? '')
    cutDeepCardData(json)
    return { status, json, location: undefined, attempts, sentAt }
  } catch {
    const fault = !bytes ? `larger than ${RESPONSE_BYTES} bytes` : bytes.length ? 'not JSON' : 'empty'
    const what = `${status}, but its body is ${fault}`
    throw unreadable(exchange, status, 'unreadable_answer', what, text)
  }
}

/** The body's bytes; undefined beyond the limit. */
async function readBody(exchange: Exchange, response: Response): Promise<Uint8Array | undefined> {
  try {
    return await exchange.deadline.race(readBytes(response, RESPONSE_BYTES))
  } catch (cause) {
    if (cause instanceof TooLargeError) return undefined
    throw noAnswer(exchange, cause, false, response.status)
  }
}

function redirectTarget(location: string | null, url: string): string | undefined {
  if (!location || !URL.canParse(location, url)) return undefined
  const { href } = new URL(location, url)
  return /^https?:/.test(href) ? href : undefined
}

async function refusal(exchange: Exchange, response: Response, retryAfter: number | undefined): Promise<Error> {
  const { request } = exchange
  const { status } = response
  if (request.method !== 'GET' && status >= 500) {
    abandon(response.body)
    const what = `was answered with ${status}, an error inside the service`
    return unknownOutcome(exchange, 'server_error', what, status)
  }
  // The status alone already says that it was refused: a body that cannot be read takes nothing away from that.
  const bytes = await readBody(exchange, response).catch(() => undefined)
  return apiError(exchange, status, (bytes && decodeUtf8(bytes)) ?? '', retryAfter)
}

function targetUrl(config: ResolvedConfig, { operation, base, path }: WireRequest): string {
  const address = config[base]
  if (address === undefined) {
    throw new ConfigError('apiUrl', `${operation} needs apiUrl, which is a separate address.`)
  }
  const url = address + path
  // The last guard against a value that changes the path: what a URL parser makes of it must be what was built.
  const { origin, pathname, search } = new URL(url)
  if (origin + pathname + search !== url) {
    rejectInput(operation, 'path', 'must be a path without "." or ".." segments', path)
  }
  return url
}
