import type { AccountOption } from './state/accounts.ts'
import type { Activity } from './state/activity.ts'
import type { ClockSource } from './state/clock.ts'

/** The addresses and credentials of the emulated project, in the names of the SDK's configuration. */
export interface Credentials {
  /** `{base_url}` of the API document: the payment interface. */
  baseUrl: string
  /** `{api_url}` of the API document: the balances interface. It differs from `baseUrl`, so that mixing the two up is a 404. */
  apiUrl: string
  /** The merchant's POS, a UUID. */
  posId: string
  /** `<API_KEY>` of the `X-API-AUTH` header. */
  apiKey: string
  /** `<API_SECRET>` of the `X-API-AUTH` header; it also signs the webhooks. */
  apiSecret: string
  /** `<ENDPOINTS_KEY>` of the `X-API-KEY` header. */
  endpointsKey: string
  /** The scheme word that stands before the credentials in `X-API-AUTH`. */
  scheme: string
}

/** The options of an emulator. Every option has a default; those marked as assumptions stand for what the API document leaves open. */
export interface EmulatorOptions {
  /** Decides every id, token and random fault: the same seed and the same calls give the same bytes. Default 1. */
  seed?: number
  /** Where the emulator is served, without a path: `http://127.0.0.1:4010`. Default `http://emulator.localhost`. */
  origin?: string
  /** Milliseconds since the epoch; default the system clock. `emulator.clock.advance()` adds to it. */
  clock?: ClockSource
  /** Where the webhooks of requests without a `server_url` go. Without it they are only logged. */
  webhookUrl?: string
  /** Delivers the webhooks. Default: `globalThis.fetch`, looked up at each call. */
  fetch?: typeof fetch
  /** Headers added to each webhook, to imitate a proxy in front of the receiver. Default none. */
  webhookHeaders?: Record<string, string>
  /** Milliseconds after which a delivery without a response has failed. Default 10,000 (assumption). */
  webhookTimeoutMs?: number
  /**
   * Waits before each repetition of a failed delivery, counted on the emulator's clock; their number is the number of
   * repetitions. Default 1 min, 5 min, 30 min, 2 h, 24 h. Assumption: the API document does not show the retry policy.
   */
  retryDelaysMs?: readonly number[]
  /** How much of an authorization can be captured in all, in percent. Default 115 (assumption: the API document does not show the value). */
  maxCapturePercent?: number
  /**
   * Which scheme the endpoints accept whose row of the API document says HMAC: `per-endpoint` the HMAC alone, `plain` the plain
   * scheme alone, `either` both. Default `either` (assumption: public material shows the plain scheme on every endpoint).
   */
  authentication?: 'per-endpoint' | 'plain' | 'either'
  /**
   * How `<SIGNATURE>` of the HMAC scheme is computed from the exact body. Default: lower-case hex of HMAC-SHA1 with the API
   * secret as key (assumption: the API document does not show the computation).
   */
  signature?: (body: Uint8Array, apiSecret: string) => string
  /**
   * Whether the `customer_*` parameters that the tables mark as required must be present. Default `required`; `optional`
   * follows the API document's example requests, which omit them.
   */
  customerFields?: 'required' | 'optional'
  /** The response to a hosted `auth`. Default `redirect`, a 303 as for a purchase (assumption: not shown). */
  hostedAuthResponse?: 'redirect' | 'record'
  /** Whether the parts of a split must add up to the amount. Default `any` (the API document does not show the relation). */
  splitSum?: 'any' | 'exact'
  /** The merchant's accounts at the start. Default: one each in UAH, USD, EUR and XTS. Others appear with their first payment. */
  accounts?: readonly AccountOption[]
  /** Replaces single addresses or credentials. */
  credentials?: Partial<Credentials>
  /** Called with each request, webhook attempt, fired fault and internal error, when it has happened. Default: nothing. */
  onActivity?: (activity: Activity) => void
}

export interface ResolvedOptions {
  seed: number
  origin: string
  webhookUrl: string | undefined
  fetch: typeof fetch | undefined
  webhookHeaders: Record<string, string>
  webhookTimeoutMs: number
  retryDelaysMs: readonly number[]
  maxCapturePercent: number
  authentication: 'per-endpoint' | 'plain' | 'either'
  signature: ((body: Uint8Array, apiSecret: string) => string) | undefined
  customerFields: 'required' | 'optional'
  hostedAuthResponse: 'redirect' | 'record'
  splitSum: 'any' | 'exact'
  accounts: readonly AccountOption[]
  credentials: Credentials
  onActivity: ((activity: Activity) => void) | undefined
}

const MINUTE = 60_000
const DEFAULT_RETRIES = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 1440 * MINUTE]
const DEFAULT_ACCOUNTS = ['UAH', 'USD', 'EUR', 'XTS'].map((currency) => ({
  name: `Emulator ${currency}`,
  currency,
  available: 1000,
  rolling_reserve: 50,
}))

/** @throws {TypeError} when the origin is not an http(s) origin without a path, or a percentage makes no sense. */
export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  const url = new URL(options.origin ?? 'http://emulator.localhost')
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new TypeError(`The emulator's origin has to be scheme, host and port alone: ${url.href}`)
  }
  const maxCapturePercent = options.maxCapturePercent ?? 115
  if (!(maxCapturePercent >= 100)) throw new TypeError('maxCapturePercent has to be 100 or more.')
  return {
    seed: options.seed ?? 1,
    origin: url.origin,
    webhookUrl: options.webhookUrl,
    fetch: options.fetch,
    webhookHeaders: options.webhookHeaders ?? {},
    webhookTimeoutMs: options.webhookTimeoutMs ?? 10_000,
    retryDelaysMs: options.retryDelaysMs ?? DEFAULT_RETRIES,
    maxCapturePercent,
    authentication: options.authentication ?? 'either',
    signature: options.signature,
    customerFields: options.customerFields ?? 'required',
    hostedAuthResponse: options.hostedAuthResponse ?? 'redirect',
    splitSum: options.splitSum ?? 'any',
    accounts: options.accounts ?? DEFAULT_ACCOUNTS,
    onActivity: options.onActivity,
    credentials: {
      baseUrl: url.origin,
      apiUrl: `${url.origin}/balances-api`,
      posId: 'ed9e7111-0000-4000-8000-000000000001',
      apiKey: 'emulator-api-key',
      apiSecret: 'emulator-api-secret',
      endpointsKey: 'emulator-endpoints-key',
      scheme: 'SVC',
      ...options.credentials,
    },
  }
}
