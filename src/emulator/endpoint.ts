import type { World } from './context.ts'
import { spoilAnswer, strikeBefore } from './faults/response-faults.ts'
import { authenticate } from './http/authentication.ts'
import { Problem } from './http/problem.ts'
import type { Route } from './http/request.ts'
import type { OperationName } from './spec/endpoints.ts'

/**
 * Answers one endpoint. The order of the checks is part of the contract: path 404 (before this function), verb 405, content
 * type 406, credentials 401, body 400. The document fixes neither the order nor 404, 405 and 406: public material does.
 */
export async function answerEndpoint(
  world: World,
  operation: OperationName,
  route: Route,
  request: Request,
  path: Record<string, string>,
): Promise<Response> {
  const faults = world.faults.take(operation)
  const early = await strikeBefore(faults, request.signal)
  if (early !== undefined) return early
  const response = await answer(world, operation, route, request, path).catch((error: unknown) => {
    if (error instanceof Problem) return error.toResponse()
    throw error
  })
  return spoilAnswer(response, faults, request.signal)
}

async function answer(
  world: World,
  operation: OperationName,
  route: Route,
  request: Request,
  path: Record<string, string>,
): Promise<Response> {
  const endpoint = world.rules.endpoints[operation]
  if (request.method !== endpoint.verb) {
    const allow = { allow: endpoint.verb }
    throw new Problem(405, `${endpoint.verb} is the method of this path`, { code: 'EMULATOR-405' }, allow)
  }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (endpoint.jsonBody && type !== 'application/json') {
    throw new Problem(406, 'The body has to be application/json', { code: 'EMULATOR-406' })
  }
  const body = new Uint8Array(await request.arrayBuffer())
  authenticate(world, endpoint, request.headers, body)
  return route(world, { operation, path, query: new URL(request.url).searchParams, body })
}
