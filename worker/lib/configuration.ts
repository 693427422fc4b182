import { clientConfig, type Env } from '../env.ts'
import { type ClientConfig, createClient, isConfigError } from '../sdk.ts'

type Name = keyof Env

/** What is wrong with one binding. Never holds its value. */
export interface ConfigurationProblem {
  binding: Name
  problem: string
}

/** Bindings are missing or cannot work. */
export class MisconfiguredError extends Error {
  override readonly name = 'MisconfiguredError'
  readonly problems: readonly ConfigurationProblem[]
  constructor(problems: readonly ConfigurationProblem[]) {
    super(`Not configured: ${problems.map(({ binding }) => binding).join(', ')}. See worker/README.md, "Deploy".`)
    this.problems = problems
  }
}

const CALLS: readonly Name[] = [
  'BASE_URL',
  'POS_ID',
  'API_KEY',
  'API_SECRET',
  'ENDPOINTS_KEY',
  'SCHEME',
  'AUTHENTICATION',
]
const LINKS: readonly Name[] = ['STATE', 'LINK_SECRET', 'LINK_SECRET_PREVIOUS', ...CALLS]
const API: readonly Name[] = ['STATE', 'ADMIN_TOKEN', 'ADMIN_TOKEN_PREVIOUS']
const STORING: readonly Name[] = ['RETENTION_DAYS', 'KEEP_CARD_TOKEN']

/** What each group of routes cannot work without. */
const NEEDS = {
  webhooks: ['STATE', 'API_SECRET', 'API_SECRET_PREVIOUS', 'SENDER_CHECK', 'SENDER_IP', ...STORING],
  checkout: LINKS,
  result: LINKS,
  api: ['ADMIN_TOKEN', 'ADMIN_TOKEN_PREVIOUS'],
  orders: API,
  operations: [...API, ...CALLS, 'PUBLIC_ORIGIN', ...STORING],
  balances: ['ADMIN_TOKEN', 'API_URL', ...CALLS],
} satisfies Record<string, readonly Name[]>

const ALL: readonly Name[] = [...new Set(Object.values(NEEDS).flat())]
const OPTIONAL: readonly Name[] = [
  'SCHEME',
  'AUTHENTICATION',
  'SENDER_CHECK',
  'SENDER_IP',
  'PUBLIC_ORIGIN',
  'RETENTION_DAYS',
  'KEEP_CARD_TOKEN',
  'API_SECRET_PREVIOUS',
  'LINK_SECRET_PREVIOUS',
  'ADMIN_TOKEN_PREVIOUS',
]

/** Everything that is wrong with these bindings, at once. */
export function configurationProblems(
  env: Partial<Env>,
  names: readonly Name[] = ALL,
  bySdk = true,
): ConfigurationProblem[] {
  return names.flatMap((binding) => {
    const problem = problemOf(env, binding) ?? (bySdk ? checkedBySdk(env, binding) : undefined)
    return problem === undefined ? [] : [{ binding, problem }]
  })
}

/** @throws {MisconfiguredError} naming everything of the group that is missing or cannot work. */
export function requireBindings(env: Partial<Env>, group: keyof typeof NEEDS): void {
  // A webhook needs no call of the SDK: what a call could not use must not cost one.
  const problems = configurationProblems(env, NEEDS[group], group !== 'webhooks')
  if (problems.length > 0) throw new MisconfiguredError(problems)
}

function problemOf(env: Partial<Env>, binding: Name): string | undefined {
  const value: unknown = env?.[binding]
  if (binding === 'STATE') return typeof (value as Env['STATE'] | undefined)?.get === 'function' ? undefined : 'missing'
  if (value === undefined || value === '') return OPTIONAL.includes(binding) ? undefined : 'missing'
  if (typeof value !== 'string') return 'must be a text'
  if (/[\r\n]/.test(value)) return 'contains a line break'
  if (value !== value.trim()) return 'begins or ends with a space'
  return CHECKS[binding]?.(value)
}

const SECRET_LENGTH = 32
const tooShort = (value: string) =>
  value.length < SECRET_LENGTH
    ? `must have at least ${SECRET_LENGTH} characters; make it with: openssl rand -base64 32`
    : undefined
const bearerToken = (value: string) => (/\s/.test(value) ? 'must not contain a space' : tooShort(value))
const unless = (pattern: RegExp, problem: string) => (value: string) => (pattern.test(value) ? undefined : problem)

const CHECKS: Partial<Record<Name, (value: string) => string | undefined>> = {
  LINK_SECRET: tooShort,
  LINK_SECRET_PREVIOUS: tooShort,
  ADMIN_TOKEN: bearerToken,
  ADMIN_TOKEN_PREVIOUS: bearerToken,
  SENDER_CHECK: unless(/^(off|log|enforce)$/, 'must be off, log or enforce'),
  SENDER_IP: unless(/^(\d{1,3}(\.\d{1,3}){3}|[\da-f:]*:[\da-f:.]+)$/i, 'must be one IP address'),
  RETENTION_DAYS: unless(/^[1-9]\d{0,4}$/, 'must be a whole number of days, or empty'),
  KEEP_CARD_TOKEN: unless(/^(true|false|on|off|yes|no|1|0)$/i, 'must be true or false'),
  PUBLIC_ORIGIN: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined
    return url?.origin === value && /^https?:$/.test(url.protocol)
      ? undefined
      : 'must be an origin such as https://pay.shop.example.com'
  },
  BASE_URL: (value) => (/\/api\/v1\/?$/.test(value) ? 'must not end in /api/v1: the SDK adds it' : undefined),
  POS_ID: (value) => (/^0{8}-/.test(value) ? 'is still the placeholder' : undefined),
}

const OPTION_OF: Partial<Record<Name, keyof ClientConfig>> = {
  BASE_URL: 'baseUrl',
  API_URL: 'apiUrl',
  POS_ID: 'posId',
  API_KEY: 'apiKey',
  API_SECRET: 'apiSecret',
  API_SECRET_PREVIOUS: 'apiSecret',
  ENDPOINTS_KEY: 'endpointsKey',
  SCHEME: 'scheme',
  AUTHENTICATION: 'authentication',
}

const USABLE: ClientConfig = {
  baseUrl: 'https://service.invalid',
  posId: '12345678-0000-4000-8000-000000000000',
  apiKey: 'key',
  apiSecret: 'secret',
  endpointsKey: 'key',
}

/** Lets the SDK judge one option beside others that it accepts, so that every wrong one is named. */
function checkedBySdk(env: Partial<Env>, binding: Name): string | undefined {
  const option = OPTION_OF[binding]
  if (option === undefined || !env[binding]) return undefined
  const config = { ...clientConfig({ ...env, API_SECRET: env[binding] } as Env, undefined) }
  const value = binding === 'API_SECRET_PREVIOUS' ? config.apiSecret : config[option]
  try {
    createClient({ ...USABLE, [option]: value })
    return undefined
  } catch (error) {
    if (!isConfigError(error)) throw error
    return error.message
  }
}
