import * as errors from '../../errors.ts'
import { isObject } from '../../lib/kind.ts'
import { differs, holds, type Judgement, notTried } from './judgement.ts'

export interface Answer<T = unknown> {
  /** `other`: a response of another shape than the SDK reads. `none`: no decision, such as a 503. */
  verdict: 'accepted' | 'rejected' | 'other' | 'none'
  value?: T
  status?: number | undefined
  /** The JSON of the last response, as it came. Never part of a report. */
  body?: unknown
  location?: string | undefined
  at: number
  /** In words, without any value but statuses and codes. */
  says: string
}

/** The last response; `page`: it was HTML. */
export type Exchange = { status?: number | undefined; body?: unknown; page?: boolean; location?: string | undefined }
const PAGE = 'HTML in place of the API: a login page or a firewall is in front of it, or base_url is wrong'

/** Reads the error of a call. @throws any other error. */
export function answerOf(error: unknown, at: number, { status, body, page, location }: Exchange): Answer<never> {
  const received = { at, status, body, location }
  const isRead = errors.isUnexpectedResponseError(error) || errors.isOutcomeUnknownError(error)
  if (page && (isRead || (errors.isApiError(error) && !error.retryable)))
    return { ...received, verdict: 'none', says: `HTTP ${status} with ${PAGE}` }
  if (errors.isApiError(error)) return { ...received, ...ofApiError(error) }
  if (errors.isOutcomeUnknownError(error)) return { ...received, ...ofUnknown(error) }
  if (errors.isUnexpectedResponseError(error)) {
    return { ...received, verdict: 'other', says: `HTTP ${error.status} in another shape${lacks(error.issues)}` }
  }
  if (errors.isConfigError(error)) return { at, verdict: 'none', says: `not sent: ${error.field} is missing or wrong` }
  if (errors.isInvalidInputError(error))
    return { at, verdict: 'none', says: `not sent: ${errors.describeIssues(error.issues)}` }
  if (errors.isConnectionError(error)) return { ...received, verdict: 'none', says: lost(error.reason, error) }
  throw error
}

function ofApiError({ status, apiCode = '', retryable }: errors.ApiError): Pick<Answer, 'verdict' | 'says'> {
  const code = /^[A-Z]-\d{1,4}$/.test(apiCode) ? ` (${apiCode})` : ''
  if (retryable) return { verdict: 'none', says: `HTTP ${status}${status === 429 ? ': a rate limit' : ''}` }
  return { verdict: 'rejected', says: `rejected with HTTP ${status}${code}` }
}

/** Why there is no response. A certificate is named: nothing else shows it. */
function lost(reason: string, error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code = '' } = cause as { code?: unknown }
    if (!/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(String(code))) continue
    return `no response: the certificate is not trusted (${code}); set NODE_EXTRA_CA_CERTS to its PEM file`
  }
  return `no response (${reason})`
}

function ofUnknown(error: errors.OutcomeUnknownError): Pick<Answer, 'verdict' | 'says'> {
  const { reason, status, issues } = error
  if (reason === 'ambiguous_status') return { verdict: 'rejected', says: `rejected with HTTP ${status}` }
  if (reason === 'unexpected_redirect')
    return { verdict: 'other', says: `HTTP ${status} to an address of another form` }
  if (reason === 'unreadable_response')
    return { verdict: 'other', says: `HTTP ${status} in another shape${lacks(issues)}` }
  return { verdict: 'none', says: status === undefined ? lost(reason, error) : `HTTP ${status}` }
}

/** Only the paths are shown, from the SDK's own tables. */
const lacks = (issues: readonly { path: string; message: string; received: string }[]): string =>
  issues.length === 0 ? '' : `: ${errors.describeIssues(issues.map((one) => ({ ...one, received: 'missing' })))}`

/** Whether the service accepted a request: a rejection, or a response in another shape, differs. */
export function accepted({ verdict, says }: Answer): Judgement {
  if (verdict === 'none') return notTried(says)
  return verdict === 'accepted' ? holds(says) : differs(says)
}

/** Whether a hosted payment was made: a redirect to an unknown place counts too. */
export const wasMade = ({ verdict, status = 0 }: Answer): boolean =>
  verdict === 'accepted' || (verdict === 'other' && status >= 300 && status < 400)

/** Whether credentials were accepted. Only a response in the API's own form proves it. */
export function authenticated({ verdict, status = 0, body, says }: Answer): Judgement {
  const isOwn = isObject(body) || Array.isArray(body) || (status >= 300 && status < 400)
  if (verdict === 'none' || (verdict === 'other' && !isOwn)) return notTried(says)
  return status === 401 || status === 403 ? differs(says) : holds(says)
}

export function rejectedWith({ verdict, status = 0, says }: Answer, ...statuses: number[]): Judgement {
  if (verdict === 'none') return notTried(says)
  return verdict === 'rejected' && statuses.includes(status) ? holds(says) : differs(says)
}

export const returned = <T>(answer: Answer<T>, judge: (value: T) => Judgement): Judgement =>
  answer.verdict === 'accepted' ? judge(answer.value as T) : accepted(answer)
