import { Command, Option } from 'commander'
import { addOrderOptions, hostedOrder, type OrderFlags } from '../service/hosted-order.ts'
import { causeOf, EXIT } from '../service/outcome.ts'
import { forbidden, type Surroundings, signalOf, surroundings } from '../service/service.ts'
import { readEnvFile, readTextFile, readVariables } from '../terminal/environment.ts'
import { errorLine, FailedError, InterruptedError, UsageError } from '../terminal/errors.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'

interface Flags extends OrderFlags {
  expiresAt?: string
  reference?: string
  landing?: true
  longOrderId?: true
  workerUrl?: string
  tokenFile?: string
  envFile?: string
  timeout: number
  allowInsecureHttp?: boolean
  json?: boolean
}

/** `edgetill link [ID]` */
export function command(around = surroundings): Command {
  const verb = addOrderOptions(new Command('link'))
    .description('Makes a checkout link of your worker, for one payment. No money moves.')
    .optionsGroup('The link:')
    .option('--expires-at <TIME>', '2026-12-31T23:59:59Z (default: in 24 hours)')
    .option('--reference <TEXT>', 'your own; it comes back in onEvent and in the order')
    .option('--landing', 'shows what is bought and a button first')
    .option('--long-order-id', 'an ID of up to 253 characters, which no refund takes')
    .optionsGroup('The worker:')
    .option('--worker-url <URL>', "the worker's origin (or EDGETILL_WORKER_URL)")
    .option('--token-file <FILE>', 'a file with the ADMIN_TOKEN (or EDGETILL_WORKER_TOKEN)')
    .option('--env-file <FILE>', 'a file with these variables; it comes first')
    .addOption(new Option('--timeout <TIME>', 'how long to wait').argParser(milliseconds).default(30_000, '30s'))
    .option('--allow-insecure-http', 'http:// beyond loopback: others can read the token')
    .optionsGroup('Output:')
    .option('--json', 'print JSON, for programs')
  return verb
    .addOption(forbidden('worker-token', 'EDGETILL_WORKER_TOKEN', '--token-file'))
    .action((id: string | undefined, flags: Flags) => makeLink(id, flags, around()))
}

interface Worker {
  origin: string
  token: string
}

async function makeLink(id: string | undefined, flags: Flags, around: Surroundings): Promise<void> {
  const { origin, token } = await workerOf(flags, around)
  const { terminal, fetch = globalThis.fetch } = around
  const order = hostedOrder(id, flags)
  const { expiresAt: expires_at, reference, landing, longOrderId, email: customer_email } = flags
  const signal = signalOf(around)
  const done = terminal.progress('Waiting for the worker')
  try {
    const response = await fetch(`${origin}/api/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ order, expires_at, reference, landing, longOrderId, customer_email }),
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(flags.timeout), signal]),
    })
    const body = await bodyOf(response)
    done()
    if (!response.ok || typeof body.url !== 'string') throw rejection(response.status, body, origin)
    if (flags.json) terminal.out(JSON.stringify({ order_id: order.order_id, ...body }))
    else {
      terminal.err(`order_id ${order.order_id}, valid until ${printable(String(body.expires_at))}`)
      terminal.out(printable(body.url))
    }
    around.exit(EXIT.done)
  } catch (error) {
    done()
    const reason = signal.aborted
      ? new InterruptedError('Ctrl-C')
      : error instanceof FailedError
        ? error
        : new FailedError(
            `The worker at ${origin} did not respond: ${causeOf(error)}. Making a link moves no money.\n` +
              'Check EDGETILL_WORKER_URL and the network, and run the command again.',
            { cause: { code: 'connection' } },
          )
    if (!signal.aborted) terminal.err(reason.message)
    if (flags.json) terminal.out(errorLine(reason))
    around.exit(signal.aborted ? 130 : EXIT.failed)
  }
}

async function workerOf(flags: Flags, { environment }: Surroundings): Promise<Worker> {
  const file = flags.envFile === undefined ? {} : await readEnvFile(flags.envFile)
  const variables = { ...(environment ?? (await readVariables())), ...file }
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
  return { origin: originOf(address, flags.allowInsecureHttp ?? false), token }
}

function originOf(address: string, insecure: boolean): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.username + url.password + url.search) {
    throw new UsageError('EDGETILL_WORKER_URL must be an address without a path, such as https://pay.shop.example.com.')
  }
  if (url.protocol === 'https:' || insecure || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    return url.origin
  throw new UsageError('EDGETILL_WORKER_URL must be https:// (http:// on loopback, or with --allow-insecure-http).')
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? { ...json } : {}
  } catch {
    return {}
  }
}

const CURES: Record<number, string> = {
  401: 'EDGETILL_WORKER_TOKEN is not the ADMIN_TOKEN of this worker.',
  404: 'Is EDGETILL_WORKER_URL the origin of an edgetill worker, and is that up to date?',
}

function rejection(status: number, { title, detail, code }: Record<string, unknown>, origin: string): FailedError {
  const said = [title, detail].filter((text) => typeof text === 'string').join(' ')
  const cure = CURES[status] ?? (status >= 500 ? `Look at ${origin}/health.` : '')
  return new FailedError(
    `The worker at ${origin} rejected it with ${status}. ${printable(said.slice(0, 1000))}`.trim() +
      (cure && `\n${cure}`),
    { cause: { code: 'api', status, apiCode: typeof code === 'string' ? code : undefined } },
  )
}
