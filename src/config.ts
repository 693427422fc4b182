import { ConfigError } from './errors.ts'
import type { Hooks } from './hooks.ts'
import { UUID } from './schemas/input.ts'

/** What a {@link Signer} is given: exactly what is sent. */
export interface SignerInput {
  /** The HTTP verb. */
  method: string
  /** Path and query as sent, without what `baseUrl` itself has of a path. */
  path: string
  /** The body's exact text, empty when there is none. */
  body: string
  /** The API key, which the header names. */
  apiKey: string
  /** The API secret, which must not be part of the signature. */
  apiSecret: string
}

/** Computes the `<SIGNATURE>` of `X-API-AUTH: <SCHEME>-HMAC-SHA1 <API_KEY>:<SIGNATURE>`. */
export type Signer = (input: SignerInput) => string | Promise<string>

/** How to reach and to authenticate with the service. */
export interface ClientConfig extends Hooks {
  /** `{base_url}` of the document, without `/api/v1`: an https address, or http on loopback. */
  baseUrl: string
  /** `{api_url}` of the document, for balances only. Needed by those calls alone. */
  apiUrl?: string | undefined
  /** The merchant's POS identifier, a UUID. */
  posId: string
  /** The API key. */
  apiKey: string
  /** The API secret: it signs requests, and the service signs webhooks with it. Never sent under the HMAC scheme. */
  apiSecret: string
  /** The endpoints key, sent as `X-API-KEY`. */
  endpointsKey: string
  /** The service's own scheme word in `X-API-AUTH` (the document writes `SVC`). Default `SVC`. */
  scheme?: string | undefined
  /**
   * `documented`: HMAC or plain, as the document's table has it for each endpoint. `plain`: `<SCHEME> <key>:<secret>` on
   * every call, which known integrations of the service use. Default `documented`.
   */
  authentication?: 'documented' | 'plain' | undefined
  /**
   * Computes the signature of the HMAC scheme. The document does not show how; the default is an ASSUMPTION: lower-case
   * hex of HMAC-SHA1 with the API secret as key over the exact body, empty text when there is none.
   */
  signer?: Signer | undefined
  /**
   * Whether the `customer_*` fields that the document's tables require are required here too. Its own examples omit
   * them: `optional` leaves the decision to the service. Default `required`.
   */
  customerFields?: 'required' | 'optional' | undefined
  /** The `fetch` to use. Default: the runtime's, looked up at each call. */
  fetch?: typeof fetch | undefined
  /** Milliseconds for one attempt, answer read included. Default 30,000. */
  timeoutMs?: number | undefined
  /** How often a GET, or a request that was answered 429, is tried again. No other POST ever is. Default 2. */
  maxRetries?: number | undefined
  /** The `User-Agent` header. Default `edgetill`. */
  userAgent?: string | undefined
  /** Source of the retries' jitter, in [0, 1). Default `Math.random`. */
  random?: (() => number) | undefined
}

const FUNCTIONS = ['fetch', 'signer', 'random', 'onRequest', 'onResponse', 'onRetry', 'onWarning'] as const

/** A configuration that was checked. Its credentials are private: neither `inspect` nor `JSON.stringify` shows them. */
export class ResolvedConfig {
  readonly baseUrl: string
  readonly apiUrl: string | undefined
  readonly posId: string
  readonly scheme: string
  readonly authentication: 'documented' | 'plain'
  readonly customerFields: 'required' | 'optional'
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly userAgent: string
  readonly random: () => number
  readonly hooks: Hooks
  readonly #config: ClientConfig

  constructor(config: ClientConfig) {
    const { posId, apiUrl, scheme, userAgent, onRequest, onResponse, onRetry, onWarning } = config
    this.baseUrl = address('baseUrl', config.baseUrl)
    this.apiUrl = apiUrl === undefined ? apiUrl : address('apiUrl', apiUrl)
    this.posId = text('posId', posId, UUID, 'be the UUID of your POS: the merchant portal shows it')
    for (const field of ['apiKey', 'apiSecret', 'endpointsKey'] as const) {
      demand(config[field], field, 'be given: the merchant portal shows one for the test and one for the live project')
      text(
        field,
        config[field],
        VISIBLE_ASCII,
        'be visible ASCII: no white space around it (often a copied line break)',
      )
    }
    demand(!config.apiKey.includes(':'), 'apiKey', 'not hold a ":", which ends it in X-API-AUTH')
    this.scheme = text('scheme', scheme ?? 'SVC', SCHEME, 'be one word: the service’s own name in X-API-AUTH')
    this.authentication = oneOf('authentication', config.authentication ?? 'documented', ['documented', 'plain'])
    this.customerFields = oneOf('customerFields', config.customerFields ?? 'required', ['required', 'optional'])
    this.timeoutMs = wholeNumber('timeoutMs', config.timeoutMs ?? 30_000, 1, 2_147_483_647)
    this.maxRetries = wholeNumber('maxRetries', config.maxRetries ?? 2, 0, 10)
    this.userAgent = text('userAgent', userAgent ?? 'edgetill', /^[ -~]+$/, 'be printable ASCII')
    for (const field of FUNCTIONS) demand(typeof (config[field] ?? Math.random) === 'function', field, 'be a function')
    this.random = config.random ?? Math.random
    this.hooks = { onRequest, onResponse, onRetry, onWarning }
    this.#config = { ...config }
  }

  get apiKey(): string {
    return this.#config.apiKey
  }
  get apiSecret(): string {
    return this.#config.apiSecret
  }
  get endpointsKey(): string {
    return this.#config.endpointsKey
  }
  get signer(): Signer | undefined {
    return this.#config.signer
  }
  get fetch(): typeof fetch {
    return this.#config.fetch ?? globalThis.fetch
  }
}

/**
 * Checks a configuration once.
 * @throws {ConfigError} naming the option to mend; no credential is part of its text.
 */
export function resolveConfig(config: ClientConfig | ResolvedConfig): ResolvedConfig {
  if (config instanceof ResolvedConfig) return config
  const isObject = config !== null && typeof config === 'object'
  demand(isObject, 'config', 'be an object with baseUrl, posId, apiKey, apiSecret and endpointsKey')
  return new ResolvedConfig(config)
}

/** Throws unless something holds. The rule completes "must". */
function demand(holds: unknown, field: string, rule: string): void {
  if (!holds) throw new ConfigError(field, `${field} must ${rule}.`)
}

function address(field: string, value: unknown): string {
  demand(URL.canParse(value as string), field, 'be an absolute address such as https://pay.example.com')
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(value as string)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  demand(isSafe, field, 'begin with https:// (http:// on loopback only): credentials travel to it')
  demand(!(username + password + search + hash), field, 'have no user, password, query or fragment')
  const path = pathname.replace(/\/+$/, '')
  demand(!path.endsWith('/api/v1'), field, 'end before /api/v1, which every path of the service begins with')
  return origin + path
}

const LOOPBACK = /^((.+\.)?localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/
const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/
const VISIBLE_ASCII = /^[!-~]+$/

function text(field: string, value: unknown, pattern: RegExp, rule: string): string {
  demand(typeof value === 'string' && pattern.test(value), field, rule)
  return value as string
}

function oneOf<T extends string>(field: string, value: T, allowed: readonly T[]): T {
  demand(allowed.includes(value), field, `be one of: ${allowed.join(', ')}`)
  return value
}

function wholeNumber(field: string, value: number, least: number, most: number): number {
  const holds = Number.isInteger(value) && value >= least && value <= most
  demand(holds, field, `be a whole number from ${least} to ${most}`)
  return value
}
