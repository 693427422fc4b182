import { hmac } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'
import type { Context } from '../context.ts'
import type { EndpointRule } from '../spec/endpoints.ts'
import { Problem } from './problem.ts'

/**
 * Lower-case hex of HMAC-SHA1(key = API_SECRET, message = the exact body). Assumption: the API document does not show
 * it.
 */
function hmacSignature(body: Uint8Array, apiSecret: string): string {
  const digest = hmac(sha1, new TextEncoder().encode(apiSecret), body)
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Rejects a request whose headers are not those of the endpoint's rows in the API document ("Authentication"). */
export function authenticate(context: Context, endpoint: EndpointRule, headers: Headers, body: Uint8Array): void {
  const { wire } = context.rules
  const { apiKey, endpointsKey } = context.options.credentials
  const auth = headers.get(wire.authHeader)
  if (auth === null || auth.trim() === '') throw unauthorized(context, 'X-API-AUTH is missing')
  const accepted = acceptedAuth(context, endpoint, body)
  if (!accepted.some(({ value }) => value === auth)) {
    const wanted = accepted.map(({ form }) => form).join(' or ')
    const known = auth.includes(`${apiKey}:`) ? 'scheme, secret or signature' : 'key'
    // Another digest is not another secret.
    const [suffix] = /-HMAC-[\w-]+(?= )/i.exec(auth) ?? []
    const other = suffix === undefined || suffix === wire.hmacSuffix ? '' : ` (the request was signed with ${suffix})`
    throw unauthorized(context, `X-API-AUTH has a wrong ${known}${other}; this endpoint wants ${wanted}`)
  }
  if (endpoint.endpointsKey && headers.get(wire.keyHeader) !== endpointsKey) {
    throw unauthorized(context, 'X-API-KEY is missing or wrong')
  }
}

/** A value of `X-API-AUTH` that is accepted, and its form without the credentials. */
interface AcceptedAuth {
  form: string
  value: string
}

function acceptedAuth(context: Context, endpoint: EndpointRule, body: Uint8Array): AcceptedAuth[] {
  const { authentication, credentials, signature = hmacSignature } = context.options
  const { scheme, apiKey, apiSecret } = credentials
  const { hmacSuffix } = context.rules.wire
  const plain = { form: 'SCHEME KEY:SECRET', value: `${scheme} ${apiKey}:${apiSecret}` }
  if (endpoint.scheme === 'plain' || authentication === 'plain') return [plain]
  const signed = {
    form: `SCHEME${hmacSuffix} KEY:SIGNATURE`,
    value: `${scheme}${hmacSuffix} ${apiKey}:${signature(body, apiSecret)}`,
  }
  return authentication === 'per-endpoint' ? [signed] : [signed, plain]
}

/** A POS that is well-formed but another's is a wrong credential, wherever it stands in the request. */
export function checkPos(context: Context, posId: unknown): void {
  const invalid = context.rules.types.uuid(posId)
  if (invalid !== undefined) return
  if (String(posId).toLowerCase() !== context.options.credentials.posId.toLowerCase()) {
    throw unauthorized(context, 'pos_id is not the POS of these credentials')
  }
}

function unauthorized(context: Context, why: string): Problem {
  return new Problem(context.rules.wire.unauthorized, `Invalid credentials: ${why}`, { code: 'S-404' })
}
