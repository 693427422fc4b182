import type { World } from '../context.ts'
import type { OperationName } from '../spec/endpoints.ts'
import type { Order } from '../state/state.ts'
import { checkPos } from './authentication.ts'
import { Problem, type Violation } from './problem.ts'

/** A request that has passed path, verb, content type and credentials. */
export interface EndpointRequest {
  operation: OperationName
  /** Path parameters, decoded. */
  path: Record<string, string>
  query: URLSearchParams
  body: Uint8Array
}

/** What each file of `routes/` exports: the answer to one endpoint. A refusal is a thrown {@link Problem}. */
export type Route = (world: World, request: EndpointRequest) => Response

/** The body as a JSON object. @throws {Problem} for anything else. */
export function readJson(world: World, request: EndpointRequest): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(request.body))
  } catch {
    throw new Problem(world.rules.wire.invalid, 'The body is not JSON in UTF-8', [])
  }
  if (world.rules.types.json(parsed) !== undefined) {
    throw new Problem(world.rules.wire.invalid, 'The body is not a JSON object', [])
  }
  const body = parsed as Record<string, unknown>
  checkPos(world, body.pos_id)
  return body
}

export function refuse(world: World, violations: Violation[]): void {
  if (violations.length > 0) throw new Problem(world.rules.wire.invalid, 'Invalid parameters', violations)
}

/** @throws {Problem} when the path's `pos_id`, and `account_id` if there is one, are not UUIDs, or the POS is another's. */
export function checkPathIds(world: World, path: Record<string, string>): void {
  const ids = ['pos_id', 'account_id'].filter((name) => name in path)
  const wrong = ids.filter((name) => world.rules.types.uuid(path[name]) !== undefined)
  refuse(
    world,
    wrong.map((field_name) => ({ field_name, violation: 'must be a UUID' })),
  )
  checkPos(world, path.pos_id)
}

/** @throws {Problem} 404 when there is no such order (assumption: the document shows no answer for it). */
export function findOrder(world: World, orderId: unknown): Order {
  const order = world.state.orders.get(String(orderId))
  if (order === undefined) {
    throw new Problem(404, 'Payment not found', [{ field_name: 'order_id', violation: 'no payment has this order_id' }])
  }
  return order
}

/** Some fields of a record, null where nothing is known. */
export function pick(record: object, names: readonly string[]): Record<string, unknown> {
  const known = record as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [name, known[name] ?? null]))
}
