/**
 * Every error of the package. Each has a literal `name` and a literal `code` (minifiers destroy `constructor.name`, and
 * two copies of a package defeat `instanceof`), so the `isX` guards go by `name` and `code`.
 */

/** The `code` of every error that this package throws. */
export type ErrorCode =
  | 'config'
  | 'invalid_input'
  | 'connection'
  | 'outcome_unknown'
  | 'api'
  | 'unexpected_response'
  | 'webhook_verification'

/** What every error of this package has. */
export abstract class EdgetillError extends Error {
  /** Tells the errors apart; stable across versions, bundlers and minifiers. */
  abstract readonly code: ErrorCode

  /** `details` become properties of the error. */
  constructor(message: string, cause?: unknown, details?: object) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, details)
  }
}

/** One thing that is wrong with an input or a response. It never holds the value itself. */
export interface Issue {
  /** Where, from the outside in: `split[0].amount`. Empty for the whole value. */
  path: string
  /** What is wrong, for people: `must be positive, not negative`, `is required`, `the card has expired`. */
  message: string
  /** The kind of what was there: `missing`, `null`, `string of 3 characters`, `negative number`, `array` … never its content. */
  received: string
}

/**
 * The configuration cannot work: an address or a credential is missing, malformed or unsafe. Thrown before anything is
 * sent, when a client is created or a secret is first used.
 */
export class ConfigError extends EdgetillError {
  override readonly name = 'ConfigError'
  readonly code = 'config'
  /** The option to mend, such as `baseUrl`. */
  declare readonly field: string

  constructor(field: string, message: string, cause?: unknown) {
    super(message, cause, { field })
  }
}

/** The input of a call or of a helper breaks a rule of the API document. A call throws it before anything is sent. */
export class InvalidInputError extends EdgetillError {
  override readonly name = 'InvalidInputError'
  readonly code = 'invalid_input'
  /** Everything that is wrong, each with its field's path. No value is kept. */
  declare readonly issues: readonly Issue[]

  /** `isCall` adds that nothing was sent, which a helper never does. */
  constructor(operation: string, issues: readonly Issue[], isCall = false) {
    const sent = isCall ? ', nothing was sent' : ''
    super(`Invalid input for ${operation}${sent}: ${describeIssues(issues)}.`, undefined, { issues })
  }
}

/** The call that an error belongs to. */
export interface CallDetails {
  /** The HTTP verb. */
  method: string
  /** The path below the base address, without a host. */
  path: string
  /** How many times the request was attempted. */
  attempts: number
}

/**
 * There was no answer, and nothing can have changed: a GET failed (after its retries), or a POST provably never left
 * this machine (refused, not resolved, aborted beforehand). Calling again is safe. `cause` is the runtime's own error.
 */
export class ConnectionError extends EdgetillError implements CallDetails {
  override readonly name = 'ConnectionError'
  readonly code = 'connection'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  /** Why there was no answer. */
  declare readonly reason: 'unreachable' | 'timeout' | 'aborted' | 'interrupted'

  constructor(message: string, call: CallDetails, reason: ConnectionError['reason'], cause: unknown) {
    super(message, cause, { ...call, reason })
  }
}

/** Why the outcome of a request is not known. */
export type UnknownOutcomeReason =
  | 'timeout'
  | 'aborted'
  | 'interrupted'
  | 'server_error'
  | 'unreadable_answer'
  | 'unexpected_redirect'

interface OutcomeUnknownDetails {
  reason: UnknownOutcomeReason
  howToFindOut: string
  status?: number | undefined
  cause?: unknown
  operation: string
  order_id?: string
  amount?: number | undefined
  currency?: string | undefined
  sent_at: string
}

/**
 * The request may have been executed, and there is no answer that tells: money may have moved. Do NOT simply call
 * again; `howToFindOut` (also part of the message) names the way to learn the state first.
 */
export class OutcomeUnknownError extends EdgetillError implements CallDetails {
  override readonly name = 'OutcomeUnknownError'
  readonly code = 'outcome_unknown'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  /** What is known of why. */
  declare readonly reason: UnknownOutcomeReason
  /** What to do to learn whether it was executed. */
  declare readonly howToFindOut: string
  /** The HTTP status, when there was one. */
  declare readonly status: number | undefined
  /** The function that was called, such as `capturePayment`. */
  declare readonly operation: string
  /** The order that it was about; undefined for `request` and `cancelRecurring`. */
  declare readonly order_id: string | undefined
  /** The amount that was sent, in the currency's unit; undefined where none was sent (a full capture or refund, a void). */
  declare readonly amount: number | undefined
  /** Its currency, ISO 4217. */
  declare readonly currency: string | undefined
  /** When the last attempt was sent: ISO 8601 in UTC, by this machine's clock. */
  declare readonly sent_at: string

