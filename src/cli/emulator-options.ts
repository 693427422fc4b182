import type { EmulatorOptions } from '../emulator/index.ts'
import { environmentVariable } from './environment.ts'
import type { ServeEmulatorOptions } from './serve-emulator.ts'
import { readOptions, UsageError, wholeNumber } from './usage.ts'

export const EMULATOR_HELP = `Usage: edgetill emulator [options]

Serves an emulator of the payment service on loopback until Ctrl-C. No account, no network.

Where it is served
  --port N                    the port; default 4010, 0 takes a free one
  --host HOST                 where it listens; default 127.0.0.1, 0.0.0.0 for containers and phones
  --origin URL                the address that others reach it at, for redirects: http://192.168.1.5:4010
  --webhook-url URL           where webhooks go whose request names no server_url

What it prints
  --json                      prints each event as a line of JSON, for programs
  --quiet                     prints no requests and no webhooks, only internal errors

The same every time
  --seed N                    the same seed gives the same ids, tokens and random faults; default 1
  --clock ISO                 stands still at this time until it is moved: 2026-01-31T10:00:00Z

Its own credentials (or the variables EDGETILL_POS_ID, EDGETILL_API_KEY, and so on)
  --pos-id, --api-key, --api-secret, --endpoints-key, --scheme

What the API document leaves open
  --authentication WORD       either (default), per-endpoint or plain
  --customer-fields WORD      optional (default) or required
  --max-capture-percent N     how much of an authorization can be captured; default 115
  --hosted-auth-response WORD redirect (default) or record
  --split-sum WORD            any (default) or exact
  --retry-delays LIST         waits before a failed webhook is sent again: 1m,5m,30m,2h,24h (default), or none
  --webhook-timeout TIME      after which a webhook has failed; default 10s
  --webhook-header 'N: V'     a header of each webhook; may be repeated
  --checkout-expiry TIME      after which an unpaid checkout fails; default never
  --three-d-secure-expiry TIME, --authorization-expiry TIME
  --account NAME:CUR:AMOUNT:RESERVE   an account at the start, in place of the four default ones; may be repeated
  --latency MS                real time that each endpoint waits: 200, or a range: 100-400
  --help                      this text`

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  origin: { type: 'string' },
  'webhook-url': { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  seed: { type: 'string' },
  clock: { type: 'string' },
  'pos-id': { type: 'string' },
  'api-key': { type: 'string' },
  'api-secret': { type: 'string' },
  'endpoints-key': { type: 'string' },
  scheme: { type: 'string' },
  authentication: { type: 'string' },
  'customer-fields': { type: 'string' },
  'max-capture-percent': { type: 'string' },
  'hosted-auth-response': { type: 'string' },
  'split-sum': { type: 'string' },
  'retry-delays': { type: 'string' },
  'webhook-timeout': { type: 'string' },
  'webhook-header': { type: 'string', multiple: true },
  'checkout-expiry': { type: 'string' },
  'three-d-secure-expiry': { type: 'string' },
  'authorization-expiry': { type: 'string' },
  account: { type: 'string', multiple: true },
  latency: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface EmulatorArguments {
  help: boolean
  json: boolean
  quiet: boolean
  serve: ServeEmulatorOptions
  emulator: EmulatorOptions
  /** The credentials that were given from outside: they are not printed. */
  ownCredentials: string[]
}

/** Reads everything that can be wrong usage, before anything is started. What an option may be is the emulator's to say. */
export function readEmulatorArguments(words: string[]): EmulatorArguments {
  const given = readOptions(words, OPTIONS, EMULATOR_HELP)
  const credentials = present({
    posId: given['pos-id'] ?? environmentVariable('EDGETILL_POS_ID'),
    apiKey: given['api-key'] ?? environmentVariable('EDGETILL_API_KEY'),
    apiSecret: given['api-secret'] ?? environmentVariable('EDGETILL_API_SECRET'),
    endpointsKey: given['endpoints-key'] ?? environmentVariable('EDGETILL_ENDPOINTS_KEY'),
    scheme: given.scheme ?? environmentVariable('EDGETILL_SCHEME'),
  })
  const expiry = present({
    checkoutMs: milliseconds('checkout-expiry', given['checkout-expiry']),
    threeDSecureMs: milliseconds('three-d-secure-expiry', given['three-d-secure-expiry']),
    authorizationMs: milliseconds('authorization-expiry', given['authorization-expiry']),
  })
  const emulator = present({
    seed: wholeNumber('seed', given.seed, 0, Number.MAX_SAFE_INTEGER, EMULATOR_HELP),
    clock: clockOf(given.clock),
    webhookUrl: webAddress('webhook-url', given['webhook-url']),
    authentication: given.authentication,
    customerFields: given['customer-fields'],
    maxCapturePercent: wholeNumber('max-capture-percent', given['max-capture-percent'], 100, 1000, EMULATOR_HELP),
    hostedAuthResponse: given['hosted-auth-response'],
    splitSum: given['split-sum'],
    retryDelaysMs: retryDelays(given['retry-delays']),
    webhookTimeoutMs: milliseconds('webhook-timeout', given['webhook-timeout']),
    webhookHeaders: headersOf(given['webhook-header']),
    accounts: given.account?.map(accountOf),
    latencyMs: latencyOf(given.latency),
    expiry: Object.keys(expiry).length === 0 ? undefined : expiry,
    credentials,
  }) as EmulatorOptions
  return {
    help: given.help ?? false,
    json: given.json ?? false,
    quiet: given.quiet ?? false,
    serve: present({
      port: wholeNumber('port', given.port, 0, 65_535, EMULATOR_HELP) ?? 4010,
      host: given.host,
      origin: webAddress('origin', given.origin),
    }),
    emulator,
    ownCredentials: Object.keys(credentials),
  }
}

function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

function wrong(message: string): UsageError {
  return new UsageError(message, EMULATOR_HELP)
}

function webAddress(name: string, text: string | undefined): string | undefined {
  if (text === undefined || (/^https?:\/\/./.test(text) && URL.canParse(text))) return text
  const hint = URL.canParse(`http://${text}`) && /[:.]/.test(text) ? ` Did you mean http://${text}?` : ''
  throw wrong(`--${name} takes an http(s) address, not "${text}".${hint}`)
}

function milliseconds(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text)
  if (!match) throw wrong(`--${name} takes a time like 500ms, 10s, 15m, 24h or 7d, not "${text}".`)
  return Number(match[1]) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[(match[2] ?? 'ms') as 'ms']
}

