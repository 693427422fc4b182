import { zoneOf } from '../../lib/day.ts'
import { allowsInsecureHttp, type ShopEnv } from '../env.ts'
import { peopleProblem } from './people.ts'
import { ProblemError } from './problem.ts'

type Name = keyof ShopEnv

/** The problem of a binding. Never holds its value. */
export interface ConfigurationProblem {
  binding: Name
  problem: string
}

/** The problem, for a log line or an alert. */
export const describeProblems = (problems: readonly ConfigurationProblem[]): string[] =>
  problems.map(({ binding, problem }) => `${binding}: ${problem}`)

const KEYS: readonly Name[] = ['API_KEY', 'API_SECRET', 'ENDPOINTS_KEY']
const CALLS: readonly Name[] = ['BASE_URL', 'POS_ID', ...KEYS, 'SCHEME', 'AUTHENTICATION', 'ALLOW_INSECURE_HTTP']
/** The bindings that hold the state of orders. */
const STATE: readonly Name[] = ['STATE', 'TILL']
const LINK_SECRETS: readonly Name[] = ['LINK_SECRET', 'LINK_SECRET_PREVIOUS']
const CUSTOMER: readonly Name[] = ['CUSTOMER_EMAIL', 'CUSTOMER_PHONE', 'CUSTOMER_PATRONYM']
const LINKS: readonly Name[] = [...STATE, ...LINK_SECRETS, 'MODE', 'SHOP_NAME', 'SHOP_URL', ...CUSTOMER, ...CALLS]
export const TOKENS: readonly Name[] = ['ADMIN_TOKEN', 'ADMIN_TOKEN_PREVIOUS', 'PEOPLE']
const STORING: readonly Name[] = ['RETENTION_DAYS', 'KEEP_CARD_TOKEN']

export type Group =
  | 'webhooks'
  | 'checkout'
  | 'api'
  | 'stored'
  | 'orders'
  | 'operations'
  | 'links'
  | 'reconciliation'
  | 'balances'

const NEEDS: Record<Group, readonly Name[]> = {
  webhooks: [...STATE, 'API_SECRET', 'API_SECRET_PREVIOUS', 'SENDER_CHECK', 'SENDER_IP', ...STORING],
  checkout: LINKS,
  api: TOKENS,
  stored: ['STATE'],
  orders: [...STATE, 'SHOP_TZ'],
  operations: [...STATE, ...CALLS, 'PUBLIC_ORIGIN', ...STORING],
  links: [...STATE, ...LINK_SECRETS, 'PUBLIC_ORIGIN'],
  reconciliation: [...CALLS, ...STORING],
  balances: ['API_URL', ...CALLS],
}

const ALL: readonly Name[] = [...new Set([...Object.values(NEEDS).flat(), 'STORAGE_GB' as const])]

/** The bindings that wrangler keeps as secrets. */
export const SECRETS: readonly Name[] = [...KEYS, 'API_SECRET_PREVIOUS', ...LINK_SECRETS, ...TOKENS]
/** The bindings that wrangler.toml has as `vars`. */
export const VARIABLES: readonly Name[] = ALL.filter((name) => !STATE.includes(name) && !SECRETS.includes(name))

const REQUIRED = /^(MODE|BASE_URL|API_URL|POS_ID|SCHEME|API_KEY|API_SECRET|ENDPOINTS_KEY|LINK_SECRET|ADMIN_TOKEN)$/

/** Every problem of these bindings. */
export function configurationProblems(
  env: Partial<ShopEnv>,
  names: readonly Name[] = ALL,
  without: readonly Name[] = [],
): ConfigurationProblem[] {
  return names.flatMap((binding) => {
    if (without.includes(binding)) return []
    // Any text can verify a webhook; a secret that signs calls must also fit into a header.
    const isSent = binding === 'API_SECRET' && names.includes('API_KEY')
    const problem = problemOf(env, binding) ?? (isSent ? credential(env.API_SECRET ?? '', env) : undefined)
    return problem === undefined ? [] : [{ binding, problem }]
  })
}

/**
 * @throws {ProblemError} naming everything of the group that is missing or cannot work.
 * @param without The bindings that the host does without.
 */
export function requireBindings(env: Partial<ShopEnv>, group: Group, without: readonly Name[]): void {
  const problems = configurationProblems(env, NEEDS[group], without)
  if (problems.length === 0) return
  const missing = problems.map(({ binding }) => binding)
  const title = `Not configured: ${missing.join(', ')}. See worker/README.md, "Deploy".`
  throw new ProblemError(500, 'config', title, undefined, { missing, misconfigured: describeProblems(problems) })
}

function problemOf(env: Partial<ShopEnv>, binding: Name): string | undefined {
  const value: unknown = env?.[binding]
  if (binding === 'STATE')
    return typeof (value as ShopEnv['STATE'] | undefined)?.get === 'function' ? undefined : 'missing'
  if (binding === 'TILL') return isNamespace(value)
  if (value === undefined || value === '') return REQUIRED.test(binding) ? 'missing' : undefined
  if (typeof value !== 'string') return 'must be a text'
  if (binding === 'PEOPLE') return peopleProblem(value, env)
  if (/[\r\n]/.test(value)) return 'contains a line break'
  if (value !== value.trim()) return 'begins or ends with a space'
  const [check, live] = CHECKS[binding] ?? []
  return check?.(value, env) ?? (env.MODE === 'live' ? live?.(value, env) : undefined)
}

