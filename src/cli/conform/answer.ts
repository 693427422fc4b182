import * as errors from '../../errors.ts'
import { differs, holds, type Judgement, notTried } from './judgement.ts'

export interface Answer<T = unknown> {
  /** `other`: a response of another shape than the SDK reads. `none`: nothing that says anything, such as a 503. */
  verdict: 'accepted' | 'rejected' | 'other' | 'none'
  value?: T
  status?: number | undefined
  /** The JSON of the last response, as it came. Never part of a report. */
  body?: unknown
  at: number
  /** In words, without any value but statuses and codes. */
  says: string
}

export type Exchange = { status?: number | undefined; body?: unknown }

/** Reads what a call threw. @throws what is not an error of a call. */
export function answerOf(error: unknown, at: number, { status, body }: Exchange): Answer<never> {
  const known = { at, status, body }
  if (errors.isApiError(error)) return { ...known, ...ofApiError(error) }
  if (errors.isOutcomeUnknownError(error)) return { ...known, ...ofUnknown(error) }
  if (errors.isUnexpectedResponseError(error)) {
    return { ...known, verdict: 'other', says: `HTTP ${error.status} in another shape${lacks(error.issues)}` }
  }
  if (errors.isConfigError(error)) return { at, verdict: 'none', says: `not sent: ${error.field} is missing or wrong` }
  if (errors.isInvalidInputError(error))
    return { at, verdict: 'none', says: `not sent: ${errors.describeIssues(error.issues)}` }
  if (errors.isConnectionError(error)) return { ...known, verdict: 'none', says: `no response (${error.reason})` }
  throw error
}

function ofApiError({ status, apiCode = '', retryable }: errors.ApiError): Pick<Answer, 'verdict' | 'says'> {
  const code = /^[A-Z]-\d{1,4}$/.test(apiCode) ? ` (${apiCode})` : ''
  if (retryable) return { verdict: 'none', says: `HTTP ${status}` }
  return { verdict: 'rejected', says: `rejected with HTTP ${status}${code}` }
}

function ofUnknown({ reason, status, issues }: errors.OutcomeUnknownError): Pick<Answer, 'verdict' | 'says'> {
  if (reason === 'ambiguous_status') return { verdict: 'rejected', says: `rejected with HTTP ${status}` }
  if (reason === 'unexpected_redirect')
    return { verdict: 'other', says: `HTTP ${status} to an address of another form` }
  if (reason === 'unreadable_response')
    return { verdict: 'other', says: `HTTP ${status} in another shape${lacks(issues)}` }
  return { verdict: 'none', says: status === undefined ? `no response (${reason})` : `HTTP ${status}` }
}

/** The paths alone are from the SDK's own tables. */
const lacks = (issues: readonly { path: string; message: string; received: string }[]): string =>
  issues.length === 0 ? '' : `: ${errors.describeIssues(issues.map((one) => ({ ...one, received: 'missing' })))}`

/** Whether the service took a request: a rejection, or a response in another shape, differs. */
export function taken({ verdict, says }: Answer): Judgement {
  if (verdict === 'none') return notTried(says)
  return verdict === 'accepted' ? holds(says) : differs(says)
}

/** Whether a hosted payment was made: a redirect to an unknown place says so too. */
export const wasMade = ({ verdict, status = 0 }: Answer): boolean =>
  verdict === 'accepted' || (verdict === 'other' && status >= 300 && status < 400)

/** Whether credentials were accepted, whatever else became of the call. */
export function authenticated({ verdict, status, says }: Answer): Judgement {
  if (verdict === 'none') return notTried(says)
  return status === 401 || status === 403 ? differs(says) : holds(says)
}

export function rejectedWith({ verdict, status = 0, says }: Answer, ...statuses: number[]): Judgement {
  if (verdict === 'none') return notTried(says)
  return verdict === 'rejected' && statuses.includes(status) ? holds(says) : differs(says)
}

export const returned = <T>(answer: Answer<T>, judge: (value: T) => Judgement): Judgement =>
  answer.verdict === 'accepted' ? judge(answer.value as T) : taken(answer)
