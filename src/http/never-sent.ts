/**
 * Error codes that mean that not one byte of the request left. Only a code of this list counts: a code that merely looks
 * like one of them proves nothing.
 */
const NEVER_CONNECTED: readonly unknown[] = [
  // Node (undici puts the code on the cause): the connection was refused, so there was nothing to write to.
  'ECONNREFUSED',
  // Node: the host name has no address.
  'ENOTFOUND',
  // Node: the name server did not respond, so there was no address to connect to.
  'EAI_AGAIN',
  // Node: there is no route to the network or the host. Also the code of an established connection that lost its route:
  // such an error names the system call, `read` or `write`, and is sorted out below.
  'ENETUNREACH',
  'EHOSTUNREACH',
  // Node (undici): the time limit for connecting passed before the connection was made.
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun: the connection was refused.
  'ConnectionRefused',
  // Node and Bun: the TLS handshake rejected the server's certificate. Requests are written after the handshake.
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  // Node: the server speaks plain http, which the handshake shows. (Bun says EPROTO, which can come later too.)
  'ERR_SSL_WRONG_VERSION_NUMBER',
]

/** The members of a runtime's network error; each engine fills in other members. */
interface NetworkError {
  code?: unknown
  syscall?: unknown
  name?: unknown
  message?: unknown
  cause?: NetworkError | null
  errors?: unknown
}

/**
 * Whether a failed `fetch` provably sent nothing. In doubt the answer is no. workerd has one message for a refused and
 * for a lost connection, so there a POST that was refused counts as possibly sent.
 */
export function wasNeverSent(failure: unknown): boolean {
  const error = failure as NetworkError | null | undefined
  const errors = [error, error?.cause, error?.cause?.errors].flat() as (NetworkError | null | undefined)[]
  if (errors.some(isLostConnection)) return false
  const codes = errors.map((one) => one?.code).filter((code) => typeof code === 'string')
  if (codes.length > 0) return codes.every((code) => NEVER_CONNECTED.includes(code))
  return errors.some((one) => isDenoNeverSent(one) || isForbiddenPort(one))
}

/** Node: a connection that was made and then failed while it was read or written. */
function isLostConnection(error: NetworkError | null | undefined): boolean {
  return /^(read|write)$/.test(String(error?.syscall))
}

/** Deno: no permission for the network (`NotCapable`), or a failure in the connect phase, which its message names. */
function isDenoNeverSent(error: NetworkError | null | undefined): boolean {
  return error?.name === 'NotCapable' || String(error?.message).includes('client error (Connect)')
}

/** Node and Deno: `fetch` opens no connection to a port that the standard forbids. */
function isForbiddenPort(error: NetworkError | null | undefined): boolean {
  return error?.message === 'bad port' || /^Fetch failed: Requests to port \d+ are blocked/.test(String(error?.message))
}
