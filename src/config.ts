import * as v from 'valibot'
import { ConfigError, describeIssue } from './errors.ts'
import type { Hooks } from './hooks.ts'
import { membersOf } from './lib/kind.ts'
import { fieldsOf, must, option, optionsOf, pure, type Schema } from './schemas/fields.ts'
import { oneOf, pattern, textThat, uuid, wholeNumber } from './schemas/input.ts'
import { toIssue } from './schemas/read.ts'
import { flag } from './schemas/values.ts'

/** The input of a {@link Signer}: the exact bytes that are sent. */
export interface SignerInput {
  /** The HTTP verb. */
  method: string
  /** Path and query as sent, without the path of `baseUrl` itself. */
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

/** The part of `fetch` that is needed. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** How to reach and to authenticate with the service. */
export interface ClientConfig extends Hooks {
  /**
   * `{base_url}` of the API document, without `/api/v1`: an https address, or http on loopback (see
   * `allowInsecureHttp`).
   */
  baseUrl: string
  /** `{api_url}` of the API document: for balances and `cancelRecurring`. Only those calls need it. */
  apiUrl?: string | undefined
  /** The merchant's POS identifier, a UUID. */
  posId: string
  /** The API key. */
  apiKey: string
  /** The API secret: it signs requests, and the service signs webhooks with it. Never sent under the HMAC scheme. */
  apiSecret: string
  /** The endpoints key, sent as `X-API-KEY`. */
  endpointsKey: string
  /** The service's own scheme word in `X-API-AUTH`, such as `SVC`: the API document shows only a placeholder. */
  scheme: string
  /**
   * `per-endpoint`: HMAC or plain, as the API document's table has it for each endpoint. `plain`:
   * `<SCHEME> <key>:<secret>` on every call, which known integrations of the service use. Default `per-endpoint`.
   */
  authentication?: 'per-endpoint' | 'plain' | undefined
  /**
   * Computes the signature of the HMAC scheme. The API document does not show how; the default is an ASSUMPTION:
   * lower-case hex of HMAC-SHA1 with the API secret as key over the exact body, empty text when there is none.
   */
  signer?: Signer | undefined
  /**
   * Whether a `customer_*` field that the API document's tables require may be missing. Its own examples omit them.
   * `optional`: the call is sent, and a given `onWarning` is notified. `required`: the call is rejected. Default
   * `optional`.
   */
  customerFields?: 'optional' | 'required' | undefined
  /**
   * The `fetch` to use. It must not send a request twice: no fetch-retry, no `RetryAgent`, no retrying proxy. A
   * retrying `fetch` can process a POST and then report "connection refused", which this package reports as safe to
   * repeat. Default: the runtime's, looked up at each call.
   */
  fetch?: Fetch | undefined
  /** Milliseconds for each attempt, from signing to the end of the body. Default 30,000. */
  timeoutMs?: number | undefined
  /** Milliseconds for a whole call, retries and their pauses included. Default: no limit but that of each attempt. */
  deadlineMs?: number | undefined
  /**
   * How often a GET, or a request that got a 429, is retried, 0 to 10. Default 2. Any other POST is sent once by this
   * package. Node's own fetch repeats a request that got a 421, as its standard allows: that status means "not
   * processed".
   */
  maxRetries?: number | undefined
  /**
   * More origins whose checkout pages are accepted, such as `https://checkout.example.com`. Without it, a redirect is a
   * checkout when it has the documented path on any origin, or lies on the origin of `baseUrl`.
   */
  checkoutOrigins?: readonly string[] | undefined
  /** The `User-Agent` header. Default `edgetill`. */
  userAgent?: string | undefined
  /**
   * Accepts `http:` addresses beyond loopback, for an emulator in a container or on another machine. Every host on the
   * way can then read the credentials and the card data, and change amounts, addresses and responses. Never use it for
   * the service itself. Default `false`.
   */
  allowInsecureHttp?: boolean | undefined
  /** Source of the retries' jitter, in [0, 1). Default `Math.random`. */
  random?: (() => number) | undefined
}

/** The longest time that a timer of every runtime can hold. */
export const TIMEOUT_LIMIT_MS = 2_147_483_647

const CREDENTIAL = 'be visible ASCII without white space around it, often a copied line break'

/** A function. Its parameters and result cannot be checked at run time. */
const fn = <T extends (...args: never[]) => unknown>(): Schema<T> =>
  v.custom<T>((value) => typeof value === 'function', must('be a function'))

const configFields = /* @__PURE__ */ pure(() => {
  const credential = pattern(/^[!-~]+$/, CREDENTIAL)
  const url = textThat((text) => URL.canParse(text), 'be an absolute URL such as https://pay.example.com')
  return fieldsOf<ClientConfig>()({
    baseUrl: url,
    apiUrl: v.optional(url),
    posId: uuid,
    apiKey: pattern(/^[!-9;-~]+$/, `${CREDENTIAL}; no ":"`),
    apiSecret: credential,
    endpointsKey: credential,
    scheme: pattern(/^(?!.*-HMAC-SHA1$)[\w!#$%&'*+.^`|~-]+$/i, 'be one word, as in X-API-AUTH, without its -HMAC-SHA1'),
    authentication: option(oneOf(['per-endpoint', 'plain'])),
    customerFields: option(oneOf(['optional', 'required'])),
    timeoutMs: option(wholeNumber(1, TIMEOUT_LIMIT_MS)),
    deadlineMs: option(wholeNumber(1, TIMEOUT_LIMIT_MS)),
    maxRetries: option(wholeNumber(0, 10)),
    checkoutOrigins: option(
      v.custom<readonly string[]>(isOrigins, must('be a list of origins such as https://checkout.example.com')),
    ),
    userAgent: option(pattern(/^[ -~]+$/, 'be printable ASCII')),
    allowInsecureHttp: option(flag),
    fetch: option(fn<Fetch>()),
    signer: option(fn<Signer>()),
    random: option(fn<() => number>()),
    onRequest: option(fn<NonNullable<Hooks['onRequest']>>()),
    onResponse: option(fn<NonNullable<Hooks['onResponse']>>()),
    onRetry: option(fn<NonNullable<Hooks['onRetry']>>()),
    onWarning: option(fn<NonNullable<Hooks['onWarning']>>()),
    onError: option(fn<NonNullable<Hooks['onError']>>()),
  })
})

const configSchema: Schema<ClientConfig> = /* @__PURE__ */ pure(() => optionsOf(configFields))

/** A configuration that was checked. Its credentials are private: neither `inspect` nor `JSON.stringify` shows them. */
export class ResolvedConfig {
  declare readonly baseUrl: string
  declare readonly apiUrl: string | undefined
  declare readonly posId: string
  declare readonly scheme: string
  declare readonly authentication: 'per-endpoint' | 'plain'
  declare readonly customerFields: 'optional' | 'required'
  declare readonly timeoutMs: number
  declare readonly deadlineMs: number | undefined
  declare readonly maxRetries: number
  declare readonly checkoutOrigins: readonly string[]
  declare readonly userAgent: string
  /** Codes of the warnings that were printed for this configuration object. */
  declare readonly printedWarnings: Set<string>
  readonly #given: ClientConfig
  #init: RequestInit | undefined
  #takesBlob: boolean | undefined

  constructor(given: ClientConfig, printedWarnings: Set<string>) {
    Object.defineProperty(this, 'printedWarnings', { value: printedWarnings })
    this.#given = given
    const { baseUrl, apiUrl, posId, scheme, deadlineMs, allowInsecureHttp, checkoutOrigins = [] } = given
    const { authentication = 'per-endpoint', customerFields = 'optional' } = given
    const { timeoutMs = 30_000, maxRetries = 2, userAgent = 'edgetill' } = given
    // Copied by name: an instance of a class may have more members.
    Object.assign(this, {
      ...{ posId, scheme, authentication, customerFields, timeoutMs, deadlineMs, maxRetries, userAgent },
      baseUrl: address('baseUrl', baseUrl, allowInsecureHttp),
      apiUrl: apiUrl && address('apiUrl', apiUrl, allowInsecureHttp),
      checkoutOrigins: checkoutOrigins.map((address) => new URL(address).origin),
    })
  }

  /** The secrets of a configuration, which no text may show, and its functions. */
  get given(): Pick<
    ClientConfig,
    keyof Hooks | 'apiKey' | 'apiSecret' | 'endpointsKey' | 'signer' | 'fetch' | 'random'
  > {
    return this.#given
  }
  /** The options of every request, so that no default of a host decides them. Found out at the first request. */
  get init(): RequestInit {
    this.#init ??= {
      redirect: 'manual',
      keepalive: false,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...(takesCache() && { cache: 'no-store' }),
    }
    return this.#init
  }
  /**
   * The body of a POST. A Blob is the one form that no runtime sends again when a connection drops. Bytes replace it if
   * `fetch` does not know the global Blob: the signed bytes must be the sent bytes.
   */
  bodyOf(text: string): BodyInit {
    this.#takesBlob ??= takesBlob()
    return this.#takesBlob ? new Blob([text]) : new TextEncoder().encode(text)
  }
}

/** Whether `fetch` sends the global `Blob`. The Blob of jsdom differs, and arrives as the text `[object Blob]`. */
function takesBlob(): boolean {
  const type = 'text/x-probe'
  return new Response(new Blob(['x'], { type })).headers.get('content-type') === type
}

/** Whether a request may say `cache`: workerd throws under compatibility dates before 2024-11-11. */
function takesCache(): boolean {
  try {
    return Boolean(new Request('https://localhost', { cache: 'no-store' }))
  } catch {
    return false
  }
}

/**
 * Checks a configuration once.
 * @throws {ConfigError} naming the option to fix; no credential is part of its text.
 */
export function resolveConfig(config: ClientConfig | ResolvedConfig): ResolvedConfig {
  if (config instanceof ResolvedConfig) return config
  if (typeof (config as { createPayment?: unknown } | undefined)?.createPayment === 'function') {
    throw new ConfigError('config', 'config is a client: call its method, such as client.createPayment(input).')
  }
  const result = v.safeParse(configSchema, config)
  if (result.success) return new ResolvedConfig(membersOf(result.output), printedWarningsOf(config))
  const issue = toIssue(result.issues[0])
  throw unusable(issue.path || 'config', describeIssue(issue))
}

// A function is called with the same configuration object many times: a warning is printed at the first only.
let printedWarnings: WeakMap<object, Set<string>> | undefined

function printedWarningsOf(config: object): Set<string> {
  printedWarnings ??= new WeakMap()
  const printed = printedWarnings.get(config) ?? new Set()
  printedWarnings.set(config, printed)
  return printed
}

function isOrigins(value: unknown): boolean {
  const isOrigin = (text: unknown) => /^https?:\/\/[^/?#@\\]+\/?$/.test(String(text)) && URL.canParse(String(text))
  return Array.isArray(value) && value.every(isOrigin)
}

function unusable(field: string, what: string): ConfigError {
  return new ConfigError(field, `${field} ${what}.`)
}

/** A base address, without a slash at its end. */
function address(field: string, value: string, insecure = false): string {
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(value)
  if (protocol !== 'https:' && !(protocol === 'http:' && (insecure || LOOPBACK.test(hostname)))) {
    throw unusable(field, 'must be https:// (http:// on loopback only, or with allowInsecureHttp)')
  }
  if (username + password + search + hash) throw unusable(field, 'must be without user, password, query or fragment')
  const path = pathname.replace(/\/+$/, '')
  if (/\/api\/v1(\/|$)/.test(path)) throw unusable(field, 'must be without /api/v1 and what follows')
  return origin + path
}

/** Host names of this machine. */
export const LOOPBACK: RegExp = /^((.+\.)?localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/
