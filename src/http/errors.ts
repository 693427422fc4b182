// Every error of a call is made here, by a function named after its class. Three functions choose the class by the
// possible effect of the request: `noResponse`, `invalidResponse` and `rejectedRequest`.

import {
  ApiError,
  ConnectionError,
  describeIssues,
  type FieldViolation,
  type Issue,
  OutcomeUnknownError,
  type ResponseDetails,
  UnexpectedResponseError,
  type UnknownOutcomeReason,
} from '../errors.ts'
import { paymentSecrets } from '../lib/card-data.ts'
import { isObject } from '../lib/kind.ts'
import { type Redactor, redactor } from '../lib/redact.ts'
import { isSigned } from './auth.ts'
import { wasNotProcessed } from './not-processed.ts'
import { type Answered, type Attempt, callDetails, type RunningAttempt } from './types.ts'

const NO_RESPONSE: Record<ConnectionError['reason'], string> = {
  unreachable: 'could not reach the service',
  timeout: 'got no complete response in time',
  aborted: 'was aborted by the caller',
  interrupted: 'lost its connection before a complete response',
}

/**
 * The kept part of a cause that another party threw: name, message, code and stack, redacted, and the same of the cause
 * below it. A wrapped `fetch` may attach the request, with its credentials.
 */
function foreignCause(attempt: Attempt, cause: unknown, depth = 0): unknown {
  const hide = redactorOf(attempt)
  // Not `instanceof`: a cause may be of another realm, or an object with only a code.
  if (!isObject(cause)) return typeof cause === 'string' ? hide.text(cause) : undefined
  const copy = new Error()
  for (const key of ['name', 'message', 'stack', 'code', 'cause']) {
    const member = cause[key]
    const value =
      key === 'cause' && depth < 3 ? foreignCause(attempt, member, depth + 1) : shown(hide, member, BODY_LENGTH)
    if (value !== undefined) Object.defineProperty(copy, key, { value, enumerable: key === 'code' })
  }
  return copy
}

/** The error of a call that got no response and can have changed nothing. */
export function connectionError(
  attempt: Attempt,
  details: { reason: ConnectionError['reason']; cause: unknown; what?: string | undefined; attempts?: number },
): ConnectionError {
  const { config, request, number } = attempt
  const { reason, cause, what = NO_RESPONSE[reason], attempts = number } = details
  const { origin } = new URL(config[request.base] as string)
  const so = request.method === 'GET' ? '' : '; nothing was processed'
  return new ConnectionError(
    `${request.operation} ${what} (${origin}, attempt ${number})${so}. Calling again is safe.`,
    callDetails(attempt, attempts),
    reason,
    cause,
  )
}

/** The error of a request that may have been processed. `what` completes "createPayment …". */
function outcomeUnknown(
  attempt: Attempt,
  details: ResponseDetails & {
    reason: UnknownOutcomeReason
    what: string
    cause?: unknown
    digest?: string
    issues?: readonly Issue[]
  },
): OutcomeUnknownError {
  const { operation, howToFindOut, subject } = attempt.request
  const { what, ...more } = details
  const sent_at = new Date(attempt.sentAt).toISOString()
  return new OutcomeUnknownError(`${operation} ${what}.`, callDetails(attempt), {
    ...attempt.head,
    ...more,
    ...subject,
    operation,
    howToFindOut,
    sent_at,
  })
}

const POSTPONE = /* @__PURE__ */ Symbol.for('react.postpone')

/**
 * The error of an attempt without a complete response. `processed` is `no` for a POST that provably never left, else
 * `unknown`. A GET changes nothing either way.
 *
 * A framework such as Next steers itself by errors with a `digest`, which it throws through `fetch`. A GET passes such
 * an error on untouched, and the error of a POST repeats its `digest`. Every call passes on React's signal to postpone
 * a rendering.
 */
