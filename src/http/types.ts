import type { ResolvedConfig } from '../config.ts'
import type { CallDetails } from '../errors.ts'
import type { AuthenticatedRequest } from './auth.ts'
import type { Deadline } from './deadline.ts'

/** Options of one call. */
export interface CallOptions {
  /** Gives the call up. On a POST that was already sent this throws an `OutcomeUnknownError`. */
  signal?: AbortSignal | undefined
  /** Milliseconds for one attempt; overrides the configuration's. */
  timeoutMs?: number | undefined
  /**
   * Extra body fields, sent as they are: for what the service knows and its document does not show.
   * A documented field that the call itself does not send may be among them, unchecked; one that it sends is refused.
   */
  passThrough?: Record<string, unknown> | undefined
}

/** A request as an operation builds it: everything but credentials. */
export interface WireRequest extends AuthenticatedRequest {
  /** The function that was called. */
  operation: string
  /** Which configured address the path is below. */
  base: 'baseUrl' | 'apiUrl'
  /** What `resolveOutcome` needs to find the operation again. */
  subject?: { order_id?: string; amount?: number | undefined; currency?: string | undefined }
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
  /** When the last attempt began, in milliseconds since the epoch. */
  sentAt: number
}

/** One attempt of a request. */
export interface Exchange {
  config: ResolvedConfig
  request: WireRequest
  /** The time limit of this attempt. */
  deadline: Deadline
  /** Counted from 1; 0 while the request is still being signed. */
  attempts: number
  /** When this attempt began, in milliseconds since the epoch. */
  sentAt: number
}

/** What an error tells of the call it belongs to. */
export function callOf({ method, path }: WireRequest, attempts: number): CallDetails {
  return { method, path, attempts }
}
