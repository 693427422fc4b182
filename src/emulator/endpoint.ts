import type { Context } from './context.ts'
import { findSubscription } from './domain/subscriptions.ts'
import { canChange, type Fault, type Phase } from './faults/fault.ts'
import { applyRequestFaults, applyResponseFaults, pause, statusCodeOf } from './faults/response-faults.ts'
import { authenticate } from './http/authentication.ts'
import { createNotes } from './http/notes.ts'
import { Problem } from './http/problem.ts'
import type { EndpointRequest, Route } from './http/request.ts'
import { noteFaults } from './http/request-log.ts'
import type { OperationName } from './spec/endpoints.ts'
import type { LoggedRequest } from './state/activity.ts'

export interface UnderWay {
  entry: LoggedRequest
  signal: AbortSignal
}

/**
 * Handles one request. The order of the checks is part of the contract: path 404 (before this function), verb 405,
 * content type 406, credentials 401, body 400. The API document fixes neither the order nor 404, 405 and 406: public
 * material does.
 * @throws {Problem} for a request that is rejected.
 */
export async function handleEndpoint(
  context: Context,
  operation: OperationName,
  route: Route,
  request: Request,
  path: Record<string, string>,
  { entry, signal }: UnderWay,
): Promise<Response> {
  entry.operation = operation
  entry.order_id ??= path.order_id ?? findSubscription(context, path.recurring_id ?? '')?.order_id ?? null
  const endpoint = context.rules.endpoints[operation]
  if (request.method !== endpoint.verb) {
    const allow = { allow: endpoint.verb }
    throw new Problem(405, `${endpoint.verb} is the method of this path`, { code: 'EMULATOR-405' }, allow)
  }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const isJson = !endpoint.jsonBody || type === 'application/json'
  const anyType = operation === 'capture-payment' && context.options.captureContentType === 'any'
  if (!isJson && !anyType) {
    throw new Problem(406, 'The body has to be application/json', { code: 'EMULATOR-406' })
  }
  const body = new Uint8Array(await request.arrayBuffer())
  authenticate(context, endpoint, request.headers, body)
  const notes = createNotes(context, entry)
  if (!isJson) notes.add('content-type', `content-type is ${type ?? 'missing'}; the service wants application/json.`)
  const orderId = path.order_id ?? entry.order_id ?? undefined
  const take = (phase: Phase, hasEffect?: (fault: Fault) => boolean): Fault[] => {
    const faults = context.faults.take(operation, phase, orderId, hasEffect)
    noteFaults(context, entry, operation, faults)
    return faults
  }
  // A fault fires only on a request that gets this far: a rejected request does not use it up.
  await pause(context.options.latencyMs, context.chance, signal)
  const early = await applyRequestFaults(take('before'), context.chance, signal)
  if (early !== undefined) return early
  const statusCode = (): string | undefined => statusCodeOf(take('outcome'))
  const query = new URL(request.url).searchParams
  const input: EndpointRequest = { operation, path, query, body, notes, statusCode }
  const response = route(context, input)
  notes.publish()
  const faults = take('after', (fault) => canChange(fault, response))
  return applyResponseFaults(response, faults, signal)
}
