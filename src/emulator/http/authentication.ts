import { hmac } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'
import type { World } from '../context.ts'
import type { EndpointRule } from '../spec/endpoints.ts'
import { Problem } from './problem.ts'

/** Lower-case hex of HMAC-SHA1(key = API_SECRET, message = the exact body). Assumption: the document does not show it. */
function hmacSignature(body: Uint8Array, apiSecret: string): string {
  const digest = hmac(sha1, new TextEncoder().encode(apiSecret), body)
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Refuses a request whose headers are not those of the endpoint's rows in the document ("Authentication"). */
export function authenticate(world: World, endpoint: EndpointRule, headers: Headers, body: Uint8Array): void {
  const { wire } = world.rules
  const { apiKey, endpointsKey } = world.options.credentials
  const auth = headers.get(wire.authHeader)
  if (auth === null) throw unauthorized(world, 'X-API-AUTH is missing')
  if (!expectedAuth(world, endpoint, body).includes(auth)) {
    const wanted = endpoint.scheme === 'hmac' ? 'SCHEME-HMAC-SHA1 KEY:SIGNATURE' : 'SCHEME KEY:SECRET'
    const known = auth.includes(`${apiKey}:`) ? 'scheme, secret or signature' : 'key'
    throw unauthorized(world, `X-API-AUTH has a wrong ${known}; this endpoint wants ${wanted}`)
  }
  if (endpoint.endpointsKey && headers.get(wire.keyHeader) !== endpointsKey) {
    throw unauthorized(world, 'X-API-KEY is missing or wrong')
  }
}

function expectedAuth(world: World, endpoint: EndpointRule, body: Uint8Array): string[] {
  const { authentication, credentials, signature = hmacSignature } = world.options
  const { scheme, apiKey, apiSecret } = credentials
  const plain = `${scheme} ${apiKey}:${apiSecret}`
  if (endpoint.scheme === 'plain') return [plain]
  const signed = `${scheme}${world.rules.wire.hmacSuffix} ${apiKey}:${signature(body, apiSecret)}`
  if (authentication === 'plain') return [plain]
  return authentication === 'per-endpoint' ? [signed] : [signed, plain]
}

/** A POS that is well-formed but another's is a wrong credential, wherever it stands in the request. */
export function checkPos(world: World, posId: unknown): void {
  const invalid = world.rules.types.uuid(posId)
  if (invalid !== undefined) return
  if (String(posId).toLowerCase() !== world.options.credentials.posId.toLowerCase()) {
    throw unauthorized(world, 'pos_id is not the POS of these credentials')
  }
}

function unauthorized(world: World, why: string): Problem {
  return new Problem(world.rules.wire.unauthorized, `Invalid credentials: ${why}`, { code: 'S-404' })
}
