import type { ResolvedConfig } from '../config.ts'
import type { CallDetails } from '../errors.ts'
import type { AuthenticatedRequest } from './auth.ts'
import type { Deadline } from './deadline.ts'

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call. On a POST that was already sent this throws an `OutcomeUnknownError`. */
  signal?: AbortSignal | undefined
  /** Milliseconds for each attempt; overrides the configuration's. */
  timeoutMs?: number | undefined
  /** Milliseconds for the whole call, retries and their pauses included; overrides the configuration's. */
  deadlineMs?: number | undefined
  /** How often a GET, or a request that got a 429, is retried, 0 to 10; overrides the configuration's. */
  maxRetries?: number | undefined
  /**
   * Extra fields of the body that the API document does not show, sent as they are: by name, or inside a documented
   * object by path, such as `{ 'split[0].label': 'Mug' }`. They are added, and replace nothing: a documented field is
   * rejected.
   */
  passThrough?: Record<string, unknown> | undefined
}

/** Options of a call whose request has no body, so that nothing can be added to it. */
export type BodilessCallOptions = Omit<CallOptions, 'passThrough'>

/** A request as an operation builds it: everything but credentials. */
export interface WireRequest extends AuthenticatedRequest {
  /** The function that was called. */
  operation: string
  /** The path as the API document writes it, if it has parameters. */
  template?: string
  /** The configured address that the path is appended to. */
  base: 'baseUrl' | 'apiUrl'
  /** The facts by which `resolveOutcome` finds the operation again. */
  subject?: {
    order_id: string
    /** Present if the call names an order. */
    pos_id?: string | undefined
    amount?: number | undefined
    currency?: string | undefined
  }
  /** The `method` that a record may have in the response. */
  methods?: readonly string[]
  /**
   * Whether a second copy of the request changes nothing more. It may then be sent in a form that Deno repeats when a
   * connection drops.
   */
  idempotent?: boolean
  /** Whether a redirect is a response to this request, rather than an error. It is never followed. */
  redirectExpected?: boolean
  /** Whether a 2xx without a body is a response to this request. */
  emptyExpected?: boolean
  /** How to find out the outcome when no response shows it; empty for a GET, which changes nothing. */
  howToFindOut: string
}

/** An attempt of a request. */
export interface Attempt {
  config: ResolvedConfig
  /** The same for each attempt of a call. */
  callId: string
  request: WireRequest
  /** Counted from 1. */
  number: number
  /** When it began, in milliseconds since the epoch. */
  sentAt: number
  /** The status and the id of its response, once there is one. */
  head?: Head
}

/** A response without its body. */
export interface Head {
  status: number
  /** `x-request-id`, redacted and cut to length. */
  requestId: string | undefined
}

/** An attempt that got a response. */
export type Answered = Attempt & { head: Head }

/** An attempt with its time limit, while it runs. */
export interface RunningAttempt extends Attempt {
  deadline: Deadline
}

/** A response that could be read: a 2xx with JSON, or an expected redirect. */
export interface ParsedResponse {
  /** The attempt that it responds to. */
  attempt: Answered
  /** The parsed body, card data cut out; undefined for a redirect. */
  json: unknown
  /** The absolute address of an expected redirect. */
  location: string | undefined
}

/** The call that an error belongs to. `attempts` is the number of attempts that were sent. */
export function callDetails({ request, callId, number }: Attempt, attempts: number = number): CallDetails {
  const { method, path } = request
  return { method, path, attempts, callId }
}
