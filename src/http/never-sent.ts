// Each is written out: another code that merely begins like one of them proves nothing.
/** Connection codes that mean that not one byte of the request left (Node and Bun put them on the error or its cause). */
const NOT_CONNECTED =
  /^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|NETUNREACH|HOSTUNREACH)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|CERT_HAS_EXPIRED|UNABLE_TO_VERIFY_LEAF_SIGNATURE|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|ERR_TLS_CERT_ALTNAME_INVALID)$/

interface Failure {
  code?: unknown
  syscall?: unknown
  name?: unknown
  message?: unknown
  cause?: Failure | null
  errors?: unknown
}

/**
 * Whether a failed `fetch` provably sent nothing. False in doubt: workerd has one text for refused and for reset, so
 * there a refused POST counts as possibly executed.
 */
export function wasNeverSent(failure: unknown): boolean {
  const error = failure as Failure | null | undefined
  const cause = error?.cause
  // Deno asks for the right to the network before anything else.
  if (error?.name === 'NotCapable') return true
  // Several addresses of one host fail as an AggregateError: each attempt has a code of its own.
  const all = [error, cause, cause?.errors].flat() as (Failure | null | undefined)[]
  // A connection that was made and then lost its route has the same code as one that was never made.
  if (all.some((one) => /^(read|write)$/.test(one?.syscall as string))) return false
  const codes = all.map((one) => one?.code).filter((code) => typeof code === 'string')
  if (codes.length > 0) return codes.every((code) => NOT_CONNECTED.test(code))
  // Deno tells the phase in its text: hyper's connect phase ends before the first byte of a request. Node's fetch opens no
  // connection to a port that the standard forbids.
  return [error, cause].some((one) => /client error \(Connect\)|^bad port$/.test(String(one?.message)))
}
