import type { Context } from './context.ts'
import { applyRequestFaults, applyResponseFaults } from './faults/response-faults.ts'
import { authenticate } from './http/authentication.ts'
import { Problem } from './http/problem.ts'
import type { Route } from './http/request.ts'
import { noteFaults } from './http/request-log.ts'
import type { OperationName } from './spec/endpoints.ts'
import type { LoggedRequest } from './state/activity.ts'

/**
 * Handles one request. The order of the checks is part of the contract: path 404 (before this function), verb 405, content
 * type 406, credentials 401, body 400. The API document fixes neither the order nor 404, 405 and 406: public material does.
 */
export async function handleEndpoint(
  context: Context,
  operation: OperationName,
  route: Route,
  request: Request,
  path: Record<string, string>,
  entry: LoggedRequest,
): Promise<Response> {
  entry.operation = operation
  entry.order_id ??= path.order_id ?? null
  const faults = context.faults.take(operation)
  noteFaults(context, entry, operation, faults)
  const early = await applyRequestFaults(faults, request.signal)
  if (early !== undefined) return early
  const response = await respond(context, operation, route, request, path).catch((error: unknown) => {
    if (error instanceof Problem) return error.toResponse()
    throw error
  })
  return applyResponseFaults(response, faults, request.signal)
}

async function respond(
  context: Context,
  operation: OperationName,
  route: Route,
  request: Request,
  path: Record<string, string>,
): Promise<Response> {
  const endpoint = context.rules.endpoints[operation]
  if (request.method !== endpoint.verb) {
    const allow = { allow: endpoint.verb }
    throw new Problem(405, `${endpoint.verb} is the method of this path`, { code: 'EMULATOR-405' }, allow)
  }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (endpoint.jsonBody && type !== 'application/json') {
    throw new Problem(406, 'The body has to be application/json', { code: 'EMULATOR-406' })
  }
  const body = new Uint8Array(await request.arrayBuffer())
  authenticate(context, endpoint, request.headers, body)
  return route(context, { operation, path, query: new URL(request.url).searchParams, body })
}