function retryDelays(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined
  return text === 'none' ? [] : text.split(',').map((delay) => milliseconds('retry-delays', delay.trim()) ?? 0)
}

function clockOf(text: string | undefined): { now(): number } | undefined {
  if (text === undefined) return undefined
  // Without a zone a text means another moment on each machine.
  const now = /(Z|[+-]\d\d:\d\d)$|^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(now)) throw wrong(`--clock takes a time with its zone like 2026-01-31T10:00:00Z, not "${text}".`)
  return { now: () => now }
}

function latencyOf(text: string | undefined): number | [number, number] | undefined {
  if (text === undefined) return undefined
  const match = /^(\d+)(?:-(\d+))?$/.exec(text)
  if (!match) throw wrong(`--latency takes milliseconds like 200, or a range like 100-400, not "${text}".`)
  return match[2] === undefined ? Number(match[1]) : [Number(match[1]), Number(match[2])]
}

function headersOf(lines: string[] | undefined): Record<string, string> | undefined {
  return (
    lines &&
    Object.fromEntries(
      lines.map((line) => {
        const match = /^([\w-]+):\s*(.*)$/.exec(line)
        if (!match) throw wrong(`--webhook-header takes 'name: value', not "${line}".`)
        return [match[1] ?? '', match[2] ?? '']
      }),
    )
  )
}

function accountOf(text: string): { name: string; currency: string; available: number; rolling_reserve: number } {
  const match = /^(.+):([A-Z]{3}):(-?\d+(?:\.\d{1,2})?):(\d+(?:\.\d{1,2})?)$/.exec(text)
  if (!match) throw wrong(`--account takes NAME:CURRENCY:AVAILABLE:RESERVE like Main:UAH:1000:50, not "${text}".`)
  const [, name = '', currency = '', available, reserve] = match
  return { name, currency, available: Number(available), rolling_reserve: Number(reserve) }
}
