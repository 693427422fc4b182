import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Credentials, EmulatorOptions } from '../../emulator/index.ts'
import { parseInstant } from '../../emulator/state/time.ts'
import { environmentVariable } from '../terminal/environment.ts'
import { milliseconds, repeated, webAddress, wholeNumber } from '../terminal/option-values.ts'
import type { ServeEmulatorOptions } from './serve-emulator.ts'

/** What commander reads from the command line: only the options that were given. What an option may be is for the emulator to say. */
interface EmulatorFlags extends ServeEmulatorOptions, Partial<Credentials> {
  state?: string
  seedFile?: string
  cards?: boolean
  json?: boolean
  quiet?: boolean
  writeEnv?: string
  allowHost?: string[]
  perturb?: string
  retryDelays?: number[]
  webhookTimeout?: number
  webhookHeader?: [string, string][]
  checkoutExpiry?: number
  threeDSecureExpiry?: number
  authorizationExpiry?: number
  account?: Account[]
  latency?: number | [number, number]
}

type Account = { name: string; currency: string; available: number; rolling_reserve: number }

const CREDENTIALS = ['--pos-id', '--api-key', '--api-secret', '--endpoints-key', '--scheme']

/** Adds the options of the emulator. The values' form is checked here, what they may be by the emulator. */
export function addEmulatorOptions(command: Command): Command {
  command
    .optionsGroup('Where it is served:')
    .option('--port <N>', 'default 4010; 0 takes a free one', wholeNumber(0, 65_535))
    .option('--host <HOST>', 'default 127.0.0.1; 0.0.0.0 for other machines')
    .option('--origin <URL>', 'where others reach it: http://192.168.1.5:4010', webAddress)
    .option('--allow-host <NAME>', 'another name of it: emulator in compose; may be repeated', repeated(String))
    .option('--tls', 'https, self-signed; or --tls-cert FILE --tls-key FILE')
    .option('--webhook-url <URL>', 'where webhooks without a server_url go', webAddress)
    .optionsGroup('What it prints:')
    .option('--json', 'each event as a line of JSON, for programs')
    .option('--write-env <FILE>', 'its addresses and credentials, for --env-file')
    .option('--quiet', 'only internal errors')
    .option('--cards', 'all test cards')
    .optionsGroup('The same every time:')
    .option('--seed <N>', 'same ids, tokens and random faults; default 1', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--clock <ISO>', 'a time that stands still: 2026-01-31T10:00:00Z', clock)
    .option('--state <FILE>', 'goes on from there, and keeps it up to date')
    .option('--seed-file <FILE>', 'orders to begin with')
    .optionsGroup('What the API document leaves open:')
    .option('--authentication <MODE>', 'either (default), per-endpoint or plain')
    .option('--strict', 'rejects with 400 what would only be noted')
    .option('--perturb <LIST>', 'nulls,late_init and others (see the guide), or seed', String)
    .option('--capture-content-type <MODE>', 'json (default) or any')
    .option('--customer-fields <MODE>', 'optional (default) or required')
    .option('--max-capture-percent <N>', 'what can be captured at most; default 115', wholeNumber(100, 1000))
    .option('--hosted-auth-response <MODE>', 'redirect (default) or record')
    .option('--split-sum <MODE>', 'any (default) or exact')
    .option('--retry-delays <LIST>', 'of webhooks; default 1m,5m,30m,2h,24h; or none', delays)
    .option('--webhook-timeout <TIME>', 'after which a webhook has failed; default 10s', milliseconds)
    .option('--webhook-header <HEADER>', "'name: value' of each webhook; may be repeated", repeated(header))
    .option('--checkout-expiry <TIME>', 'after which an unpaid one fails; default never', milliseconds)
    .option('--three-d-secure-expiry <TIME>', 'after which 3-D Secure fails; default never', milliseconds)
    .option('--authorization-expiry <TIME>', 'after which captures fail; default never', milliseconds)
    .option('--account <ACCOUNT>', 'NAME:CURRENCY:AVAILABLE:RESERVE; default four', repeated(account))
    .option('--latency <MS>', 'of each call, in real time: 200, or 100-400', latency)
  for (const name of [...CREDENTIALS, '--tls-cert', '--tls-key']) {
    command.addOption(new Option(`${name} <VALUE>`).hideHelp())
  }
  return command.addHelpText('after', `\nOwn credentials: ${CREDENTIALS.join(', ')}.`)
}

export interface EmulatorArguments {
  json: boolean
  quiet: boolean
  writeEnv: string | undefined
  state: string | undefined
  seedFile: string | undefined
  cards: boolean
  serve: ServeEmulatorOptions & { port: number }
  emulator: EmulatorOptions
  /** The credentials that were given from outside: they are not printed. */
  ownCredentials: string[]
}

/** The options whose name on the command line is not that of `createEmulator`. */
const RENAMED: Readonly<Record<string, string>> = {
  ...{ allowHost: 'allowHosts', retryDelays: 'retryDelaysMs', webhookTimeout: 'webhookTimeoutMs' },
  ...{ account: 'accounts', latency: 'latencyMs' },
}

/** What the command line and the environment ask for. */
export function readEmulatorArguments(flags: EmulatorFlags): EmulatorArguments {
  const {
    json = false,
    quiet = false,
    writeEnv,
    state,
    seedFile,
    cards = false,
    port = 4010,
    host,
    origin,
    tls,
    tlsCert,
    tlsKey,
    ...more
  } = flags
  const { posId, apiKey, apiSecret, endpointsKey, scheme, perturb, webhookHeader, ...others } = more
  const { checkoutExpiry: checkoutMs, threeDSecureExpiry, authorizationExpiry: authorizationMs, ...rest } = others
  const credentials = present({
    posId: posId ?? environmentVariable('EDGETILL_POS_ID'),
    apiKey: apiKey ?? environmentVariable('EDGETILL_API_KEY'),
    apiSecret: apiSecret ?? environmentVariable('EDGETILL_API_SECRET'),
    endpointsKey: endpointsKey ?? environmentVariable('EDGETILL_ENDPOINTS_KEY'),
    scheme: scheme ?? environmentVariable('EDGETILL_SCHEME'),
  })
  const expiry = present({ checkoutMs, threeDSecureMs: threeDSecureExpiry, authorizationMs })
  const emulator = present({
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [RENAMED[name] ?? name, value])),
    perturbations: perturb === 'seed' ? 'seed' : perturb?.split(',').map((name) => name.trim()),
    webhookHeaders: webhookHeader && Object.fromEntries(webhookHeader),
    expiry: Object.keys(expiry).length === 0 ? undefined : expiry,
    credentials,
  }) as EmulatorOptions
  const serve = { port, ...present({ host, origin, tls, tlsCert, tlsKey }) }
  return { json, quiet, writeEnv, state, seedFile, cards, serve, emulator, ownCredentials: Object.keys(credentials) }
}

