import {
  isApiError,
  isConfigError,
  isConnectionError,
  isInvalidInputError,
  isOutcomeUnknownError,
  isUnexpectedResponseError,
} from '../../errors.ts'
import { describeError, type LogFields } from './log.ts'

/** The failure of `/api`, as RFC 9457 has it. */
export interface Problem {
  status: number
  /** Literal, for programs. */
  code: string
  title: string
  detail?: string
  [member: string]: unknown
}

export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: Problem
  constructor(status: number, code: string, title: string, detail?: string, members: object = {}) {
    super(title)
    this.problem = { status, code, title, ...(detail !== undefined && { detail }), ...members }
  }
}

export const notFound = (what: string, detail?: string): ProblemError =>
  new ProblemError(404, 'not_found', `No such ${what}.`, detail)

export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const body = JSON.stringify({ type: 'about:blank', ...problem })
  const { retry_after } = problem
  return new Response(body, {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(typeof retry_after === 'number' && { 'retry-after': String(retry_after) }),
      ...headers,
    },
  })
}

/** The problem for a failed call of the SDK; undefined for any other error. Its texts hold no secret. */
export function problemOf(error: unknown): Problem | undefined {
  if (isInvalidInputError(error)) {
    const { code, message, issues } = error
    return { status: 400, code, title: 'The input is not valid; nothing was sent.', detail: message, issues }
  }
  if (isConnectionError(error)) {
    const { code, message: detail } = error
    return { status: 503, code, title: 'The service could not be reached; nothing happened.', detail }
  }
  if (isOutcomeUnknownError(error)) {
    const { code, message, howToFindOut } = error
    // A caller of the API has no function of the SDK.
    const detail = message.replace(howToFindOut, 'POST …/resend shows the state of the payment.')
    return { status: 502, code, title: 'It may have been executed.', detail }
  }
  if (isApiError(error)) {
    const { code, status, message, apiCode, apiMessage, violations, retryAfterMs } = error
    return {
      status: API_STATUS[status] ?? (status < 500 ? 422 : 502),
      code,
      title: 'The service rejected it.',
      detail: message,
      service: { status, code: apiCode, message: apiMessage, violations },
      ...(retryAfterMs !== undefined && { retry_after: Math.ceil(retryAfterMs / 1000) }),
    }
  }
  if (isUnexpectedResponseError(error)) {
    const { code, message } = error
    return { status: 502, code, title: 'The service responded in an unknown form.', detail: message }
  }
  if (isConfigError(error)) {
    return { status: 500, code: error.code, title: 'The shop is misconfigured.', detail: error.message }
  }
  return undefined
}

/** The part of the service's words that a log line may hold. */
export function describeService({ service }: Problem): LogFields {
  const { status, code } = (service ?? {}) as { status?: number; code?: string }
  return describeError({ status, apiCode: code })
}

/** The service's 401 is about the worker's credentials, not about the caller's. */
const API_STATUS: Record<number, number> = { 401: 502, 404: 404, 429: 503 }
