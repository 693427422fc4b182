import type { ResolvedConfig } from './config.ts'
import { ConfigError } from './errors.ts'

/** The parts of a request that its credentials depend on. */
export interface AuthenticatedRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, encoded. */
  path: string
  /** The JSON text, serialised once: what is signed is what is sent. */
  body?: string | undefined
  /** The row of the document's "Authentication" table. */
  authentication: 'hmac' | 'plain'
  /** The name under which the endpoints key travels, if it does. */
  endpointsKeyHeader?: 'X-API-KEY' | 'X-API-Key' | undefined
}

/** Whether the default signer, which is an assumption, signs a request. */
export function usesDefaultSigner(config: ResolvedConfig, { authentication }: AuthenticatedRequest): boolean {
  return authentication === 'hmac' && config.authentication === 'documented' && !config.signer
}

/** The headers of a request: the document's "Authentication" table, row by row. */
export async function authorize(
  config: ResolvedConfig,
  request: AuthenticatedRequest,
): Promise<Record<string, string>> {
  const { apiKey, apiSecret, endpointsKey, scheme, userAgent } = config
  const { method, path, body, endpointsKeyHeader } = request
  const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': userAgent }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (endpointsKeyHeader) headers[endpointsKeyHeader] = endpointsKey
  if (request.authentication === 'plain' || config.authentication === 'plain') {
    return { ...headers, 'X-API-AUTH': `${scheme} ${apiKey}:${apiSecret}` }
  }
  let signature: string
  try {
    signature = await config.sign({ method, path, body: body ?? '', apiKey, apiSecret })
  } catch (cause) {
    throw new ConfigError('signer', 'The signer failed, so nothing was sent: its error is the cause.', cause)
  }
  // workerd would send a header value that the other runtimes refuse: checked here, all fail alike.
  if (typeof signature !== 'string' || !/^[!-~]+$/.test(signature)) {
    throw new ConfigError('signer', 'The signer must answer visible ASCII: it becomes part of a header.')
  }
  return { ...headers, 'X-API-AUTH': `${scheme}-HMAC-SHA1 ${apiKey}:${signature}` }
}