function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

function delays(text: string): number[] {
  return text === 'none' ? [] : text.split(',').map((delay) => milliseconds(delay.trim()))
}

function clock(text: string): { now(): number } {
  const now = parseInstant(text)
  if (now === undefined) throw new InvalidArgumentError('It takes a time with its zone like 2026-01-31T10:00:00Z.')
  return { now: () => now }
}

function latency(text: string): number | [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text)
  if (!match) throw new InvalidArgumentError('It takes milliseconds like 200, or a range like 100-400.')
  return match[2] === undefined ? Number(match[1]) : [Number(match[1]), Number(match[2])]
}

function header(line: string): [string, string] {
  const match = /^([\w-]+):\s*(.*)$/.exec(line)
  if (!match) throw new InvalidArgumentError("It takes 'name: value'.")
  return [match[1] ?? '', match[2] ?? '']
}

function account(text: string): Account {
  const match = /^(.+):([A-Z]{3}):(-?\d+(?:\.\d{1,2})?):(\d+(?:\.\d{1,2})?)$/.exec(text)
  if (!match) throw new InvalidArgumentError('It takes NAME:CURRENCY:AVAILABLE:RESERVE like Main:UAH:1000:50.')
  const [, name = '', currency = '', available, reserve] = match
  return { name, currency, available: Number(available), rolling_reserve: Number(reserve) }
}
