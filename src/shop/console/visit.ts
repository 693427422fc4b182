import type { Context } from 'hono'
import type { Role, Shop, ShopEnv } from '../index.ts'
import { orderPart } from '../lib/links.ts'
import type { Problem } from '../lib/problem.ts'
import type { Call, Returns, Takes } from '../routes/calls.ts'
import type { ConsoleOptions } from './options.ts'
import type { Words } from './words/words.ts'

/** The fields of a form that was posted. */
export type Form = Record<string, string>

/** The variables of the console's routes: the visit, and the form that was posted. */
export interface Console {
  Bindings: ShopEnv
  Variables: { visit: Visit; fields: Form }
}

export type C = Context<Console>

/** The signed-in person. */
export interface Person {
  /** An e-mail address, a name of PEOPLE, or `admin`. */
  name: string
  role: Role
  /** The secret that binds forms to a session: each session has its own. */
  secret: string
  /** Whether the session is in a cookie. */
  isSession?: boolean
}

/** A request to the console. */
export interface Visit {
  c: C
  shop: Shop
  options: ConsoleOptions
  now: () => number
  /** The console's mount path: `/console`. */
  base: string
  /** The path inside it: `/orders/A-1`. */
  path: string
  words: Words
  /** Undefined on the pages before the login. */
  person?: Person | undefined
}

/** A visit of a signed-in person. */
export interface SignedVisit extends Visit {
  person: Person
}

/** The API's problem; without a response of the API, only a status and a code. */
export type Failure = Pick<Problem, 'status' | 'code'> & Partial<Problem>

export type Reply<T> = { ok: true; status: number; body: T } | { ok?: false; status: number; problem: Failure }

/** Whether the shop failed, rather than rejected the request. */
export const isOutage = ({ status }: Pick<Problem, 'status'>): boolean => status >= 500

/** The variable parts of a call: those of its path, its headers, and its row's inputs. */
type Sent<K extends Call> = Takes<K> & {
  path?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
}

/** Runs a route of the shop's API in the name of the signed-in person: `call(visit, 'GET /api/days', { query })`. */
export async function call<K extends Call>(
  { c, shop, person }: SignedVisit,
  route: K,
  ...[sent]: object extends Takes<K> ? [sent?: Sent<K>] : [sent: Sent<K>]
): Promise<Reply<Returns[K]>> {
  const { path = {}, query = {}, body, headers }: Partial<Sent<Call>> & { query?: object; body?: object } = sent ?? {}
  const [method = '', pattern = ''] = route.split(' ')
  const part = (_: string, name: string) => orderPart(path[name] as string)
  const url = new URL(pattern.replaceAll(/:(\w+)/g, part), c.req.url)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const request = new Request(url, { method, ...(headers && { headers }), ...(body && { body: JSON.stringify(body) }) })
  try {
    const response = await shop.api(request, c.env, contextOf(c), person.name, person.role)
    const { status } = response
    const json = (await response.json()) as Returns[K] & Problem
    return response.ok ? { ok: true, status, body: json } : { status, problem: json }
  } catch {
    // A request to a route that moves money may have been done.
    const code = method === 'GET' ? 'state' : 'outcome_unknown'
    return { status: 503, problem: { status: 503, code } }
  }
}

/** The outcome of an act that was not confirmed: a key of `words.problems`. */
export type Outcome = keyof Words['problems']

/** The outcome that an error's code stands for; undefined for a code with several meanings. */
export function outcomeByCode(code: string): Outcome | undefined {
  if (code.endsWith('not_executed')) return 'not_executed'
  if (code.endsWith('_unsettled') || code.endsWith('_in_progress')) return 'earlier'
  if (/^(state|connection|order_rebuilt|closed)$/.test(code)) return 'not_sent'
  if (/^(invalid_input|api)$/.test(code)) return 'rejected'
  if (code === 'over_limit') return 'forbidden'
  const isOutcome = /^(order_changed|idempotency_key_reused|paid_twice|outcome_unknown|config|declined)$/.test(code)
  return isOutcome ? (code as Outcome) : undefined
}

export function contextOf(c: C): C['executionCtx'] {
  try {
    return c.executionCtx
  } catch {
    return { waitUntil: () => {} } as unknown as C['executionCtx']
  }
}

/** An address inside the console. */
export const at = ({ base }: Pick<Visit, 'base'>, path: string): string => `${base}${path}`

/** `mugs~2` is our name for another try at paying `mugs`; `mugs~1` is an order of another program. */
export const shownId = (order_id: string): string => order_id.replace(/~(?!1$)\d+$/, '')

/** The path of an order's page. */
export const orderPath = (order_id: string): `/orders/${string}` => `/orders/${orderPart(order_id)}`
