/** The system calls that Node makes before a connection exists. If such a call fails, nothing was written. */
const BEFORE_CONNECTION = /^(bind|connect|getaddrinfo|socket)$/

/**
 * Error codes that, without a system call, mean that not one byte left. A code that merely looks like one proves
 * nothing.
 */
const NEVER_CONNECTED: readonly unknown[] = [
  // Libraries over Node's sockets that keep the code of the system call and not its name.
  'ECONNREFUSED',
  'ENOTFOUND',
  'ENETUNREACH',
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
  // Node: the server speaks plain http, which the handshake shows. (Bun has EPROTO, which can come later too.)
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
  const cause = error?.cause
  // Node tries each address of a host: their common error has the code of the first.
  const tries = [cause?.errors ?? []].flat() as (NetworkError | null | undefined)[]
  const isOfAll = !cause?.syscall && tries.some((one) => one?.code === cause?.code)
  const errors = [error, !isOfAll && cause, ...tries].filter((one) => one !== false)
  const coded = errors.filter((one) => typeof (one?.syscall ?? one?.code) === 'string')
  if (coded.length > 0) return coded.every(isBeforeConnection)
  return errors.some((one) => isDenoNeverSent(one) || isForbiddenPort(one))
}

/** The phase proves it: an open connection fails in `read` or `write`, with any code. */
function isBeforeConnection(error: NetworkError | null | undefined): boolean {
  const { syscall, code } = error ?? {}
  return syscall ? BEFORE_CONNECTION.test(String(syscall)) : NEVER_CONNECTED.includes(code)
}

/** Deno: no permission for the network (`NotCapable`), or a failure in the connect phase, which its message names. */
function isDenoNeverSent(error: NetworkError | null | undefined): boolean {
  return error?.name === 'NotCapable' || String(error?.message).includes('client error (Connect)')
}

/** Node and Deno: `fetch` opens no connection to a port that the standard forbids. */
function isForbiddenPort(error: NetworkError | null | undefined): boolean {
  return error?.message === 'bad port' || /^Fetch failed: Requests to port \d+ are blocked/.test(String(error?.message))
}
