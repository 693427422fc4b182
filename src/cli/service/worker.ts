import { parseJson } from '../json.ts'
import { readTextFile, readVariables, type Variables } from '../terminal/environment.ts'
import { FailedError, UsageError } from '../terminal/errors.ts'
import { isLoopback } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'
import { type Flags, forbidden, option, type Surroundings } from '../terminal/verb.ts'
import { causeOf } from './outcome.ts'

export type Worker = { origin: string; token: string }

/** The options that name a worker. @param url How the help describes its address. */
export const workerOptions = (url: string) => ({
  workerUrl: option('<URL>', url),
  tokenFile: option('<FILE>', 'a file with the ADMIN_TOKEN (or EDGETILL_WORKER_TOKEN)'),
  workerToken: forbidden('EDGETILL_WORKER_TOKEN', '--token-file'),
})

type WorkerFlags = Flags<ReturnType<typeof workerOptions>> & { envFile?: string; allowInsecureHttp?: boolean }

/**
 * @param isMounted Whether the address may have a path.
 * @throws {UsageError} when its address or its token is missing or cannot be used.
 */
export async function workerOf(
  flags: WorkerFlags,
  { environment }: Surroundings,
  fallback: Variables = {},
  isMounted = false,
) {
  const variables = { ...fallback, ...(await readVariables(flags.envFile, environment)) }
  const address = flags.workerUrl ?? variables.EDGETILL_WORKER_URL
  const { tokenFile } = flags
  const token =
    tokenFile === undefined
      ? variables.EDGETILL_WORKER_TOKEN
      : (await readTextFile(tokenFile, '--token-file')).replace(/\r?\n$/, '')
  if (!address || !token) {
    const missing = [!address && 'EDGETILL_WORKER_URL', !token && 'EDGETILL_WORKER_TOKEN'].filter(Boolean).join(', ')
    const advice = "Set them in the environment or in a file for --env-file: the worker's origin and its ADMIN_TOKEN."
    throw new UsageError(`Missing configuration: ${missing}. ${advice}`)
  }
  if (!/^[!-~]+$/.test(token)) throw new UsageError('EDGETILL_WORKER_TOKEN has a character that no header can carry.')
  return { origin: originOf(address, flags.allowInsecureHttp ?? false, isMounted), token }
}

function originOf(address: string, insecure: boolean, isMounted: boolean): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    (url.pathname !== '/' && !isMounted) ||
    url.username + url.password + url.search
  ) {
    throw new UsageError('EDGETILL_WORKER_URL must be an address without a path, such as https://pay.shop.example.com.')
  }
  if (url.protocol === 'https:' || insecure || isLoopback(address)) return url.origin + url.pathname.replace(/\/$/, '')
  throw new UsageError('EDGETILL_WORKER_URL must be https:// (http:// on loopback, or with --allow-insecure-http).')
}

/** A worker's response; `body` is empty if it is not a JSON object. */
export type WorkerResponse = { status: number; body: Record<string, unknown> }

/** Sends a request with the worker's token. Rejects as `fetch` does. */
export async function askWorker(
  { origin, token }: Worker,
  call: string,
  { fetch = globalThis.fetch }: Surroundings,
  signal: AbortSignal,
  input?: object | string,
): Promise<WorkerResponse> {
  const [method = '', path = ''] = call.split(' ')
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(input && { body: typeof input === 'string' ? input : JSON.stringify(input) }),
    redirect: 'manual',
    signal,
  })
  const json = parseJson(await response.text())
  const body = typeof json === 'object' && json !== null ? { ...json } : {}
  return { status: response.status, body }
}

/**
 * {@link askWorker} for a verb that moves no money. @throws {FailedError} without a 2xx, or without the field that it
 * `holds`.
 */
export async function callWorker(
  worker: Worker,
  call: string,
  around: Surroundings,
  {
    input,
    signal,
    timeoutMs,
    holds,
  }: { input?: object | string; signal: AbortSignal; timeoutMs: number; holds?: string },
): Promise<Record<string, unknown>> {
  const either = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal])
  const { status, body } = await askWorker(worker, call, around, either, input).catch((error: unknown) => {
    throw signal.aborted ? error : noResponse(worker, error)
  })
  if (status < 200 || status > 299 || (holds !== undefined && !(holds in body))) throw rejection(status, body, worker)
  return body
}

const noResponse = ({ origin }: Worker, error: unknown): FailedError =>
  new FailedError(
    `The worker at ${origin} did not respond: ${causeOf(error)}. No money has moved.\n` +
      'Check EDGETILL_WORKER_URL and the network, and run the command again.',
    { cause: { code: 'connection' } },
  )

const CURES: Record<number, string> = {
  401: 'EDGETILL_WORKER_TOKEN is neither the ADMIN_TOKEN of this worker nor a token of its PEOPLE.',
  404: 'Is EDGETILL_WORKER_URL the origin of an edgetill worker, and is that up to date?',
}

function rejection(status: number, { title, detail, code }: Record<string, unknown>, { origin }: Worker): FailedError {
  const reason = [title, detail].filter((text) => typeof text === 'string').join(' ')
  // A problem of the engine has a code: there the address is right.
  const cure = code === 'not_found' ? '' : (CURES[status] ?? (status >= 500 ? `Look at ${origin}/health.` : ''))
  const text = `The worker at ${origin} rejected it with ${status}. ${printable(reason.slice(0, 1000))}`.trim()
  const cause = { code: 'api', status, apiCode: typeof code === 'string' ? code : undefined }
  return new FailedError(text + (cure && `\n${cure}`), { cause })
}
