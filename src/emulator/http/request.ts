import type { Context } from '../context.ts'
import { jsonFlaw } from '../parse-input.ts'
import type { OperationName } from '../spec/endpoints.ts'
import type { Order } from '../state/state.ts'
import { checkPos } from './authentication.ts'
import type { RequestNotes } from './notes.ts'
import { Problem, type Violation } from './problem.ts'

export interface EndpointRequest {
  operation: OperationName
  path: Record<string, string>
  query: URLSearchParams
  body: Uint8Array
  notes: RequestNotes
  /** The status code of a fault, in place of the card's result; read when the outcome is decided. */
  statusCode(): string | undefined
}

/** The export of each file of `routes/`: the response of an endpoint. A rejection is a thrown {@link Problem}. */
export type Route = (context: Context, request: EndpointRequest) => Response

export function readJson(context: Context, request: EndpointRequest): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(request.body))
  } catch {
    throw new Problem(context.rules.wire.invalid, 'The body is not JSON in UTF-8', [])
  }
  if (context.rules.types.json(parsed) !== undefined) {
    throw new Problem(context.rules.wire.invalid, 'The body is not a JSON object', [])
  }
  const wrong = jsonFlaw(parsed)
  if (wrong !== undefined) rejectInvalid(context, [{ field_name: wrong.path, violation: wrong.flaw }])
  const body = parsed as Record<string, unknown>
  checkPos(context, body.pos_id)
  return body
}

export function rejectInvalid(context: Context, violations: Violation[]): void {
  if (violations.length > 0) throw new Problem(context.rules.wire.invalid, 'Invalid parameters', violations)
}

/**
 * @throws {Problem} when the path's `pos_id`, and `account_id` if there is one, are not UUIDs, or the POS is another's.
 */
export function checkPathIds(context: Context, path: Record<string, string>): void {
  const ids = ['pos_id', 'account_id'].filter((name) => name in path)
  const wrong = ids.filter((name) => context.rules.types.uuid(path[name]) !== undefined)
  rejectInvalid(
    context,
    wrong.map((field_name) => ({ field_name, violation: 'must be a UUID' })),
  )
  checkPos(context, path.pos_id)
}

/** @throws {Problem} 404 when there is no such order (assumption: the API document shows no response for it). */
export function findOrder(context: Context, orderId: unknown): Order {
  const order = context.state.orders.get(String(orderId))
  if (order === undefined) {
    throw new Problem(404, 'Payment not found', [{ field_name: 'order_id', violation: 'no payment has this order_id' }])
  }
  return order
}

/** Some fields of a record, null if unknown. */
export function pick(record: object, names: readonly string[]): Record<string, unknown> {
  const known = record as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [name, known[name] ?? null]))
}
