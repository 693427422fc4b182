/** Connection codes that mean that not one byte of the request left (Node and Bun put them on the error or its cause). */
const NOT_CONNECTED =
  /^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|NETUNREACH|HOSTUNREACH)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$|^(CERT_|UNABLE_TO_|\w*SELF_SIGNED_|ERR_TLS_CERT_ALTNAME)/

/**
 * Whether a failed `fetch` provably sent nothing. False in doubt: workerd has one text for refused and for reset, so
 * there a refused POST counts as possibly executed.
 */
export function wasNeverSent(error: unknown): boolean {
  const { code, cause, name } = (error ?? {}) as { code?: unknown; cause?: unknown; name?: unknown }
  // Deno asks for the right to the network before anything else.
  if (name === 'NotCapable') return true
  // A connection that was made and then lost its route has the same code as one that was never made.
  const { syscall } = (cause ?? {}) as { syscall?: unknown }
  if (syscall === 'read' || syscall === 'write') return false
  const codes = [code, ...codesOf(cause)].filter((one) => typeof one === 'string')
  if (codes.length > 0) return codes.every((one) => NOT_CONNECTED.test(one))
  // Deno tells the phase in its text: hyper's connect phase ends before the first byte of a request.
  return [error, cause].some((one) => String((one as Error | undefined)?.message).includes('client error (Connect)'))
}

// Several addresses of one host fail as an AggregateError: each attempt has a code of its own.
function codesOf(cause: unknown): unknown[] {
  const { code, errors } = (cause ?? {}) as { code?: unknown; errors?: unknown }
  return Array.isArray(errors) ? errors.map((error) => (error as { code?: unknown } | null)?.code) : [code]
}