export function noResponse(
  attempt: RunningAttempt,
  details: { processed: 'no' | 'unknown'; cause: unknown; what?: string | undefined },
): unknown {
  const { processed, cause: thrown } = details
  const { deadline, request } = attempt
  const stopped = deadline.stopReason()
  const { digest, $$typeof } = (isObject(thrown) ? thrown : {}) as { digest?: unknown; $$typeof?: unknown }
  const isSteering = !stopped && typeof digest === 'string'
  if ($$typeof === POSTPONE || (isSteering && request.method === 'GET')) return thrown
  const cause = thrown === deadline.signal.reason ? thrown : foreignCause(attempt, thrown)
  if (request.method === 'GET' || (processed === 'no' && !isSteering)) {
    const lost = processed === 'no' ? 'unreachable' : 'interrupted'
    return connectionError(attempt, { reason: stopped ?? lost, cause, what: details.what })
  }
  const reason = stopped ?? 'interrupted'
  return outcomeUnknown(attempt, {
    reason,
    what: details.what ?? NO_RESPONSE[reason],
    cause,
    ...(isSteering && { digest }),
  })
}

/** The error of a response that has a status. `what` completes "createPayment got 200". */
export interface InvalidResponse extends ResponseDetails {
  reason: 'unreadable_response' | 'unexpected_redirect'
  what: string
  issues?: readonly Issue[]
}

/**
 * The error of a response that cannot be understood: of a GET an `UnexpectedResponseError`, of anything else an
 * `OutcomeUnknownError`, because the effect of the request is unknown. The body and the location are redacted here.
 */
export function invalidResponse(
  attempt: Answered,
  { reason, what, issues = [], body, location }: InvalidResponse,
): OutcomeUnknownError | UnexpectedResponseError {
  const hide = redactorOf(attempt)
  const received = {
    issues,
    body: hide.value(body, BODY_LENGTH),
    location: location === undefined ? undefined : hide.text(location, LOCATION_LENGTH),
  }
  const got = `got ${attempt.head.status}${what}${issues.length > 0 ? `: ${describeIssues(issues)}` : ''}`
  if (attempt.request.method !== 'GET') return outcomeUnknown(attempt, { ...received, reason, what: got })
  return new UnexpectedResponseError(`${attempt.request.operation} ${got}.`, callDetails(attempt), {
    ...attempt.head,
    ...received,
  })
}

/** Characters of a body that an error keeps. */
const BODY_LENGTH = 65_536
const LOCATION_LENGTH = 2048
/** Characters of the service's own message, and of each of its short texts, that an error repeats. */
const MESSAGE_LENGTH = 1000
const TEXT_LENGTH = 200
const VIOLATIONS = 50
/** Violations that the message names; `violations` has the others. */
const VIOLATIONS_NAMED = 5

/** A response from 400 on. */
export interface Rejection {
  /** The body, as far as it could be read. */
  text: string
  retryAfterMs: number | undefined
}

/**
 * The error of a rejected request, from any body. The API document does not show error bodies: the shapes come from
 * other public material, so each is tried and none is relied upon.
 */
function apiError(attempt: Answered, { text, retryAfterMs }: Rejection): ApiError {
  const { request, head } = attempt
  const { status } = head
  const hide = redactorOf(attempt)
  const body = parse(text)
  const { message, args } = isObject(body) ? body : ({} as Record<string, unknown>)
  const apiMessage = shown(hide, message, MESSAGE_LENGTH)
  const apiCode = shown(hide, (args as { code?: unknown } | null | undefined)?.code, TEXT_LENGTH)
  const violations = violationsOf(hide, args)
  const where =
    status === 404 ? ` at ${hide.text(`${attempt.config[request.base]}${request.path}`, LOCATION_LENGTH)}` : ''
  const said = [apiMessage, apiCode].filter(Boolean).join(', ')
  const named = violations
    .filter(({ violation }) => violation !== apiMessage)
    .slice(0, VIOLATIONS_NAMED)
    .map(({ field_name, violation }) => (field_name ? `${field_name}: ${violation}` : violation))
  const what = `${request.operation} was rejected with ${status}${where}`
  const sentences =
    sentence(said ? `${what}: ${said}` : what) + (named.length > 0 ? sentence(` ${named.join('; ')}`) : '')
  return new ApiError(sentences + hint(attempt, status, apiCode, apiMessage), callDetails(attempt), {
    ...head,
    apiCode,
    apiMessage,
    violations,
    retryable: isRetryable(status),
    retryAfterMs,
    body: hide.value(body, BODY_LENGTH),
  })
}