  constructor(what: string, call: CallDetails, details: OutcomeUnknownDetails) {
    const { cause, status, ...more } = details
    super(`${what} Whether it was executed is unknown. ${details.howToFindOut}`, cause, { ...call, ...more, status })
  }
}

/** One field that the service complains of. */
export interface FieldViolation {
  /** The field, under its wire name; empty when the service named none. */
  field_name: string
  /** What is wrong with it, in the service's words. */
  violation: string
}

/**
 * The service answered that it refuses the request. Nothing was executed on a 4xx; a GET that keeps failing with a 5xx
 * ends here too.
 */
export class ApiError extends EdgetillError implements CallDetails {
  override readonly name = 'ApiError'
  readonly code = 'api'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  /** The HTTP status. */
  declare readonly status: number
  /** The service's own code, such as `P-409` (`args.code` of its answer), when it sent one. */
  declare readonly apiCode: string | undefined
  /** The service's own message, when it sent one. */
  declare readonly apiMessage: string | undefined
  /** The fields that the service complains of; empty when it named none. */
  declare readonly violations: readonly FieldViolation[]
  /** Whether the same request may succeed later (429, and 5xx of a GET). */
  declare readonly retryable: boolean
  /** Milliseconds that the service asked to wait (`Retry-After`), when it did. */
  declare readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    call: CallDetails,
    details: {
      status: number
      apiCode: string | undefined
      apiMessage: string | undefined
      violations: readonly FieldViolation[]
      retryable: boolean
      retryAfterMs: number | undefined
    },
  ) {
    super(message, undefined, { ...call, ...details })
  }
}

/**
 * The service answered in a form that the document does not show. The request itself was executed as far as can be told;
 * `body` holds what came (card data cut out), so that nothing is lost.
 */
export class UnexpectedResponseError extends EdgetillError implements CallDetails {
  override readonly name = 'UnexpectedResponseError'
  readonly code = 'unexpected_response'
  declare readonly method: string
  declare readonly path: string
  declare readonly attempts: number
  /** The HTTP status. */
  declare readonly status: number
  /** What differs from the document. */
  declare readonly issues: readonly Issue[]
  /** The answer: parsed JSON, or a text. Not enumerable, so that it does not reach a log by accident. */
  declare readonly body: unknown

  constructor(
    message: string,
    call: CallDetails,
    { status, issues, body }: { status: number; issues: readonly Issue[]; body: unknown },
  ) {
    const what = issues.length > 0 ? `${message} ${describeIssues(issues)}.` : message
    super(what, undefined, { ...call, status, issues })
    Object.defineProperty(this, 'body', { value: body })
  }
}

/** Why a webhook was refused, or could not be read although its signature is right. */
export type WebhookRefusal =
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

/**
 * A webhook was refused (`verified: false`: answer 4xx and forget it), or it is genuine but cannot be read
 * (`verified: true`: keep `data`, it is the only copy).
 */
export class WebhookVerificationError extends EdgetillError {
  override readonly name = 'WebhookVerificationError'
  readonly code = 'webhook_verification'
  /** What exactly is wrong. */
  declare readonly reason: WebhookRefusal
  /** Whether the signature was right. */
  declare readonly verified: boolean
  /** The raw `data` when `verified`, else undefined. Not enumerable: it holds a customer's data. */
  declare readonly data: string | undefined

  constructor(reason: WebhookRefusal, message: string, verifiedData?: string) {
    super(message, undefined, { reason, verified: verifiedData !== undefined })
    Object.defineProperty(this, 'data', { value: verifiedData })
  }
}

// The name too: other libraries have errors with the code "config", "api" or "connection".
const isOurs = (error: unknown, name: string, code: ErrorCode): boolean =>
  error instanceof Error && error.name === name && (error as { code?: unknown }).code === code

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

function describeIssues(issues: readonly Issue[]): string {
  return issues
    .map(({ path, message, received }) => {
      const shown = received === 'missing' ? '' : ` (received: ${received})`
      return `${path || 'the whole value'}: ${message}${shown}`
    })
    .join('; ')
}
