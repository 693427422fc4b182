import type { ClientConfig, Fetch } from '../config.ts'
import type { KvNamespace, ObjectNamespace } from './runtime.ts'

/**
 * The bindings of a shop, as wrangler.toml has them. A shop adds its own:
 * `interface Env extends ShopEnv { DB: D1Database }`.
 */
export interface ShopEnv {
  /** Workers KV: the log of events and the state of each order, for other programs to read. */
  STATE: KvNamespace
  /** The Durable Object class `ShopObject`: one object, which has the shop's database. */
  TILL: ObjectNamespace
  /** `{base_url}` of the service's API document. */
  BASE_URL: string
  /** `{api_url}` of the service's API document: balances only. */
  API_URL: string
  /** The POS, a UUID. */
  POS_ID: string
  /** The service's own scheme word. */
  SCHEME: string
  /** `per-endpoint` or `plain`. */
  AUTHENTICATION: string
  /** `test` or `live`. Pages and `/health` show `test`; `live` does not accept the emulator's values. */
  MODE: string
  /**
   * `true` or `false`: whether the service may be reached over `http:` beyond loopback, such as an emulator in a
   * container.
   */
  ALLOW_INSECURE_HTTP: string
  /** `off`, `log` or `enforce`: whether webhooks may come from {@link ShopEnv.SENDER_IP} only. */
  SENDER_CHECK: string
  /** The address that the service sends webhooks from. */
  SENDER_IP: string
  /**
   * The shop's own origin, such as `https://pay.shop.example.com`, with the path that it is mounted at, if any: where
   * links lead, and webhooks of captures and refunds go.
   */
  PUBLIC_ORIGIN: string
  /** The shop's name, on the customers' pages; empty: none. */
  SHOP_NAME: string
  /** Where those pages lead back to; empty: nowhere. */
  SHOP_URL: string
  /** The time zone of the shop's day, such as `Europe/Kyiv`; empty: UTC. */
  SHOP_TZ: string
  /** Sent if the service requires this field of the customer and the link has none; not sent if empty. */
  CUSTOMER_EMAIL?: string
  CUSTOMER_PHONE?: string
  CUSTOMER_PATRONYM?: string
  /** The limit of the object's database, for `/health` and an alert. Default 10; on the free plan 5. */
  STORAGE_GB?: string
  /** Days after which a customer's data is removed; empty: never. */
  RETENTION_DAYS: string
  /** `true` or `false`: whether the card's token is stored with its event. */
  KEEP_CARD_TOKEN: string
  /** Secret: the API key. */
  API_KEY: string
  /** Secret: signs calls and verifies webhooks. */
  API_SECRET: string
  /** Secret, only while API_SECRET is being replaced: verifies webhooks, signs nothing. */
  API_SECRET_PREVIOUS?: string
  /** Secret: the `X-API-KEY` header. */
  ENDPOINTS_KEY: string
  /** Secret, at least 32 characters: encrypts checkout links and signs result pages. */
  LINK_SECRET: string
  /** Secret, only while LINK_SECRET is being replaced: opens links, makes none. */
  LINK_SECRET_PREVIOUS?: string
  /** Secret, at least 32 characters: the bearer token of `/api`. */
  ADMIN_TOKEN: string
  /** Secret, only while ADMIN_TOKEN is being replaced. */
  ADMIN_TOKEN_PREVIOUS?: string
  /** Secret: more callers of `/api` and users of the console, as JSON: a name → `{ "token": …, "role": … }`. */
  PEOPLE?: string
}

/** The path that the shop is mounted at, such as `/pay`; '' at the root. */
export const basePath = ({ PUBLIC_ORIGIN: origin }: Pick<Partial<ShopEnv>, 'PUBLIC_ORIGIN'>): string =>
  origin && URL.canParse(origin) ? new URL(origin).pathname.replace(/\/$/, '') : ''

const present = (...secrets: (string | undefined)[]): string[] => secrets.filter((secret) => !!secret) as string[]

/** The secrets that webhooks are verified with: the new one first, the previous one while it is being replaced. */
export const webhookSecrets = (env: ShopEnv): string[] => present(env.API_SECRET, env.API_SECRET_PREVIOUS)

/** The secrets that links are opened with. */
export const linkSecrets = (env: ShopEnv): string[] => present(env.LINK_SECRET, env.LINK_SECRET_PREVIOUS)

/** The bearer tokens that `/api` accepts. */
export const adminTokens = (env: ShopEnv): string[] => present(env.ADMIN_TOKEN, env.ADMIN_TOKEN_PREVIOUS)

/** Whether the service is an emulator on this machine, as with `edgetill dev`. */
export const isLocal = ({ BASE_URL }: ShopEnv): boolean => /^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(BASE_URL ?? '')

/** How far `edgetill dev` has moved the worker's clock on, in milliseconds. */
export const clockAhead = (env: ShopEnv & { CLOCK_AHEAD_MS?: string }): number =>
  isLocal(env) ? Number(env.CLOCK_AHEAD_MS ?? 0) : 0

/** Whether `cc_token` is stored. */
export const keepsCardToken = (env: ShopEnv): boolean => !/^(false|off|no|0)$/i.test(env.KEEP_CARD_TOKEN ?? '')

/** The customer's fields that the shop fills in for a link without them. */
export function customerDefaults(env: ShopEnv): Record<string, string> {
  const { CUSTOMER_EMAIL: customer_email, CUSTOMER_PHONE: customer_phone, CUSTOMER_PATRONYM: customer_patronym } = env
  const fields = Object.entries({ customer_email, customer_phone, customer_patronym })
  return Object.fromEntries(fields.flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

/** Whether real money moves here, by the configuration. */
export const isLive = ({ MODE }: Pick<Partial<ShopEnv>, 'MODE'>): boolean => MODE !== 'test'

/** Whether credentials may travel over `http:` beyond loopback. */
export const allowsInsecureHttp = (env: Partial<ShopEnv>): boolean =>
  /^(true|on|yes|1)$/i.test(env.ALLOW_INSECURE_HTTP ?? '')

/** Milliseconds after which a customer's data is removed; undefined: never. */
export function retentionMs(env: ShopEnv): number | undefined {
  // A value that is not a number of days is a configuration error: it must erase nothing.
  return /^[1-9]\d*$/.test(env.RETENTION_DAYS ?? '') ? Number(env.RETENTION_DAYS) * 86_400_000 : undefined
}

/** The SDK's configuration. */
export function clientConfig(env: ShopEnv, fetch: Fetch | undefined): ClientConfig {
  return {
    baseUrl: env.BASE_URL,
    apiUrl: env.API_URL || undefined,
    posId: env.POS_ID,
    apiKey: env.API_KEY,
    apiSecret: env.API_SECRET,
    endpointsKey: env.ENDPOINTS_KEY,
    scheme: env.SCHEME,
    // `documented` is the old name of `per-endpoint`. The SDK rejects any other value with its reason.
    authentication: (env.AUTHENTICATION?.replace('documented', 'per-endpoint') ||
      undefined) as ClientConfig['authentication'],
    allowInsecureHttp: allowsInsecureHttp(env),
    fetch,
    userAgent: 'edgetill-worker',
  }
}

/**
 * The SDK's configuration for a call that moves money: it is never repeated automatically, not even after a 429. While
 * the SDK waits for its next try, such a call cannot be distinguished from a call whose worker has died.
 */
export function moneyConfig(env: ShopEnv, fetch: Fetch | undefined): ClientConfig {
  return { ...clientConfig(env, fetch), maxRetries: 0 }
}
