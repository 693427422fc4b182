// Captures, refunds and voids of `/api`: the till makes each once for its key, and its answer becomes an HTTP response.

import { isConfigError } from '../../errors.ts'
import { requestOf } from '../../till/calls.ts'
import { checkMoney, playMoney } from '../../till/move-money.ts'
import { isOpen, type Message, type OperationKind } from '../../till/protocol.ts'
import { findOperation } from '../../till/store.ts'
import { later } from '../later.ts'
import { outcomeUnknown, type RecordedResponse, responseTo } from '../lib/money-answers.ts'
import { ProblemError, problemOf } from '../lib/problem.ts'
import type { Scope } from '../scope.ts'
import { publish } from './publish.ts'

/** A capture, refund or void as it came to `/api`. */
export interface MoneyCall {
  kind: OperationKind
  idempotencyKey: string
  /** The fields of the SDK's input without `order_id`; `order_currency` defaults to the order's. */
  fields: Readonly<Record<string, unknown>>
  /** The version of the order that the caller has seen. */
  version?: string | undefined
  /** The amount that its caller may refund of the whole order, in minor units. */
  limit?: number | undefined
}

/** Makes a capture, refund or void once for each Idempotency-Key. @throws {StorageError} before it is sent. */
export async function moveMoney(scope: Scope, order_id: string, call: MoneyCall): Promise<RecordedResponse> {
  const { kind, idempotencyKey, fields, version, limit } = call
  const request = { ...(await requestOf(kind, fields, idempotencyKey)), version, limit }
  return play(scope, order_id, { type: 'request', request }, kind, fields)
}

/** Settles an operation by hand, but not against the events. `unknown` looks it up at the service. */
export async function settleByHand(
  scope: Scope,
  named: string,
  { attempt_id: id, executed }: { attempt_id: string; executed: boolean | 'unknown' },
): Promise<RecordedResponse> {
  const find = () => findOperation(scope.till, named, id)
  const { order_id, found: before } = await find()
  if (executed !== 'unknown') {
    const settled = await play(scope, order_id, { type: 'by_hand', id, executed, isListed: false })
    // The service has just shown the outcome that the person states.
    const { found } = before && isOpen(before) && settled.status === 409 ? await find() : {}
    return executed && found?.outcome === 'done' && found.answer ? responseTo(found.answer) : settled
  }
  await checkMoney(scope.till, order_id, id)
  const { found } = await find()
  if (!found) return responseTo({ code: 'unknown_operation' })
  return { status: 200, body: { state: isOpen(found) ? 'unknown' : (found.outcome as string) } }
}

async function play(
  scope: Scope,
  named: string,
  first: Message,
  kind?: OperationKind,
  fields: object = {},
): Promise<RecordedResponse> {
  const { order_id, answer, sent, error } = await playMoney(scope.till, named, first, fields)
  if (answer || sent) later(scope, 'order_not_published', order_id, () => publish(scope, order_id))
  if (answer) return responseTo(answer)
  // The caller gets the response, though it could not be stored.
  if (sent?.answer) return responseTo(sent.answer)
  if (sent && kind) return { status: 502, body: outcomeUnknown(kind) }
  const problem = problemOf(error)
  if (!problem || isConfigError(error)) throw error
  const title = 'Nothing was sent: the service could not be asked what was made before.'
  throw new ProblemError(503, 'connection', title, problem.detail)
}
