import type { Env } from '../env.ts'

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
export function configurationProblems(env: Partial<Env>, names: readonly Name[] = ALL): ConfigurationProblem[] {
  return names.flatMap((binding) => {
    const problem = problemOf(env, binding)
    return problem === undefined ? [] : [{ binding, problem }]
  })
}

/** @throws {MisconfiguredError} naming everything of the group that is missing or cannot work. */
export function requireBindings(env: Partial<Env>, group: keyof typeof NEEDS): void {
  const problems = configurationProblems(env, NEEDS[group])
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

type Check = (value: string) => string | undefined

const unless =
  (pattern: RegExp, problem: string): Check =>
  (value) =>
    pattern.test(value) ? undefined : problem

const uuid = unless(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'must be a UUID')
const address = unless(
  /^(https:\/\/[^\s?#]+|http:\/\/(localhost|127(\.\d+){3}|\[::1\]|[\w-]+\.localhost)(:\d+)?(\/[^\s?#]*)?)$/i,
  'must be an https address (http on loopback only), without a query',
)
/** The secrets of the worker; the service's credentials have no minimum. */
const longSecret = unless(/^.{32,}$/s, 'must have at least 32 characters; make it with: openssl rand -base64 32')
const bearerToken: Check = (value) => (/\s/.test(value) ? 'must not contain a space' : longSecret(value))

const CHECKS: Partial<Record<Name, Check>> = {
  BASE_URL: (value) => (/\/api\/v1\/?$/.test(value) ? 'must not end in /api/v1: the SDK adds it' : address(value)),
  API_URL: address,
  POS_ID: (value) => (/^0{8}-/.test(value) ? 'is still the placeholder' : uuid(value)),
  SCHEME: unless(/^[\w-]+$/, 'must be one word'),
  AUTHENTICATION: unless(/^(per-endpoint|documented|plain)$/, 'must be per-endpoint or plain'),
  LINK_SECRET: longSecret,
  LINK_SECRET_PREVIOUS: longSecret,
  ADMIN_TOKEN: bearerToken,
  ADMIN_TOKEN_PREVIOUS: bearerToken,
  SENDER_CHECK: unless(/^(off|log|enforce)$/, 'must be off, log or enforce'),
  SENDER_IP: unless(/^(\d{1,3}(\.\d{1,3}){3}|[\da-f:]*:[\da-f:.]+)$/i, 'must be one IP address'),
  RETENTION_DAYS: unless(/^[1-9]\d{0,4}$/, 'must be a whole number of days, or empty'),
  KEEP_CARD_TOKEN: unless(/^(true|false|on|off|yes|no|1|0)$/i, 'must be true or false'),
  PUBLIC_ORIGIN: unless(/^https?:\/\/[^\s/?#]+$/i, 'must be an origin such as https://pay.shop.example.com'),
}
