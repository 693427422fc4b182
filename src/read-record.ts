import { type Issue, UnexpectedResponseError } from './errors.ts'
import { type Answer, callOf, type WireRequest } from './exchange.ts'
import { read, type Schema } from './schemas/schema.ts'

/**
 * Reads a documented record of an answer.
 * @throws {UnexpectedResponseError} with the whole answer in its `body`, so that nothing of it is lost.
 */
export function readRecord<T>(
  schema: Schema<T>,
  request: WireRequest,
  answer: Answer,
  record: unknown = answer.json,
): T {
  const { value, issues } = read(schema, record)
  if (issues) throw unexpected(request, answer, issues)
  return value
}

/** The error of an answer that the document does not show. */
export function unexpected(request: WireRequest, answer: Answer, issues: Issue[]): UnexpectedResponseError {
  const what =
    request.method === 'GET'
      ? `${request.operation} was answered, but not as documented; the answer is in the error's body.`
      : `${request.operation} was executed, but the record it was answered with is not as documented; it is in the error's body. ${request.howToFindOut}`
  const details = { status: answer.status, issues, body: answer.json }
  return new UnexpectedResponseError(what, callOf(request, answer.attempts), details)
}
