import { type Command, Option } from 'commander'
import type { Client, ClientConfig, Fetch, Warning } from '../../index.ts'
import { createClient, isConnectionError } from '../../index.ts'
import type { Variables } from '../terminal/environment.ts'
import { type ExitCode, errorLine, exitCodeOf, FailedError, InterruptedError, UsageError } from '../terminal/errors.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { printable, processTerminal, type Terminal } from '../terminal/terminal.ts'
import { configOf, readSettings, type ServiceFlags } from './configuration.ts'
import { untilStopped } from './interrupt.ts'
import { cureOf } from './outcome.ts'

/** What a verb takes from its surroundings; a test hands in others. */
export interface Surroundings {
  terminal: Terminal
  /** `EDGETILL_*`; default: the environment of the process. */
  environment?: Variables
  fetch?: Fetch
  /** Resolves on Ctrl-C. */
  stopped: Promise<unknown>
  /** Takes the exit code. */
  exit(code: ExitCode): void
}

/** One use of a verb against the configured service. */
export interface Session {
  config: ClientConfig
  client: Client
  terminal: Terminal
  json: boolean
  /** Aborted on Ctrl-C. */
  signal: AbortSignal
  /** Waits for a call, and shows that it takes long. */
  wait<T>(call: Promise<T>): Promise<T>
}

/** Adds the options that all verbs share which talk to the service, below their own. */
export function addServiceOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--json', 'print JSON, for programs')
    .option('--verbose', 'print requests and responses on stderr, no secrets')
    .optionsGroup('The service (flags, then --env-file, then EDGETILL_BASE_URL and so on):')
    .option('--env-file <FILE>', 'a file with EDGETILL_* variables')
    .option('--secret-file <FILE>', 'the API secret, in place of EDGETILL_API_SECRET')
    .option('--base-url <URL>', 'the base_url of the API document')
    .option('--api-url <URL>', 'its api_url: balances and recurring-cancel need it')
    .option('--pos-id <UUID>', 'your POS')
    .option('--scheme <SCHEME>', "the service's scheme in X-API-AUTH")
    .option('--authentication <KIND>', 'per-endpoint or plain')
    .option('--timeout <TIME>', 'for each attempt: 500ms, 2m (default: 30s)', milliseconds)
    .option('--allow-insecure-http', 'http:// beyond loopback: others can read and change it')
    .addOption(forbidden('api-key', 'EDGETILL_API_KEY'))
    .addOption(forbidden('api-secret', 'EDGETILL_API_SECRET', '--secret-file'))
    .addOption(forbidden('endpoints-key', 'EDGETILL_ENDPOINTS_KEY'))
}

/** A secret as a flag would stand in the list of processes. The error names the way, never the value. */
export function forbidden(flag: string, variable: string, file?: string): Option {
  return new Option(`--${flag} [value]`).hideHelp().argParser(() => {
    const other = file === undefined ? '' : `, or use ${file} FILE`
    throw new UsageError(
      `--${flag} is not an option, because other users of this machine can see flags. Set ${variable} in the environment or in a file for --env-file${other}.`,
    )
  })
}

/** The surroundings of the process. */
export function surroundings(): Surroundings {
  const stopped = untilStopped().then((reason) => (reason === 'signal' ? reason : new Promise(() => {})))
  return {
    terminal: processTerminal(),
    stopped,
    exit: (code) => {
      process.exitCode = code
    },
  }
}

/** Reads the configuration, runs a verb, and prints what went wrong with what to do about it. */
export async function withService(
  flags: ServiceFlags,
  around: Surroundings,
  run: (session: Session) => Promise<ExitCode>,
): Promise<void> {
  const { terminal } = around
  const settings = await readSettings(flags, around.environment)
  const config: ClientConfig = { ...configOf(settings, flags), fetch: around.fetch, ...hooksOf(flags, terminal) }
  const wait = async <T>(call: Promise<T>): Promise<T> => {
    const done = terminal.progress('Waiting for the service')
    return await call.finally(done)
  }
  const signal = signalOf(around)
  const session = { config, client: createClient(config), terminal, json: flags.json ?? false, signal, wait }
  await conclude(around, flags.json, signal, () => run(session))
}

/** Ends a verb: takes its exit code, or prints what went wrong. */
export async function conclude(
  { terminal, exit }: Surroundings,
  json: boolean | undefined,
  signal: AbortSignal,
  run: () => Promise<ExitCode>,
): Promise<void> {
  try {
    exit(await run())
  } catch (error) {
    const isEnded = signal.aborted && (isConnectionError(error) || (error as Error).name === 'AbortError')
    const reason = isEnded ? new InterruptedError('Ctrl-C') : error
    if (!isEnded) {
      // Of the command line's own words a line break is meant.
      const message = error instanceof Error ? error.message : String(error)
      terminal.err(error instanceof FailedError ? message : printable(message))
      const cure = cureOf(error)
      if (cure !== '') terminal.err(cure)
    }
    if (json) terminal.out(errorLine(reason))
    exit(exitCodeOf(reason))
  }
}

/** Aborted on Ctrl-C. */
export function signalOf({ stopped }: Surroundings): AbortSignal {
  const interrupt = new AbortController()
  stopped.then(() => interrupt.abort())
  return interrupt.signal
}

/** Prints warnings, and with `--verbose` what is sent and received: the hooks see no header and no body. */
export function hooksOf({ verbose }: ServiceFlags, terminal: Terminal): Partial<ClientConfig> {
  const onWarning = ({ message }: Warning): void => terminal.err(`Warning: ${message}`)
  if (!verbose) return { onWarning }
  return {
    onWarning,
    onRequest: ({ method, path, attempt }) => {
      terminal.err(`> ${method} ${path}${attempt > 1 ? ` (attempt ${attempt})` : ''}`)
    },
    onResponse: ({ status, durationMs, requestId }) => {
      const id = requestId === undefined ? '' : ` (request ${requestId})`
      terminal.err(`< ${status} after ${Math.round(durationMs)} ms${id}`)
    },
    onRetry: ({ delayMs }) => terminal.err(`… again in ${Math.round(delayMs)} ms`),
  }
}
