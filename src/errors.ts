/**
 * Every error of the package. Each has a literal `name` and a literal `code` (minifiers destroy `constructor.name`, and
 * several entries of the package have their own copy of the classes), so the `isX` guards go by `name` and `code`.
 */

import { isBuiltIn } from './lib/kind.ts'

/** The `code` of every error that this package throws. */
export type ErrorCode =
  | 'config'
  | 'invalid_input'
  | 'connection'
  | 'outcome_unknown'
  | 'api'
  | 'unexpected_response'
  | 'webhook_verification'

/** The members that all errors of this package share. */
export abstract class EdgetillError extends Error {
  /** The kind of the error; stable across versions, bundlers and minifiers. */
  abstract readonly code: ErrorCode

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
  }
}

/** One thing that is wrong with an input or a response. It never holds the value itself. */
export interface Issue {
  /** Where, from the outside in: `split[0].amount`. Empty for the whole value. */
  path: string
  /** The mistake, for people: `must be positive, not negative`, `is required`, `the card has expired`. */
  message: string
  /**
   * The kind of the value: `missing`, `null`, `string of 3 characters`, `negative number`, `array` … never its content.
   */
  received: string
}

/**
 * The configuration is invalid (a URL or a credential is missing, malformed or unsafe), or a receiver of webhooks
 * passes something that is not a webhook's form or request. Fix the option or argument that `field` names. Thrown
 * before anything is sent.
 */
export class ConfigError extends EdgetillError {
  override readonly name = 'ConfigError'
  readonly code = 'config'
  /** The option or argument to fix, such as `baseUrl`. */
  readonly field: string

  constructor(field: string, message: string, cause?: unknown) {
    super(message, cause)
    this.field = field
  }
}

/** The input of a call or of a helper breaks a rule of the API document. A call throws it before anything is sent. */
export class InvalidInputError extends EdgetillError {
  override readonly name = 'InvalidInputError'
  readonly code = 'invalid_input'
  /** Everything that is wrong, each with its field's path. No value is kept. */
  readonly issues: readonly Issue[]

  /** `isCall` adds that nothing was sent, which a helper never does. */
  constructor(operation: string, issues: readonly Issue[], isCall = false) {
    const sent = isCall ? ', nothing was sent' : ''
    super(`Invalid input for ${operation}${sent}: ${describeIssues(issues)}.`)
    this.issues = issues
  }
}

/** The call that an error belongs to. */
export interface CallDetails {
  /** The HTTP verb. */
  method: string
  /** The path below the base address, without a host. */
  path: string
  /** How many attempts of the request were made. */
  attempts: number
  /** The id of the call, a UUID, as the hooks receive it. */
  callId?: string | undefined
}

/**
 * There was no response, and nothing can have changed: a GET failed (after its retries), or a POST provably never left
 * this machine (connection refused, host not found, aborted before it was sent). Calling again is safe. `cause` is the
 * runtime's own error.
 */
export class ConnectionError extends EdgetillError implements CallDetails {
  override readonly name = 'ConnectionError'
  readonly code = 'connection'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  declare readonly callId: string | undefined
  /** Why there was no response. */
  declare readonly reason: 'unreachable' | 'timeout' | 'aborted' | 'interrupted'

  constructor(message: string, call: CallDetails, reason: ConnectionError['reason'], cause: unknown) {
    super(message, cause)
    Object.assign(this, call, { reason })
  }
}

/** The response that an error is about. Secrets and card data are cut out everywhere. */
export interface ResponseDetails {
  /** `x-request-id` of the response, for the service's support. */
  requestId?: string | undefined
  /** The body: parsed JSON, or a text; at most about 64,000 characters. Undefined when there was no body. */
  body?: unknown
  /** The address of a redirect that is not a checkout. It was not followed. */
  location?: string | undefined
}

/** Why the outcome of a request is not known. */
export type UnknownOutcomeReason =
  | 'timeout'
  | 'aborted'
  | 'interrupted'
  | 'server_error'
  | 'ambiguous_status'
  | 'unreadable_response'
  | 'unexpected_redirect'

/**
 * The request may have been processed, and no response confirms it: money may have moved. Do NOT simply call again;
 * `howToFindOut` (also part of the message) names the way to learn the state first.
 */
