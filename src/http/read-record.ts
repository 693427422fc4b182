import { type Issue, UnexpectedResponseError } from '../errors.ts'
import type { Schema } from '../schemas/fields.ts'
import { type Received, readReceived, type Wire } from '../schemas/read.ts'
import { type Answer, callOf, type WireRequest } from './types.ts'

/**
 * Reads a documented record of an answer.
 * @throws {UnexpectedResponseError} with the whole answer in its `body`, so that nothing of it is lost.
 */
export function readRecord<T extends Received>(
  schema: Schema<Wire<T>>,
  request: WireRequest,
  answer: Answer,
  record: unknown = answer.json,
): T {
  const { value, issues } = readReceived<T>(schema, record)
  if (issues) throw unexpected(request, answer, issues)
  return value
}

/** The error of an answer that the document does not show. */
export function unexpected(request: WireRequest, answer: Answer, issues: Issue[]): UnexpectedResponseError {
  const { operation, method, howToFindOut } = request
  const was = method === 'GET' ? 'answered' : 'executed'
  const what = `${operation} was ${was}, but its answer is not as documented: it is in the error's body. ${howToFindOut}`
  const details = { status: answer.status, issues, body: answer.json }
  return new UnexpectedResponseError(what.trim(), callOf(request, answer.attempts), details)
}