function isNamespace(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return 'missing'
  const { idFromName, get } = value as Partial<ShopEnv['TILL']>
  if (typeof idFromName === 'function' && typeof get === 'function') return undefined
  return 'must be a Durable Object namespace of the class ShopObject'
}

type Check = (value: string, env: Partial<ShopEnv>) => string | undefined

const unless =
  (pattern: RegExp, problem: string): Check =>
  (value) =>
    pattern.test(value) ? undefined : problem

const parsed =
  (pattern: RegExp, problem: string): Check =>
  (value) =>
    pattern.test(value) && URL.canParse(value) ? undefined : problem

/** The values that become part of a header. */
const credential = unless(/^[!-~]+$/, 'must be visible ASCII without a space')
const uuid = unless(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'must be a UUID')
const safeAddress = unless(
  /^(https:\/\/[^\s?#]+|http:\/\/(localhost|127(\.\d+){3}|\[::1\]|[\w-]+\.localhost)(:\d+)?(\/[^\s?#]*)?)$/i,
  'must be an https address (http on loopback, or with ALLOW_INSECURE_HTTP), without a query',
)
const anyAddress = unless(/^https?:\/\/[^\s?#]+$/i, 'must be an http or https address, without a query')
const address: Check = (value, env) => {
  const problem = (allowsInsecureHttp(env) ? anyAddress : safeAddress)(value, env)
  if (problem) return problem
  if (!URL.canParse(value)) return 'is not an address'
  const { username, password, pathname } = new URL(value)
  if (username + password) return 'must be without a user and a password'
  return /\/api\/v1\/*$/.test(pathname) ? 'must not end in /api/v1: the SDK adds it' : undefined
}
/** The secrets of the worker; the service's credentials have no minimum. */
const longSecret = unless(/^.{32,}$/s, 'must have at least 32 characters; make it with: openssl rand -base64 32')
const bearerToken: Check = (value, env) =>
  /\s/.test(value) ? 'must not contain a space' : (credential(value, env) ?? longSecret(value, env))
const boolean = unless(/^(true|false|on|off|yes|no|1|0)$/i, 'must be true or false')

const https = unless(/^https:/i, 'must be https when MODE is live')
/** The emulator's credentials are public: with them any program can sign a webhook. */
const genuine = unless(/^(?!emulator-|ed9e7111-0000-4000-8000-)/i, 'belongs to the emulator, but MODE is live')
const notExample = unless(/^(?!local-(link-secret|admin-token)-)/, 'is the example of worker/README.md')

/** The rule of each value, and its additional rule when real money moves. */
const CHECKS: Partial<Record<Name, readonly [check: Check | undefined, live?: Check]>> = {
  MODE: [unless(/^(test|live)$/, 'must be test or live')],
  BASE_URL: [address, https],
  API_URL: [address, https],
  POS_ID: [(value, env) => (/^0{8}-/.test(value) ? 'is still the placeholder' : uuid(value, env)), genuine],
  API_KEY: [unless(/^[!-9;-~]+$/, 'must be visible ASCII without a space and without ":"'), genuine],
  API_SECRET: [undefined, genuine],
  API_SECRET_PREVIOUS: [undefined, genuine],
  ENDPOINTS_KEY: [credential, genuine],
  SCHEME: [unless(/^[\w-]+$/, 'must be one word')],
  AUTHENTICATION: [unless(/^(per-endpoint|documented|plain)$/, 'must be per-endpoint or plain')],
  ALLOW_INSECURE_HTTP: [boolean, (_, env) => (allowsInsecureHttp(env) ? 'must be false when MODE is live' : undefined)],
  LINK_SECRET: [longSecret, notExample],
  LINK_SECRET_PREVIOUS: [longSecret, notExample],
  ADMIN_TOKEN: [bearerToken, notExample],
  ADMIN_TOKEN_PREVIOUS: [bearerToken, notExample],
  SENDER_CHECK: [unless(/^(off|log|enforce)$/, 'must be off, log or enforce')],
  SENDER_IP: [unless(/^(\d{1,3}(\.\d{1,3}){3}|[\da-f:]*:[\da-f:.]+)$/i, 'must be one IP address')],
  SHOP_URL: [unless(/^https?:\/\/[^\s]+$/i, 'must be an address such as https://shop.example.com')],
  CUSTOMER_EMAIL: [unless(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be one e-mail address')],
  CUSTOMER_PHONE: [unless(/^\+?\d{7,15}$/, 'must be a phone number such as +380441234567')],
  SHOP_TZ: [(value) => (zoneOf(value) ? undefined : 'must be a time zone such as Europe/Kyiv')],
  STORAGE_GB: [unless(/^(?!0*\.?0*$)\d+(\.\d+)?$/, 'must be a number of gigabytes such as 5')],
  RETENTION_DAYS: [unless(/^[1-9]\d{0,4}$/, 'must be a whole number of days, or empty')],
  KEEP_CARD_TOKEN: [boolean],
  PUBLIC_ORIGIN: [
    parsed(
      /^https?:\/\/[^\s/?#@]+(\/[\w~.%-]+)*$/i,
      'must be an origin such as https://pay.shop.example.com, or with a path',
    ),
    https,
  ],
}