export class OutcomeUnknownError extends EdgetillError implements CallDetails {
  override readonly name = 'OutcomeUnknownError'
  readonly code = 'outcome_unknown'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  declare readonly callId: string | undefined
  /** The known cause. */
  declare readonly reason: UnknownOutcomeReason
  /** How to learn whether it was processed. */
  declare readonly howToFindOut: string
  /** The HTTP status, when there was one. */
  declare readonly status: number | undefined
  /** The function that was called, such as `capturePayment`. */
  declare readonly operation: string
  /** The order that it was about; undefined for `request` and `cancelRecurring`. */
  declare readonly order_id: string | undefined
  /** The POS that the call named; undefined for the configuration's POS. */
  declare readonly pos_id: string | undefined
  /**
   * The amount that was sent, in the currency's unit; undefined if the request had no amount (a full capture or refund,
   * a void).
   */
  declare readonly amount: number | undefined
  /** Its currency, ISO 4217. */
  declare readonly currency: string | undefined
  /** When the last attempt was sent: ISO 8601 in UTC, by this machine's clock. */
  declare readonly sent_at: string
  /** The fields that the response lacks, when it could be read as JSON; else empty. */
  declare readonly issues: readonly Issue[]
  /** `x-request-id` of the response, when there was one, for the service's support. */
  declare readonly requestId: string | undefined
  /** The body; see {@link ResponseDetails}. Not enumerable, so that it does not reach a log by accident. */
  declare readonly body: unknown
  /** The address of a redirect that was rejected, without secrets. It was not followed. Not enumerable. */
  declare readonly location: string | undefined
  /** The `digest` of an error by which a framework steers itself through `fetch`; Next looks for it. Not enumerable. */
  declare readonly digest?: string

  constructor(
    what: string,
    call: CallDetails,
    details: ResponseDetails & {
      digest?: string
      reason: UnknownOutcomeReason
      howToFindOut: string
      status?: number | undefined
      cause?: unknown
      operation: string
      order_id?: string
      pos_id?: string | undefined
      amount?: number | undefined
      currency?: string | undefined
      sent_at: string
      issues?: readonly Issue[]
    },
  ) {
    super(`${what} Whether it was processed is unknown. ${details.howToFindOut}`, details.cause)
    const { body, location, digest, cause: _, ...shown } = details
    Object.assign(this, call, { issues: [] }, shown)
    hide(this, { body, location })
    // Else the framework gives it one.
    if (digest !== undefined) hide(this, { digest })
  }
}

/** One field that the service complains about. */
export interface FieldViolation {
  /** The field, under its wire name; empty when the service named none. */
  field_name: string
  /** The mistake, in the service's words. */
  violation: string
}

/**
 * The service rejected the request. A POST that ends here was not processed: its status means so by definition (400,
 * 401, 404, 409, 429 …). A GET that keeps failing with a 408 or a 5xx ends here too.
 */
export class ApiError extends EdgetillError implements CallDetails {
  override readonly name = 'ApiError'
  readonly code = 'api'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  declare readonly callId: string | undefined
  /** The HTTP status. */
  declare readonly status: number
  /** The service's own code, such as `P-409` (`args.code` of its response), when it sent one. */
  declare readonly apiCode: string | undefined
  /** The service's own message, when it sent one; at most 1,000 characters. */
  declare readonly apiMessage: string | undefined
  /** The fields that the service complains about, at most 50; empty when it named none. */
  declare readonly violations: readonly FieldViolation[]
  /** Whether the same request may succeed later (429; 408 and 5xx of a GET). */
  declare readonly retryable: boolean
  /** Milliseconds that the service asked to wait (`Retry-After`), when it did. */
  declare readonly retryAfterMs: number | undefined
  /** `x-request-id` of the response, when there was one, for the service's support. */
  declare readonly requestId: string | undefined
  /** The body; see {@link ResponseDetails}. Not enumerable, so that it does not reach a log by accident. */
  declare readonly body: unknown

  constructor(
    message: string,
    call: CallDetails,
    details: Pick<ResponseDetails, 'requestId' | 'body'> & {
      status: number
      apiCode: string | undefined
      apiMessage: string | undefined
      violations: readonly FieldViolation[]
      retryable: boolean
      retryAfterMs: number | undefined
    },
  ) {
    super(message)
    const { body, ...shown } = details
    Object.assign(this, call, shown)
    hide(this, { body })
  }
}

/**
 * The response to a GET does not match the documented shape, so nothing was changed. `body` has the response. (A POST
 * in this situation throws an {@link OutcomeUnknownError}.)
 */
export class UnexpectedResponseError extends EdgetillError implements CallDetails {
  override readonly name = 'UnexpectedResponseError'
  readonly code = 'unexpected_response'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  declare readonly callId: string | undefined
  /** The HTTP status. */
  declare readonly status: number
  /** The differences from the API document. */
  declare readonly issues: readonly Issue[]
  /** `x-request-id` of the response, when there was one, for the service's support. */
  declare readonly requestId: string | undefined
  /** The body; see {@link ResponseDetails}. Not enumerable, so that it does not reach a log by accident. */
  declare readonly body: unknown
  /** The address of a redirect, which was not followed, without secrets. Not enumerable. */
  declare readonly location: string | undefined

