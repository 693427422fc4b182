/**
 * Why a request got no response, in one line: `ECONNREFUSED 127.0.0.1:3000`. Node's `fetch` has only "fetch failed" and
 * keeps the reason in `cause`; Bun and Deno have it in the message.
 */
export function failureCause(error: unknown, timeoutMs: number): string {
  const root = rootOf(error)
  if (!(root instanceof Error)) return String(root)
  if (root.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`
  const { code, address, port, message } = root as Error & { code?: unknown; address?: unknown; port?: unknown }
  if (message === 'bad port') return 'bad port: fetch never connects to this one'
  if (typeof code !== 'string') return message
  if (typeof address === 'string') return port === undefined ? `${code} ${address}` : `${code} ${address}:${port}`
  // TLS errors come with a line of a library's source.
  if (message.includes('\n') || message.length > 120) return code
  return message.includes(code) ? message : `${code}: ${message}`
}

function rootOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0])
  return error.cause instanceof Error ? rootOf(error.cause) : error
}
