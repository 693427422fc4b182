import { getCookie } from 'hono/cookie'
import { equalSecret } from '../shop/lib/crypto.ts'
import { isLoopback } from '../shop/lib/loopback.ts'
import { randomId, sign } from './lib/sign.ts'
import type { C } from './visit.ts'

const MINUTE_MS = 60_000
/** A session ends after so long without use … */
const IDLE_MS = 30 * MINUTE_MS
/** … and after so long in any case. */
const LONGEST_MS = 12 * 60 * MINUTE_MS

/** A session is all in its cookie: nothing is stored. */
export interface Session {
  id: string
  /** `guest`: of whoever has not signed in; it binds the login's form. */
  kind: 'guest' | 'admin'
  since: number
}

/** On this machine over http a browser stores no cookie that is `Secure`. */
const isPlain = (c: C): boolean => isLoopback(c.req.url) && c.req.url.startsWith('http:')
const nameOf = (c: C): string => (isPlain(c) ? 'edgetill' : '__Host-edgetill')

export const newSession = (kind: Session['kind'], now: number): Session => ({ id: randomId(), kind, since: now })

/** The header that stores a session, and renews it. Its key is ADMIN_TOKEN: to replace that ends every session. */
export async function sessionCookie(c: C, { id, kind, since }: Session, now: number): Promise<string> {
  const until = Math.min(now + IDLE_MS, since + LONGEST_MS)
  const text = `${kind}.${id}.${since}.${until}`
  const value = `${text}.${await sign(c.env.ADMIN_TOKEN, 'session', text)}`
  return cookie(c, value, Math.ceil((until - now) / 1000))
}

export const endSession = (c: C): string => cookie(c, '', 0)

const cookie = (c: C, value: string, maxAge: number): string =>
  `${nameOf(c)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${isPlain(c) ? '' : '; Secure'}`

/** The session of a request; undefined where there is none, or it has ended, or was not made here. */
export async function readSession(c: C, now: number): Promise<Session | undefined> {
  const parts = (getCookie(c, nameOf(c)) ?? '').split('.')
  const [kind, id = '', since = '', until = '', signature = ''] = parts
  if (parts.length !== 5 || (kind !== 'guest' && kind !== 'admin')) return undefined
  const expected = await sign(c.env.ADMIN_TOKEN, 'session', `${kind}.${id}.${since}.${until}`)
  if (!(await equalSecret(signature, expected)) || Number(until) <= now) return undefined
  return { id, kind, since: Number(since) }
}

/** The secret that a session's forms are bound to. */
export const formSecret = (c: C, { kind, id }: Session): Promise<string> =>
  sign(c.env.ADMIN_TOKEN, 'form secret', `${kind}.${id}`)

/** The hidden field of one form: of this session, and for this address alone. */
export const csrfOf = (secret: string, action: string): Promise<string> => sign(secret, 'csrf', action)

/** Whether a form was sent by this session's own page for this address. */
export async function isOwnForm(c: C, secret: string, csrf: unknown): Promise<boolean> {
  return (
    isSameSite(c) && typeof csrf === 'string' && equalSecret(csrf, await csrfOf(secret, new URL(c.req.url).pathname))
  )
}

/** What the browser says of where a form was. Old ones say nothing. */
function isSameSite(c: C): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = c.req.header('origin')
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host)
}