/** The service's own message may end with a full stop. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/**
 * The error of a status from 400 on: final for a GET and for a status that means "not processed", else an unknown
 * outcome.
 */
export function rejectedRequest(attempt: Answered, response: Rejection): ApiError | OutcomeUnknownError {
  const { status } = attempt.head
  if (attempt.request.method === 'GET' || wasNotProcessed(status)) return apiError(attempt, response)
  const reason = status >= 500 ? 'server_error' : 'ambiguous_status'
  const body = redactorOf(attempt).value(parse(response.text), BODY_LENGTH)
  return outcomeUnknown(attempt, { reason, what: `got ${status}`, body })
}

/** Whether a GET, which changes nothing, may succeed when it is sent again. A POST is only sent again after a 429. */
export function isRetryable(status: number): boolean {
  return status === 429 || status === 408 || status >= 500
}

function hint({ config, request }: Attempt, status: number, apiCode?: string, apiMessage = ''): string {
  if (apiCode === 'P-409')
    return ' An earlier call may have been paid: look the order up. Use another order_id only if that one failed.'
  if (status === 404 && request.base === 'apiUrl' && config.apiUrl === config.baseUrl)
    return ' apiUrl is a separate address, not that of baseUrl.'
  if (status !== 401) return ''
  const check = ' Check posId, apiKey, apiSecret and endpointsKey.'
  const isNamed = /api-key|endpoints|pos_id|\bpos\b/i.test(apiMessage)
  return config.given.signer || !isSigned(config, request) || isNamed
    ? check
    : `${check} If they are right, the signature, an assumption, is not: try authentication: "plain", or a signer.`
}

/** `Retry-After` in milliseconds: whole seconds, or an HTTP date. Undefined when absent or neither. */
export function retryAfterMs(value: string): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Only the forms of an HTTP date: an engine's Date.parse reads a date into "-1" and "1.5" too.
  const date = /^[A-Z][a-z]{2} .+:\d\d \d{4}$/.test(value) ? `${value} GMT` : value
  const at = Date.parse(/^[A-Z][a-z]{2,8}[, ].+ GMT$/.test(date) ? date : '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Hides values that the service may echo and that no error and no hook may show. */
export function redactorOf({ config, request }: Attempt): Redactor {
  const { apiSecret, endpointsKey, apiKey } = config.given
  return redactor([apiSecret, endpointsKey, apiKey, ...paymentSecrets(request.body)])
}

/** JSON if the text is JSON, else the text; undefined for an empty body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text === '' ? undefined : text
  }
}

function shown(hide: Redactor, value: unknown, limit: number): string | undefined {
  return typeof value === 'string' ? hide.text(value, limit) : undefined
}

function violationsOf(hide: Redactor, args: unknown): FieldViolation[] {
  const found: FieldViolation[] = []
  for (const entry of [args].flat()) {
    const { field_name, violation, msg } = (entry ?? {}) as { field_name?: unknown; violation?: unknown; msg?: unknown }
    for (const text of [violation, msg].flat()) {
      if (found.length === VIOLATIONS) return found
      const what = shown(hide, text, TEXT_LENGTH)
      if (what !== undefined) found.push({ field_name: shown(hide, field_name, TEXT_LENGTH) ?? '', violation: what })
    }
  }
  return found
}
