import type { MoneyAnswer, MoneyOperation, MoneyRequest } from '../money/protocol.ts'

/**
 * Why nothing was sent. `order_changed`: money of the order was moved since the `ifVersion` that was passed. `in_progress`: another
 * operation of the order has no final outcome yet, or its backup was restored a minute ago. `unreachable`: the service could not be
 * reached, or asked to wait. `key_reused`: the key, or a payment's order_id, belongs to another request. `busy`: the database failed.
 */
export type NotSentReason = 'order_changed' | 'in_progress' | 'unreachable' | 'key_reused' | 'busy'

/**
 * Why something was not executed. `code` is that of an error, such as `api` or `invalid_input`, or `not_executed`: the service does not
 * know the operation. `status` is the HTTP status of the service's response, `apiCode` its own code.
 */
export interface Rejection {
  code: string
  message: string
  status?: number
  apiCode?: string
}

/** What became of a call that has no record. */
export type Failed<Record = object> =
  /** It was not executed, and never will be under this key. */
  | { outcome: 'rejected'; error: Rejection }
  /**
   * It may have been executed: call again with the same key, which finds out and never makes a second one. `record` where the service
   * has confirmed it, but the till could not write that, or had settled it otherwise.
   */
  | { outcome: 'unknown'; id: string; message: string; record?: Record }
  /** Nothing was sent. `sameKey`: whether the same key may try again. */
  | { outcome: 'not_sent'; reason: NotSentReason; sameKey: boolean; message: string }

/** What became of a call. `done` and `rejected` are the same for the same key for ever; whether money moved is `record.status`. */
export type Moved<Record = object> = { outcome: 'done'; record: Record } | Failed<Record>

export const notSent = (reason: NotSentReason, message: string): Failed => ({
  ...{ outcome: 'not_sent', reason, sameKey: reason !== 'key_reused', message },
})
export const unknown = (id: string, why: string, record?: object): Failed => ({
  ...{ outcome: 'unknown', id, message: `${why} It may have been executed: call again with the same key.` },
  ...(record && { record }),
})
const rejected = (code: string, message: string): Failed => ({ outcome: 'rejected', error: { code, message } })

/** What a caller gets for what was thrown. */
export function failed(id: string, outcome: 'unknown' | 'rejected' | 'not_sent', error: unknown): Failed {
  const { code, message, status, apiCode } = error as Rejection
  if (outcome === 'unknown') return unknown(id, message)
  if (outcome === 'not_sent') return notSent('unreachable', message)
  return { outcome, error: { code, message, ...(status && { status }), ...(apiCode && { apiCode }) } }
}

/** What a caller gets for an answer of the protocol. */
export function movedOf(answer: MoneyAnswer, operations: readonly MoneyOperation[], request?: MoneyRequest): Moved {
  switch (answer.code) {
    case 'executed':
      return { outcome: 'done', record: answer.record }
    case 'recorded':
      return answer.response as Moved
    case 'contradicted':
      return unknown(answer.id, 'Its call ended otherwise than it was settled: see attention().', answer.record)
    case 'not_executed':
      return rejected(answer.code, `The service does not know the ${answer.kind}: it was not executed. Use a new key.`)
    case 'key_reused':
      return notSent(answer.code, 'This key belongs to another request.')
    case 'order_changed':
      return notSent(answer.code, 'Money of this order was moved since: read it again.')
    case 'pending':
      return notSent(
        'in_progress',
        `An earlier operation is not final: ask for at most ${answer.left / 100} until it is.`,
      )
    case 'order_rebuilt':
      return notSent('in_progress', 'This order was restored from a backup: try again in a minute.')
    case 'unexplained':
      return unknown(answer.operation_id, `The service shows a ${answer.kind} that may be this one: settle it by hand.`)
    case 'in_progress':
    case 'unsettled': {
      const { id, kind } = answer
      const isOwn = id === request?.id || operations.some((one) => one.id === id && one.keyHash === request?.keyHash)
      if (isOwn) return unknown(id, `The ${kind} has no outcome yet.`)
      return notSent('in_progress', `A ${kind} of this order (${id}) has no outcome yet: try again later.`)
    }
    default:
      return rejected(
        answer.code,
        'There is no such operation, or its outcome is known, or its call may be in progress.',
      )
  }
}
