import { ConnectionError, OutcomeUnknownError, UnexpectedResponseError, type UnknownOutcomeReason } from '../errors.ts'
import { paymentSecrets, redactText } from '../lib/redact.ts'
import { callOf, type Exchange } from './types.ts'

/** The error of a POST that may have been executed. `what` completes "createPayment …". */
export function unknownOutcome(
  { request, attempts, sentAt }: Pick<Exchange, 'request' | 'attempts' | 'sentAt'>,
  reason: UnknownOutcomeReason,
  what: string,
  status?: number,
  cause?: unknown,
): OutcomeUnknownError {
  const { operation, howToFindOut, subject } = request
  const sent_at = new Date(sentAt).toISOString()
  const details = { reason, howToFindOut, status, cause, operation, ...subject, sent_at }
  return new OutcomeUnknownError(`${operation} ${what}.`, callOf(request, attempts), details)
}

const WHAT: Record<ConnectionError['reason'], string> = {
  unreachable: 'could not reach the service',
  timeout: 'got no complete answer in time',
  aborted: 'was given up by its caller',
  interrupted: 'lost its connection before a complete answer',
}

/**
 * The error of an attempt that brought no readable answer: a POST that may have been executed is `outcome_unknown`, all
 * else is `connection`.
 */
export function noAnswer(
  exchange: Exchange,
  cause: unknown,
  nothingExecuted: boolean,
  status?: number,
): ConnectionError | OutcomeUnknownError {
  const { config, request, attempts, deadline } = exchange
  const { operation, method, base } = request
  const reason = deadline.givenUp() ?? (nothingExecuted ? 'unreachable' : 'interrupted')
  const what = attempts === 0 && reason === 'timeout' ? 'was not signed in time' : WHAT[reason]
  if (method !== 'GET' && !nothingExecuted) {
    return unknownOutcome(exchange, reason as UnknownOutcomeReason, what, status, cause)
  }
  const { origin } = new URL(config[base] as string)
  const so = nothingExecuted ? '; nothing was executed' : ''
  return new ConnectionError(
    `${operation} ${what} (${origin}, attempt ${attempts})${so}. Calling again is safe.`,
    callOf(request, attempts),
    reason,
    cause,
  )
}

/** The error of an answer that cannot be read. `what` completes "createPayment was answered with …". */
export function unreadable(
  exchange: Exchange,
  status: number,
  reason: UnknownOutcomeReason,
  what: string,
  text?: string,
): OutcomeUnknownError | UnexpectedResponseError {
  const { request, attempts } = exchange
  const answered = `was answered with ${what}`
  if (request.method !== 'GET') return unknownOutcome(exchange, reason, answered, status)
  const body = text === undefined ? undefined : redactText(text, sensitiveValues(exchange))
  const details = { status, issues: [], body }
  return new UnexpectedResponseError(`${request.operation} ${answered}.`, callOf(request, attempts), details)
}

/** What the service may echo and no error, no hook may show. */
export function sensitiveValues({ config, request }: Exchange): string[] {
  return [config.apiSecret, config.endpointsKey, config.apiKey, ...paymentSecrets(request.body)]
}
