import { isConfigError } from '../errors.ts'
import type { MoneyAnswer } from '../money/protocol.ts'

/**
 * Why nothing was sent. `order_changed`: money of the order was moved since `ifVersion`. `in_progress`: another operation of the order
 * has no final outcome yet, or its backup was restored a minute ago. `unreachable`: the service could not be reached, or asked to
 * wait. `key_reused`: the key, or a payment's order_id, belongs to another request. `busy`: the database failed.
 */
export type NotSentReason = 'order_changed' | 'in_progress' | 'unreachable' | 'key_reused' | 'busy'
/** The `code` of an error (`api`, `invalid_input`), or `not_executed`: the service does not know it. `status` and `apiCode`: its response's. */
export type Rejection = { code: string; message: string; status?: number; apiCode?: string }
/** The outcome of a call that has no record. */
export type Failed<Record = object> =
  /** It was not executed, and never will be under this key. */
  | { outcome: 'rejected'; error: Rejection }
  /** It may have been executed: the same key finds out, and never makes a second one. `record`: it was, but could not be written so. */
  | { outcome: 'unknown'; id: string; message: string; record?: Record }
  /** Nothing was sent. `sameKey`: whether the same key may try again. */
  | { outcome: 'not_sent'; reason: NotSentReason; sameKey: boolean; message: string }
/** The outcome of a call. `done` and `rejected` are the same for the same key for ever; whether money moved is `record.status`. */
export type Moved<Record = object> = { outcome: 'done'; record: Record } | Failed<Record>

export const notSent = (reason: NotSentReason, message: string): Failed => ({
  ...{ outcome: 'not_sent', reason, sameKey: reason !== 'key_reused', message },
})
export const unknown = (id: string, why: string, record?: object): Failed => ({
  ...{ outcome: 'unknown', id, message: `${why} It may have been executed: call again with the same key.` },
  ...(record && { record }),
})

/** The result for the error of a call. */
export function failed(id: string, outcome: 'unknown' | 'rejected' | 'not_sent', error: unknown): Failed {
  const { code, message, status, apiCode, name } = error as Rejection & Error
  if (outcome === 'unknown') return unknown(id, message)
  if (outcome === 'not_sent') return notSent(name === 'StorageError' ? 'busy' : 'unreachable', message)
  return { outcome, error: { code, message, ...(status && { status }), ...(apiCode && { apiCode }) } }
}

/** The result for an error before its call. @throws {ConfigError} as it is. */
export function unsent(error: unknown): Failed {
  if (isConfigError(error)) throw error
  return failed('', 'not_sent', error)
}

/** The result for an answer of the protocol. `isOwn`: whether an operation has the caller's key. */
export function movedOf(answer: MoneyAnswer, isOwn: (id: string) => boolean = () => false): Moved {
  const { code } = answer
  const kind = 'kind' in answer ? answer.kind : ''
  if (code === 'executed') return { outcome: 'done', record: answer.record }
  if (code === 'recorded') return answer.response as Moved
  if (code === 'contradicted') return unknown(answer.id, 'It ended otherwise: see attention().', answer.record)
  if (code === 'unexplained') return unknown(answer.operation_id, `The service shows a ${kind}: settle it by hand.`)
  if (code === 'key_reused') return notSent(code, 'This key belongs to another request.')
  if (code === 'order_changed') return notSent(code, 'Money of this order was moved since.')
  if (code === 'order_rebuilt') return notSent('in_progress', 'A backup was restored: try again in a minute.')
  if (code === 'pending') return notSent('in_progress', `Another one is pending: ask for at most ${answer.left / 100}.`)
  if (code === 'in_progress' || code === 'unsettled') {
    const message = `The ${kind} ${answer.id} of this order has no outcome yet.`
    return isOwn(answer.id) ? unknown(answer.id, message) : notSent('in_progress', message)
  }
  const other = 'It is not found, settled already, or still in progress.'
  const message = code === 'not_executed' ? `The service does not know the ${kind}. Use a new key.` : other
  return { outcome: 'rejected', error: { code, message } }
}