  constructor(
    message: string,
    call: CallDetails,
    details: ResponseDetails & { status: number; issues: readonly Issue[] },
  ) {
    super(message)
    const { body, location, ...shown } = details
    Object.assign(this, call, shown)
    hide(this, { body, location })
  }
}

/** Defines members that are not enumerable: no log, no JSON and no copy takes them along by accident. */
function hide(error: object, members: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(error, name, { value })
}

/** Why a webhook was rejected, or could not be read although its signature is right. */
export type WebhookRejection =
  | 'missing_field'
  | 'duplicate_field'
  | 'signature_length'
  | 'signature_alphabet'
  | 'signature_mismatch'
  | 'plus_became_space'
  | 'not_base64url'
  | 'not_utf8'
  | 'not_json'
  | 'too_large'
  | 'content_type'
  | 'method'
  | 'incomplete'

/**
 * A webhook was rejected (`verified: false`: respond with a 4xx and forget it), or it is genuine but cannot be read
 * (`verified: true`: keep `data`, it is the only copy).
 */
export class WebhookVerificationError extends EdgetillError {
  override readonly name = 'WebhookVerificationError'
  readonly code = 'webhook_verification'
  /** The exact mistake. */
  readonly reason: WebhookRejection
  /** Whether the signature was right. */
  readonly verified: boolean
  /** The raw `data` when `verified`, else undefined. Not enumerable: it holds a customer's data. */
  declare readonly data: string | undefined

  constructor(reason: WebhookRejection, message: string, verifiedData?: string) {
    super(message)
    this.reason = reason
    this.verified = verifiedData !== undefined
    hide(this, { data: verifiedData })
  }
}

// The name too: other libraries have errors with the code "config", "api" or "connection".
const isOurs = (error: unknown, name: string, code: ErrorCode): boolean =>
  isBuiltIn(error, 'Error') && (error as Error).name === name && (error as { code?: unknown }).code === code

/** Whether `error` is a {@link ConfigError}, also across two copies of the package. */
export const isConfigError = (error: unknown): error is ConfigError => isOurs(error, 'ConfigError', 'config')
/** Whether `error` is an {@link InvalidInputError}, also across two copies of the package. */
export const isInvalidInputError = (error: unknown): error is InvalidInputError =>
  isOurs(error, 'InvalidInputError', 'invalid_input')
/** Whether `error` is a {@link ConnectionError}, also across two copies of the package. */
export const isConnectionError = (error: unknown): error is ConnectionError =>
  isOurs(error, 'ConnectionError', 'connection')
/** Whether `error` is an {@link OutcomeUnknownError}, also across two copies of the package. */
export const isOutcomeUnknownError = (error: unknown): error is OutcomeUnknownError =>
  isOurs(error, 'OutcomeUnknownError', 'outcome_unknown')
/** Whether `error` is an {@link ApiError}, also across two copies of the package. */
export const isApiError = (error: unknown): error is ApiError => isOurs(error, 'ApiError', 'api')
/** Whether `error` is an {@link UnexpectedResponseError}, also across two copies of the package. */
export const isUnexpectedResponseError = (error: unknown): error is UnexpectedResponseError =>
  isOurs(error, 'UnexpectedResponseError', 'unexpected_response')
/** Whether `error` is a {@link WebhookVerificationError}, also across two copies of the package. */
export const isWebhookVerificationError = (error: unknown): error is WebhookVerificationError =>
  isOurs(error, 'WebhookVerificationError', 'webhook_verification')

/**
 * Whether `error` comes from this package, also across two copies: the guard of a handler for all errors.
 * @example
 * import { isEdgetillError } from 'edgetill'
 * const codeOf = (error: unknown): string => (isEdgetillError(error) ? error.code : 'other')
 */
export const isEdgetillError = (error: unknown): error is EdgetillError =>
  [
    isConfigError,
    isInvalidInputError,
    isConnectionError,
    isOutcomeUnknownError,
    isApiError,
    isUnexpectedResponseError,
    isWebhookVerificationError,
  ].some((isOne) => isOne(error))

/** Issues as one sentence. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map((issue) => `${issue.path || 'the whole value'}: ${describeIssue(issue)}`).join('; ')
}

/** The mistake, without its place. */
export const describeIssue = ({ message, received }: Issue): string =>
  received === 'missing' ? message : `${message} (received: ${received})`
