import { ConfigError } from './errors.ts'
import type { Hooks } from './hooks.ts'

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
const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

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
    this.baseUrl = address('baseUrl', config.baseUrl)
    this.apiUrl = config.apiUrl === undefined ? undefined : address('apiUrl', config.apiUrl)
    if (typeof config.posId !== 'string' || !UUID.test(config.posId)) {
      throw new ConfigError('posId', 'posId must be the UUID of your POS, as the merchant portal shows it.')
    }
    this.posId = config.posId
    for (const field of ['apiKey', 'apiSecret', 'endpointsKey'] as const) credential(field, config[field])
    if (config.apiKey.includes(':')) {
      throw new ConfigError('apiKey', 'apiKey holds a ":", which separates it from what follows in X-API-AUTH.')
    }
    this.scheme = config.scheme ?? 'SVC'
    if (!SCHEME.test(this.scheme)) {
      throw new ConfigError('scheme', 'scheme must be one word: the service’s own name in the X-API-AUTH header.')
    }
    this.authentication = oneOf('authentication', config.authentication ?? 'documented', ['documented', 'plain'])
    this.customerFields = oneOf('customerFields', config.customerFields ?? 'required', ['required', 'optional'])
    this.timeoutMs = wholeNumber('timeoutMs', config.timeoutMs ?? 30_000, 1, 2_147_483_647)
    this.maxRetries = wholeNumber('maxRetries', config.maxRetries ?? 2, 0, 10)
    this.userAgent = config.userAgent ?? 'edgetill'
    if (!PRINTABLE_ASCII.test(this.userAgent)) {
      throw new ConfigError(
        'userAgent',
        'userAgent must be printable ASCII: runtimes differ on any other header value.',
      )
    }
    this.random = config.random ?? Math.random
    for (const field of FUNCTIONS) {
      if (config[field] !== undefined && typeof config[field] !== 'function') {
        throw new ConfigError(field, `${field} must be a function.`)
      }
    }
    const { onRequest, onResponse, onRetry, onWarning } = config
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
  if (config === null || typeof config !== 'object') {
    throw new ConfigError(
      'config',
      'The configuration must be an object with baseUrl, posId, apiKey, apiSecret and endpointsKey.',
    )
  }
  return new ResolvedConfig(config)
}

function address(field: string, value: unknown): string {
  let url: URL
  try {
    url = new URL(value as string)
  } catch {
    throw new ConfigError(field, `${field} must be an absolute address such as https://pay.example.com.`)
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new ConfigError(
      field,
      `${field} must begin with https:// (http:// is accepted on loopback only): credentials travel to it.`,
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigError(field, `${field} must be an address only: no user, password, query or fragment.`)
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith('/api/v1')) {
    throw new ConfigError(field, `${field} must end before /api/v1, which every path of the service begins with.`)
  }
  return url.origin + path
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

function credential(field: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') {
    throw new ConfigError(
      field,
      `${field} is missing: the merchant portal shows it, one set for the test project and one for the live project.`,
    )
  }
  if (value !== value.trim()) {
    throw new ConfigError(
      field,
      `${field} has white space around it, often a line break from a copied file: remove it.`,
    )
  }
  if (!VISIBLE_ASCII.test(value)) {
    throw new ConfigError(
      field,
      `${field} holds a character that a header cannot carry: only visible ASCII is possible.`,
    )
  }
}

function oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new ConfigError(field, `${field} must be one of: ${allowed.join(', ')}.`)
  return found
}

function wholeNumber(field: string, value: unknown, least: number, most: number): number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    throw new ConfigError(field, `${field} must be a whole number from ${least} to ${most}.`)
  }
  return value as number
}
