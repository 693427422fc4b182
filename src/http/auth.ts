import type { ResolvedConfig, Signer } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { hmacSha1Hex } from '../lib/hmac-sha1.ts'

/**
 * The default signer. An ASSUMPTION (the API document does not show the computation): lower-case hex of HMAC-SHA1 with
 * the API secret as key over the exact body.
 */
const hmacSha1Signer: Signer = ({ body, apiSecret }) => hmacSha1Hex(apiSecret, body)

/** The parts of a request that its credentials depend on. */
export interface AuthenticatedRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, encoded. */
  path: string
  /** The JSON text, serialised once: the signed bytes are the sent bytes. */
  body?: string | undefined
  /** The row of the API document's "Authentication" table. */
  authentication: 'hmac' | 'plain'
  /** The header of the endpoints key, if it is sent. */
  endpointsKeyHeader?: 'X-API-KEY' | 'X-API-Key' | undefined
}

/** Whether a request is signed, rather than sent with the secret itself. */
export function isSigned(config: ResolvedConfig, request: AuthenticatedRequest): boolean {
  return request.authentication === 'hmac' && config.authentication === 'per-endpoint'
}

/** The headers of a request: the API document's "Authentication" table, row by row. */
export async function authorize(
  config: ResolvedConfig,
  request: AuthenticatedRequest,
): Promise<Record<string, string>> {
  const { scheme, userAgent } = config
  const { apiKey, apiSecret, endpointsKey, signer = hmacSha1Signer } = config.given
  const { method, path, body, endpointsKeyHeader } = request
  const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': userAgent }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (endpointsKeyHeader) headers[endpointsKeyHeader] = endpointsKey
  if (!isSigned(config, request)) return { ...headers, 'X-API-AUTH': `${scheme} ${apiKey}:${apiSecret}` }
  let signature: string
  try {
    signature = await signer({ method, path, body: body ?? '', apiKey, apiSecret })
  } catch (cause) {
    throw new ConfigError('signer', 'The signer failed, so nothing was sent.', cause)
  }
  // workerd would send a header value that the other runtimes reject. Check it here, so that all fail alike.
  if (typeof signature !== 'string' || !/^[!-~]+$/.test(signature)) {
    throw new ConfigError('signer', 'The signer must return visible ASCII.')
  }
  return { ...headers, 'X-API-AUTH': `${scheme}-HMAC-SHA1 ${apiKey}:${signature}` }
}
