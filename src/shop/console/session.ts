import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { markOf } from '../../checkout-link/seal.ts'
import type { ShopEnv } from '../env.ts'
import { equalSecret } from '../lib/crypto.ts'
import { HOUR_MS } from '../lib/day.ts'
import { bodyText } from '../lib/json-body.ts'
import { isLoopback } from '../lib/loopback.ts'
import { personOf } from '../lib/people.ts'
import type { C } from './visit.ts'

/** A session ends after this time without use … */
const IDLE_MS = HOUR_MS / 2
/** … and after this time in any case. */
export const LONGEST_MS: number = 12 * HOUR_MS

/** A session is kept in its cookie. The shop stores only the sessions that were ended early. */
export interface Session {
  id: string
  /** The person, or '' before the login, whose form is bound to it as well. */
  name: string
  since: number
}

/** On this machine over http a browser stores no cookie that is `Secure`. */
const isPlain = (c: C): boolean => isLoopback(c.req.url) && c.req.url.startsWith('http:')
const nameOf = (c: C): string => (isPlain(c) ? 'edgetill' : '__Host-edgetill')

export const newSession = (name: string, now: number): Session => ({ id: crypto.randomUUID(), name, since: now })

/** The key of a session's marks: its holder's token. If the token changes or is removed, their sessions end. */
const keyOf = (env: ShopEnv, name: string): string | undefined =>
  name === '' || name === 'admin' ? env.ADMIN_TOKEN : personOf(env, name)?.token

/** The purposes of the marks: a mark for one purpose is invalid for another. */
const SESSION = 'console session'
const FORM_SECRET = 'console form secret'
const CSRF = 'console csrf'

/** Stores a session, or renews it. */
export async function keepSession(c: C, { id, name, since }: Session, now: number): Promise<void> {
  const until = Math.min(now + IDLE_MS, since + LONGEST_MS)
  const text = `${id}.${since}.${until}.${name}`
  const value = `${await markOf(keyOf(c.env, name) as string, SESSION, text)}.${text}`
  const attributes = { httpOnly: true, sameSite: 'Strict', secure: !isPlain(c) } as const
  setCookie(c, nameOf(c), value, { ...attributes, maxAge: Math.ceil((until - now) / 1000) })
}

/** Deletes the session's cookie, even if this request has just renewed it. */
export function endSession(c: C): void {
  c.header('set-cookie')
  deleteCookie(c, nameOf(c), { secure: !isPlain(c) })
}

/** The session of a request; undefined if there is none, or it has ended, or was not made here. */
export async function readSession(c: C, now: number): Promise<Session | undefined> {
  const [signature = '', id = '', since = '', until = '', ...parts] = (getCookie(c, nameOf(c)) ?? '').split('.')
  const name = parts.join('.')
  const key = keyOf(c.env, name)
  if (key === undefined) return undefined
  const expected = await markOf(key, SESSION, `${id}.${since}.${until}.${name}`)
  if (!equalSecret(signature, expected) || Number(until) <= now) return undefined
  return { id, name, since: Number(since) }
}

/** The secret that a session's forms are bound to. */
export const formSecret = (c: C, { name, id }: Session): Promise<string> =>
  markOf(keyOf(c.env, name) as string, FORM_SECRET, `${name}.${id}`)

/** The same for a person who signed in by Access: only Access and the browser have the token. */
export const formSecretOf = (token: string, email: string): Promise<string> => markOf(token, FORM_SECRET, email)

/** The hidden field of a form: of this session, and only for this address. */
export const csrfOf = (secret: string, action: string): Promise<string> => markOf(secret, CSRF, action)

/** The fields of a form; a body that is longer than 64 KiB, or is no form, has none. */
export async function fieldsOf({ req }: C): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await bodyText(req.raw)))
}

/** Whether a form was sent by this session's own page for this address. */
export async function isOwnForm(c: C, secret: string, csrf: unknown): Promise<boolean> {
  const expected = await csrfOf(secret, new URL(c.req.url).pathname)
  return isSameSite(c) && typeof csrf === 'string' && equalSecret(csrf, expected)
}

/** Whether a form came from this site, as the browser reports it. Old browsers report nothing. */
function isSameSite(c: C): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = c.req.header('origin')
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host)
}
