import * as v from 'valibot'
import { fields, InputError, latency, number, oneOf, parseInput, text, wholeNumber } from './parse-input.ts'
import type { AccountOption } from './state/accounts.ts'
import type { Activity } from './state/activity.ts'
import type { ClockSource } from './state/clock.ts'
import { drawPerturbations, PERTURBATIONS, type Perturbation } from './state/perturbations.ts'
import { LAST_MOMENT, MINUTE, YEAR } from './state/time.ts'

/** The addresses and credentials of the emulated project, in the names of the SDK's configuration. */
export interface Credentials {
  /** `{base_url}` of the API document: the payment interface. */
  baseUrl: string
  /**
   * `{api_url}` of the API document: the balances interface. It differs from `baseUrl`, so that mixing the two up is a
   * 404.
   */
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

/** Expiry times in milliseconds of the emulator's clock. An omitted one never expires. */
export interface ExpiryOptions {
  /** An unpaid checkout: the payment fails with 4149. */
  checkoutMs?: number
  /** A 3-D Secure page that the customer does not finish: the payment fails with 4147. */
  threeDSecureMs?: number
  /** An authorization: it is voided, or after a partial capture, the rest can no longer be captured. */
  authorizationMs?: number
}

/**
 * The options of an emulator, each with a default. Those marked as assumptions answer open questions of the API
 * document.
 */
export interface EmulatorOptions {
  /**
   * Decides every id, token and random fault: the same seed and the same calls give the same bytes. A whole number.
   * Default 1.
   */
  seed?: number
  /** The emulator's address, without a path: `http://127.0.0.1:4010`. Default `http://emulator.localhost`. */
  origin?: string
  /**
   * Names under which the pages and the control API are reached beside the origin's and loopback: `emulator` in a
   * compose file.
   */
  allowHosts?: readonly string[]
  /** Milliseconds since the epoch; default the system clock. `emulator.clock.advance()` adds to it. */
  clock?: ClockSource
  /** The webhook address for requests without a `server_url`. Without it they are only logged. */
  webhookUrl?: string
  /** Delivers the webhooks. Default: `globalThis.fetch`, looked up at each call. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Headers added to each webhook, to imitate a proxy in front of the receiver. Default none. */
  webhookHeaders?: Record<string, string>
  /** Milliseconds after which a delivery without a response has failed. Default 10,000 (assumption). */
  webhookTimeoutMs?: number
  /**
   * Waits before each repetition of a failed delivery, counted on the emulator's clock; their number is the number of
   * repetitions. Default 1 min, 5 min, 30 min, 2 h, 24 h. Assumption: the API document does not show the retry policy.
   */
  retryDelaysMs?: readonly number[]
  /**
   * How much of an authorization can be captured in all, in percent. Default 115 (assumption: the API document does not
   * show the value).
   */
  maxCapturePercent?: number
  /**
   * The scheme that is accepted by endpoints with HMAC in the API document: `per-endpoint` only the HMAC, `plain` only
   * the plain scheme, `either` both. Default `either` (assumption: public material shows the plain scheme everywhere).
   */
  authentication?: 'per-endpoint' | 'plain' | 'either'
  /**
   * How `<SIGNATURE>` of the HMAC scheme is computed from the exact body. Default: lower-case hex of HMAC-SHA1 with the
   * API secret as key (assumption: the API document does not show the computation).
   */
  signature?: (body: Uint8Array, apiSecret: string) => string
  /**
   * Whether a request without the `customer_*` parameters that the tables mark as required is rejected. Default
   * `optional`: a missing parameter is noted in the order's timeline. The API document's tables and its example
   * requests disagree, and the service's own shop plugins omit them.
   */
  customerFields?: 'required' | 'optional'
  /**
   * Whether a capture has to come as `application/json`, with its amount as a number. Default `json`; `any` takes
   * another type, and an amount as text, with a note: two official shop plugins send it so.
   */
  captureContentType?: 'json' | 'any'
  /** Whether everything that would only be noted ("works here, may be rejected there") is a 400. Default false. */
  strict?: boolean
  /**
   * Behaviour of the service that the API document does not show: a list of switches, or `seed` for about half, drawn
   * by the seed. Default none.
   */
  perturbations?: readonly Perturbation[] | 'seed'
  /** The response to a hosted `auth`. Default `redirect`, a 303 as for a purchase (assumption: not shown). */
  hostedAuthResponse?: 'redirect' | 'record'
  /**
   * Whether the parts of a split purchase must add up to the amount. Default `any` (the API document does not show the
   * relation).
   */
  splitSum?: 'any' | 'exact'
  /** Expiry times. Default: nothing expires but a card token, after a year (assumption: not shown). */
  expiry?: ExpiryOptions
  /** Real time that each endpoint waits before it works: milliseconds, or a range. Default 0. */
  latencyMs?: number | readonly [min: number, max: number]
  /**
   * The merchant's accounts at the start. Default: one each in UAH, USD, EUR and XTS. Others appear with their first
   * payment.
   */
  accounts?: readonly AccountOption[]
  /**
   * How many orders are kept: beyond this number the oldest order is forgotten, and its order_id can be used again. Its
   * card token and its webhooks stay. Default: every order is kept.
   */
  keepOrders?: number
  /** Replaces single addresses or credentials. */
  credentials?: Partial<Credentials>
  /**
   * Called with each request, webhook attempt, fired fault and internal error, when it has happened. Default: nothing.
   */
  onActivity?: (activity: Activity) => void
}

/** A shop beside the emulator's own: the differences from the emulator's options. */
export interface ShopOptions extends Omit<EmulatorOptions, 'origin' | 'allowHosts' | 'onActivity' | 'clock'> {
  /**
   * Letters, digits, - and _, at most 40. It decides the shop's credentials and seed unless they are given. Default
   * `shop-1` and so on.
   */
  name?: string
  /** A time that stands still until it is moved: `2026-01-31T10:00:00Z`. Default the emulator's clock. */
  clock?: ClockSource | string
}

/** The options without a default value. */
type Unset = 'webhookUrl' | 'fetch' | 'signature' | 'onActivity'

export type ResolvedOptions = Required<Omit<EmulatorOptions, Unset | 'clock' | 'credentials' | 'perturbations'>> &
  Pick<EmulatorOptions, Unset> & {
    clock: ClockSource
    /** Whether the clock is the system's. */
    clockMoves: boolean
    perturbations: readonly Perturbation[]
    /** Whether an `origin` was given: the emulator listens somewhere. */
    served: boolean
    credentials: Credentials
  }

const DEFAULTS = {
  seed: 1,
  allowHosts: [],
  webhookHeaders: {},
  webhookTimeoutMs: 10_000,
  retryDelaysMs: [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 1440 * MINUTE],
  maxCapturePercent: 115,
  authentication: 'either',
  customerFields: 'optional',
  captureContentType: 'json',
  strict: false,
  perturbations: [] as readonly Perturbation[] | 'seed',
  hostedAuthResponse: 'redirect',
  splitSum: 'any',
  expiry: {},
  latencyMs: 0,
  keepOrders: Number.POSITIVE_INFINITY,
  accounts: ['UAH', 'USD', 'EUR', 'XTS'].map((currency) => {
    return { name: `Emulator ${currency}`, currency, available: 1000, rolling_reserve: 50 }
  }),
} as const

const httpUrl = v.pipe(
  v.string('must be a URL.'),
  v.check((value) => URL.canParse(value) && /^https?:\/\//i.test(value), 'must be an http(s) URL.'),
)
const origin = v.pipe(
  httpUrl,
  v.check(
    (value) => /^https?:\/\/[^/?#]+\/?$/i.test(value),
    'must be scheme, host and port alone: http://127.0.0.1:4010.',
  ),
)
const fn = <F>() => v.custom<F>((value) => typeof value === 'function', 'must be a function.')
const expiry = v.optional(number(1, 10 * YEAR))
const amount = number(-1e12, 1e12)

const OPTIONS = fields('emulator option', {
  seed: v.optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  origin: v.optional(origin),
  allowHosts: v.optional(
    v.array(
      v.pipe(text, v.regex(/^[\w.-]+$/, 'must be the name of a host, without a port.')),
      'must be an array of names.',
    ),
  ),
  clock: v.optional(
    v.custom<ClockSource>(
      (value) => typeof (value as ClockSource | null)?.now === 'function',
      'must be an object with a function now() that returns milliseconds since the epoch.',
    ),
  ),
  webhookUrl: v.optional(httpUrl),
  fetch: v.optional(fn<NonNullable<EmulatorOptions['fetch']>>()),
  webhookHeaders: v.optional(v.record(v.string(), v.string('must be a string.'), 'must be an object of strings.')),
  webhookTimeoutMs: v.optional(number(1, 60 * MINUTE)),
  retryDelaysMs: v.optional(v.pipe(v.array(number(0, YEAR), 'must be an array of milliseconds.'), v.readonly())),
  maxCapturePercent: v.optional(number(100, 1000)),
  authentication: v.optional(oneOf('authentication', ['per-endpoint', 'plain', 'either'] as const)),
  signature: v.optional(fn<(body: Uint8Array, apiSecret: string) => string>()),
  customerFields: v.optional(oneOf('customerFields', ['required', 'optional'] as const)),
  captureContentType: v.optional(oneOf('captureContentType', ['json', 'any'] as const)),
  strict: v.optional(v.boolean('must be true or false.')),
  perturbations: v.optional(
    v.lazy((input) =>
      input === 'seed'
        ? v.literal('seed')
        : v.array(oneOf('perturbation', PERTURBATIONS), 'must be a list of switches, or "seed".'),
    ),
  ),
  hostedAuthResponse: v.optional(oneOf('hostedAuthResponse', ['redirect', 'record'] as const)),
  splitSum: v.optional(oneOf('splitSum', ['any', 'exact'] as const)),
  expiry: v.optional(fields('expiry', { checkoutMs: expiry, threeDSecureMs: expiry, authorizationMs: expiry })),
  onActivity: v.optional(fn<(activity: Activity) => void>()),
  latencyMs: v.optional(latency),
  accounts: v.optional(
    v.array(
      fields('account', { name: text, currency: text, available: amount, rolling_reserve: amount }),
      'must be an array of accounts.',
    ),
  ),
  keepOrders: v.optional(wholeNumber(1, 1e9)),
  credentials: v.optional(
    v.partial(
      fields('credential', {
        baseUrl: httpUrl,
        apiUrl: httpUrl,
        posId: v.pipe(text, v.uuid('must be a UUID.')),
        apiKey: text,
        apiSecret: text,
        endpointsKey: text,
        scheme: v.pipe(text, v.regex(/^[\w-]+$/, 'must be one word.')),
      }),
    ),
  ),
})

/** The name of a shop. */
export const shopName: v.GenericSchema<unknown, string> = v.pipe(
  v.string('must be a string.'),
  v.regex(/^[\w-]{1,40}$/, 'must be a word of letters, digits, - and _.'),
)

const { origin: _origin, allowHosts: _hosts, clock: _clock, onActivity: _listener, ...ofShop } = OPTIONS.entries
/** The options of a shop: all but those that it shares with the emulator. */
export const SHOP: v.GenericSchema<unknown, ShopOptions> = fields('shop', {
  name: v.optional(shopName),
  clock: v.optional(v.union([text, OPTIONS.entries.clock.wrapped], 'must be a time like 2026-01-31T10:00:00Z.')),
  ...ofShop,
}) as unknown as v.GenericSchema<unknown, ShopOptions>

/** @throws {ConfigError} for an unknown option, or a value that makes no sense. */
export function resolveOptions(input: EmulatorOptions): ResolvedOptions {
  const options = parseInput(OPTIONS, input) as EmulatorOptions
  const clock = options.clock ?? { now: () => Date.now() }
  const start = clock.now()
  if (!(Number.isFinite(start) && start >= 0 && start <= LAST_MOMENT)) {
    throw new InputError('clock: now() must return milliseconds since the epoch, up to the end of the year 9998.')
  }
  const { origin } = new URL(options.origin ?? 'http://emulator.localhost')
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const { seed, perturbations } = { ...DEFAULTS, ...given }
  return {
    ...DEFAULTS,
    ...given,
    origin,
    served: options.origin !== undefined,
    clock,
    clockMoves: options.clock === undefined,
    perturbations: perturbations === 'seed' ? drawPerturbations(seed) : perturbations,
    credentials: {
      baseUrl: origin,
      apiUrl: `${origin}/balances-api`,
      posId: 'ed9e7111-0000-4000-8000-000000000001',
      apiKey: 'emulator-api-key',
      apiSecret: 'emulator-api-secret',
      endpointsKey: 'emulator-endpoints-key',
      scheme: 'SVC',
      ...options.credentials,
    },
  }
}
