import { equalText } from '../../lib/constant-time.ts'
import { sha256Base64url } from '../../lib/sha256.ts'
import { adminTokens, type ShopEnv } from '../env.ts'

/**
 * The rights of a person or a program: look; make links and close them (`'sell'` is short for `{ sell: true }`); refund
 * up to an amount per order, in the order's currency; or everything.
 */
export type Role = 'view' | 'sell' | { sell?: boolean; refund?: number } | 'all'

/** The right that a route requires. `note`: every role that may sell or refund. */
export type Right = 'view' | 'note' | 'sell' | 'refund' | 'all'

/** Minor units per order that a role may refund; undefined: without a limit. */
export function refundLimit(role: Role): number | undefined {
  if (role === 'all') return undefined
  const { refund = 0 } = Object(role) as { refund?: number }
  return refund > 0 ? Math.floor(refund * 100 + 1e-6) : 0
}

/** Whether a role has a right. A value that is not a role, such as undefined from a table of yours, has no right. */
export function may(role: Role, right: Right): boolean {
  const isRole = /^(view|sell|all)$/.test(String(role)) || (typeof role === 'object' && role !== null)
  if (!isRole) return false
  const sell = role === 'sell' || (Object(role) as { sell?: unknown }).sell === true
  const refund = refundLimit(role) !== 0
  const rights: Record<Right, boolean> = { view: true, sell, refund, note: sell || refund, all: false }
  return role === 'all' || rights[right]
}

/** The actor, as in the record, and their rights. */
export interface Actor {
  by: string
  role: Role
}

/** A name of PEOPLE; the bearer of ADMIN_TOKEN is `api`. */
interface Person extends Actor {
  token: string
}

/** @returns No person if PEOPLE is invalid: the check of the configuration reports it. */
function peopleOf({ PEOPLE }: Partial<ShopEnv>): Person[] {
  try {
    const people = Object.entries(JSON.parse(PEOPLE || '{}') as Record<string, Omit<Person, 'by'>>)
    return people.map(([by, { token, role }]) => ({ by, token: String(token), role }))
  } catch {
    return []
  }
}

/**
 * The holder of a token, which is compared with each in constant time.
 *
 * @param name The holder's name at the console, in letters of any case: a phone begins a name with a capital.
 */
export function holderOf(env: ShopEnv, token: string, name?: string): Person | undefined {
  const hash = sha256Base64url(token)
  const admins = adminTokens(env).map((one): Person => ({ by: 'api', token: one, role: 'all' }))
  const found = [...admins, ...peopleOf(env)].filter((one) => equalText(hash, sha256Base64url(one.token)))
  const isNamed = (by: string) => (by === 'api' ? 'admin' : by).toLowerCase() === name?.toLowerCase()
  return found.find(({ by }) => name === undefined || isNamed(by))
}

/** The holder of a session, and their token, as PEOPLE has them now. */
export const personOf = (env: ShopEnv, name: string): Person | undefined => peopleOf(env).find(({ by }) => by === name)

const isRole = (role: unknown): boolean => {
  if (role === 'view' || role === 'sell' || role === 'all') return true
  const { sell = true, refund = 1, ...more } = Object(role) as { sell?: unknown; refund?: unknown }
  const isLimit = typeof refund === 'number' && refund > 0
  return role !== null && typeof role === 'object' && isLimit && typeof sell === 'boolean' && !Object.keys(more).length
}

/** Every problem of PEOPLE, without a token's value. */
export function peopleProblem(value: string, env: Partial<ShopEnv>): string | undefined {
  const people = peopleOf(env)
  const isEmpty = people.length === 0 && !/^\s*\{\s*\}\s*$/.test(value)
  if (isEmpty) return 'must be JSON such as {"olena": {"token": "…", "role": "sell"}}'
  const taken = new Map(adminTokens(env as ShopEnv).map((token) => [token, 'ADMIN_TOKEN']))
  const problems = people.flatMap(({ by, token, role }) => {
    const other = taken.get(token)
    taken.set(token, by)
    return [
      !/^(?!(admin|api)$)[^\s\p{C}]([^\p{C}]{0,62}[^\s\p{C}])?$/iu.test(by) && `the name ${by} cannot be used`,
      !/^[!-~]{32,}$/.test(token) && `the token of ${by} must have at least 32 visible characters`,
      other !== undefined && `the token of ${by} is that of ${other}`,
      !isRole(role) && `the role of ${by} must be view, sell, all, or such as {"sell": true, "refund": 500}`,
    ].filter((one) => one !== false)
  })
  return problems.length > 0 ? problems.join('; ') : undefined
}
