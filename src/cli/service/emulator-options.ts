import { InvalidArgumentError } from 'commander'
import type { EmulatorOptions } from '../../emulator/index.ts'
import { PERTURBATIONS } from '../../emulator/state/perturbations.ts'
import { parseInstant } from '../../emulator/state/time.ts'
import { environmentVariable } from '../terminal/environment.ts'
import { milliseconds, webAddress, wholeNumber } from '../terminal/option-values.ts'
import { completed, type Flags, flag, group, hidden, type OptionRow, option, repeated } from '../terminal/verb.ts'
import type { ServeEmulatorOptions } from './serve-emulator.ts'

const own = (): OptionRow<string | undefined> => hidden(option('<VALUE>', ''))

/** The options of the emulator. The values' form is checked here, what they may be by the emulator. */
export const EMULATOR_OPTIONS = {
  ...group('Where it is served:', {
    port: option('<N>', 'default 4010; 0 takes a free one', wholeNumber(0, 65_535)),
    host: option('<HOST>', 'default 127.0.0.1; 0.0.0.0 for other machines'),
    origin: option('<URL>', 'where others reach it: http://192.168.1.5:4010', webAddress),
    allowHost: repeated('<NAME>', 'another name of it: emulator in compose; may be repeated', String),
    tlsCert: option('<FILE>', 'https with this certificate, and --tls-key FILE'),
    tlsKey: own(),
    webhookUrl: option('<URL>', 'where webhooks without a server_url go', webAddress),
  }),
  ...group('What it prints:', {
    json: flag('each event as a line of JSON, for programs'),
    writeEnv: option('<FILE>', 'its addresses and credentials, for --env-file'),
    wait: flag('waits until one is served, and --write-env written'),
    quiet: flag('only internal errors'),
    cards: flag('all test cards'),
  }),
  ...group('The same every time:', {
    seed: option('<N>', 'same ids, tokens and random faults; default 1', wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    clock: option('<ISO>', 'a time that stands still: 2026-01-31T10:00:00Z', clock),
    state: option('<FILE>', 'goes on from there, and keeps it up to date'),
    seedFile: option('<FILE>', 'orders to begin with'),
  }),
  ...group('What the API document leaves open:', {
    authentication: completed(
      ['either', 'per-endpoint', 'plain'],
      option('<MODE>', 'either (default), per-endpoint or plain'),
    ),
    strict: flag('rejects with 400 what would only be noted'),
    perturb: completed(
      [...PERTURBATIONS, 'seed'],
      option('<LIST>', 'nulls,late_init and others (see the guide), or seed'),
    ),
    captureContentType: completed(['json', 'any'], option('<MODE>', 'json (default) or any')),
    customerFields: completed(['optional', 'required'], option('<MODE>', 'optional (default) or required')),
    maxCapturePercent: option('<N>', 'what can be captured at most; default 115', wholeNumber(100, 1000)),
    hostedAuthResponse: completed(['redirect', 'record'], option('<MODE>', 'redirect (default) or record')),
    splitSum: completed(['any', 'exact'], option('<MODE>', 'any (default) or exact')),
    retryDelays: option('<LIST>', 'of webhooks; default 1m,5m,30m,2h,24h; or none', delays),
    webhookTimeout: option('<TIME>', 'after which a webhook has failed; default 10s', milliseconds),
    webhookHeader: repeated('<HEADER>', "'name: value' of each webhook; may be repeated", header),
    checkoutExpiry: option('<TIME>', 'after which an unpaid one fails; default never', milliseconds),
    threeDSecureExpiry: option('<TIME>', 'after which 3-D Secure fails; default never', milliseconds),
    authorizationExpiry: option('<TIME>', 'after which captures fail; default never', milliseconds),
    account: repeated('<ACCOUNT>', 'NAME:CURRENCY:AVAILABLE:RESERVE; default four', account),
    latency: option('<MS>', 'of each call, in real time: 200, or 100-400', latency),
  }),
  posId: own(),
  apiKey: own(),
  apiSecret: own(),
  endpointsKey: own(),
  scheme: own(),
}

type EmulatorFlags = Flags<typeof EMULATOR_OPTIONS>
type Account = { name: string; currency: string; available: number; rolling_reserve: number }

export interface EmulatorArguments {
  json: boolean
  quiet: boolean
  writeEnv: string | undefined
  state: string | undefined
  seedFile: string | undefined
  cards: boolean
  wait: boolean
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

/** Reads the command line and the environment. */
export function readEmulatorArguments(flags: EmulatorFlags): EmulatorArguments {
  const {
    json = false,
    quiet = false,
    writeEnv,
    state,
    seedFile,
    cards = false,
    wait = false,
    port = 4010,
    host,
    origin,
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
  const serve = { port, ...present({ host, origin, tlsCert, tlsKey }) }
  return {
    json,
    quiet,
    writeEnv,
    state,
    seedFile,
    cards,
    wait,
    serve,
    emulator,
    ownCredentials: Object.keys(credentials),
  }
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
