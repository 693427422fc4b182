import { InvalidArgumentError } from 'commander'
import type { EmulatorOptions } from '../../emulator/index.ts'
import { PERTURBATIONS } from '../../emulator/state/perturbations.ts'
import { parseInstant } from '../../emulator/state/time.ts'
import { environmentVariable } from '../terminal/environment.ts'
import { milliseconds, webAddress, wholeNumber } from '../terminal/option-values.ts'
import { completed, type Flags, flag, group, option, repeated, unlisted } from '../terminal/verb.ts'

const own = option('<VALUE>', '')

const delays = (text: string): number[] =>
  text === 'none' ? [] : text.split(',').map((delay) => milliseconds(delay.trim()))

const header = (line: string) => parts(line, /^([\w-]+):\s*(.*)$/, "'name: value'") as [string, string]

/** The options of the emulator. The values' form is checked here, their range by the emulator. */
export const EMULATOR_OPTIONS = {
  ...group('Where it is served:', {
    port: option('<N>', 'default 4010; 0 takes a free one', wholeNumber(0, 65_535)),
    host: option('<HOST>', 'default 127.0.0.1; 0.0.0.0 for other machines'),
    origin: option('<URL>', 'where others reach it: http://192.168.1.5:4010', webAddress),
    allowHost: repeated('<NAME>', 'another name, as in compose; may be repeated', String),
    tlsCert: option('<FILE>', 'https with this certificate, and --tls-key FILE'),
    webhookUrl: option('<URL>', 'where webhooks without a server_url go', webAddress),
  }),
  ...group('Output:', {
    json: flag('each event as a line of JSON, for programs'),
    writeEnv: option('<FILE>', 'its addresses and credentials, for --env-file'),
    wait: flag('waits until --write-env is written'),
    quiet: flag('internal errors only; with --json start, stop'),
    cards: flag('all test cards'),
  }),
  ...group('To repeat a run:', {
    seed: option('<N>', 'same ids, tokens and random faults; default 1', wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    clock: option('<ISO>', 'a time that stands still: 2026-01-31T10:00:00Z', clock),
    state: option('<FILE>', 'continues from this file, and keeps it up to date'),
    seedFile: option('<FILE>', 'orders to begin with'),
    keepOrders: option('<N>', 'forgets the oldest beyond N; default keeps all', wholeNumber(1, 1e9)),
  }),
  ...group('Where the API document is silent:', {
    authentication: completed(
      ['either', 'per-endpoint', 'plain'],
      option('<MODE>', 'either (default), per-endpoint or plain'),
    ),
    strict: flag('rejects with 400 instead of a note'),
    perturb: completed([...PERTURBATIONS, 'seed'], option('<LIST>', 'nulls,late_init … (see the guide), or seed')),
    captureContentType: completed(['json', 'any'], option('<MODE>', 'json (default) or any')),
    customerFields: completed(['optional', 'required'], option('<MODE>', 'optional (default) or required')),
    maxCapturePercent: option('<N>', 'the most that can be captured; default 115', wholeNumber(100, 1000)),
    hostedAuthResponse: completed(['redirect', 'record'], option('<MODE>', 'redirect (default) or record')),
    splitSum: completed(['any', 'exact'], option('<MODE>', 'any (default) or exact')),
    retryDelays: option('<LIST>', 'of webhooks; default 1m,5m,30m,2h,24h; or none', delays),
    webhookTimeout: option('<TIME>', 'after which a webhook has failed; default 10s', milliseconds),
    webhookHeader: repeated('<HEADER>', "'name: value' of each webhook; may be repeated", header),
    checkoutExpiry: option('<TIME>', 'after which an unpaid one fails; default never', milliseconds),
    threeDSecureExpiry: option('<TIME>', 'after which 3-D Secure fails; default never', milliseconds),
    authorizationExpiry: option('<TIME>', 'after which nothing more is captured; default never', milliseconds),
    account: repeated('<ACCOUNT>', 'NAME:CURRENCY:AVAILABLE:RESERVE; default four', account),
    latency: option('<MS>', 'of each call, in real time: 200, or 100-400', latency),
  }),
  ...unlisted({ tlsKey: own, posId: own, apiKey: own, apiSecret: own, endpointsKey: own, scheme: own }),
}

export type EmulatorFlags = Flags<typeof EMULATOR_OPTIONS>

const NAMES = {
  ...{ webhookUrl: 'webhookUrl', seed: 'seed', clock: 'clock', authentication: 'authentication', strict: 'strict' },
  ...{ captureContentType: 'captureContentType', customerFields: 'customerFields', splitSum: 'splitSum' },
  ...{ maxCapturePercent: 'maxCapturePercent', hostedAuthResponse: 'hostedAuthResponse', latencyMs: 'latency' },
  ...{
    keepOrders: 'keepOrders',
    allowHosts: 'allowHost',
    accounts: 'account',
    retryDelaysMs: 'retryDelays',
    webhookTimeoutMs: 'webhookTimeout',
  },
} as const

/** The emulator's options; its credentials may come from the environment too. */
export function emulatorOptions(flags: EmulatorFlags): EmulatorOptions {
  const { perturb, webhookHeader, checkoutExpiry: checkoutMs, authorizationExpiry: authorizationMs } = flags
  const expiry = present({ checkoutMs, threeDSecureMs: flags.threeDSecureExpiry, authorizationMs })
  const credentials = present({
    posId: flags.posId ?? environmentVariable('EDGETILL_POS_ID'),
    apiKey: flags.apiKey ?? environmentVariable('EDGETILL_API_KEY'),
    apiSecret: flags.apiSecret ?? environmentVariable('EDGETILL_API_SECRET'),
    endpointsKey: flags.endpointsKey ?? environmentVariable('EDGETILL_ENDPOINTS_KEY'),
    scheme: flags.scheme ?? environmentVariable('EDGETILL_SCHEME'),
  })
  return present({
    ...Object.fromEntries(Object.entries(NAMES).map(([name, given]) => [name, flags[given as keyof EmulatorFlags]])),
    perturbations: perturb === 'seed' ? 'seed' : perturb?.split(',').map((name) => name.trim()),
    webhookHeaders: webhookHeader && Object.fromEntries(webhookHeader),
    expiry: Object.keys(expiry).length === 0 ? undefined : expiry,
    credentials,
  }) as EmulatorOptions
}

const present = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never

function clock(text: string): { now(): number } {
  const now = parseInstant(text)
  if (now === undefined) throw new InvalidArgumentError('It takes a time with its zone like 2026-01-31T10:00:00Z.')
  return { now: () => now }
}

function parts(text: string, form: RegExp, takes: string): string[] {
  const match = form.exec(text)
  if (!match) throw new InvalidArgumentError(`It takes ${takes}.`)
  return match.slice(1)
}

function latency(text: string): number | [number, number] {
  const [from, to] = parts(text, /^(\d+)(?:-(\d+))?$/, 'milliseconds like 200, or a range like 100-400')
  return to === undefined ? Number(from) : [Number(from), Number(to)]
}

function account(text: string) {
  const form = /^(.+):([A-Z]{3}):(-?\d+(?:\.\d{1,2})?):(\d+(?:\.\d{1,2})?)$/
  const [name, currency, own, reserve] = parts(text, form, 'NAME:CURRENCY:AVAILABLE:RESERVE like Main:UAH:1000:50')
  return { name, currency, available: Number(own), rolling_reserve: Number(reserve) }
}
