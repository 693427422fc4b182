import { getCookie } from 'hono/cookie'
import { markOf } from '../checkout-link/seal.ts'
import { encodeBase64url } from '../lib/base64url.ts'
import { equalSecret } from '../shop/lib/crypto.ts'
import { bodyText } from '../shop/lib/json-body.ts'
import { isLoopback } from '../shop/lib/loopback.ts'
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

export const newSession = (kind: Session['kind'], now: number): Session => ({
  id: encodeBase64url(crypto.getRandomValues(new Uint8Array(16)), false),
  kind,
  since: now,
})

/** The purposes of the marks, so that one is never taken for another. */
const SESSION = 'console session'
const FORM_SECRET = 'console form secret'
const CSRF = 'console csrf'

/** The header that stores a session, and renews it. Its key is ADMIN_TOKEN: to replace that ends every session. */
export async function sessionCookie(c: C, { id, kind, since }: Session, now: number): Promise<string> {
  const until = Math.min(now + IDLE_MS, since + LONGEST_MS)
  const text = `${kind}.${id}.${since}.${until}`
  const value = `${text}.${await markOf(c.env.ADMIN_TOKEN, SESSION, text)}`
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
  const expected = await markOf(c.env.ADMIN_TOKEN, SESSION, `${kind}.${id}.${since}.${until}`)
  if (!equalSecret(signature, expected) || Number(until) <= now) return undefined
  return { id, kind, since: Number(since) }
}

/** The secret that a session's forms are bound to. */
export const formSecret = (c: C, { kind, id }: Session): Promise<string> =>
  markOf(c.env.ADMIN_TOKEN, FORM_SECRET, `${kind}.${id}`)

/** The same for whoever Access let through: nobody but Access and the browser knows the token. */
export const formSecretOf = (token: string, email: string): Promise<string> => markOf(token, FORM_SECRET, email)

/** The hidden field of one form: of this session, and for this address alone. */
export const csrfOf = (secret: string, action: string): Promise<string> => markOf(secret, CSRF, action)

/** The fields of a form; a body that is longer than 64 KiB, or is no form, has none. */
export async function fieldsOf({ req }: C): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams((await bodyText(req.raw)) ?? ''))
}

/** Whether a form was sent by this session's own page for this address. */
export async function isOwnForm(c: C, secret: string, csrf: unknown): Promise<boolean> {
  return (
    isSameSite(c) && typeof csrf === 'string' && equalSecret(csrf, await csrfOf(secret, new URL(c.req.url).pathname))
  )
}

/** The origin of a form, as the browser reports it. Old ones report nothing. */
function isSameSite(c: C): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = c.req.header('origin')
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host)
}
