import { getCookie } from 'hono/cookie'
import { equalSecret } from '../lib/crypto.ts'
import { leave, redirect } from './layout.ts'
import { csrfOf } from './session.ts'
import { at, type Failure, type Form, type SignedVisit } from './visit.ts'

/** A rejected form: the typed values, and the API's problem if it was called. */
export interface RejectedForm {
  fields: Form
  problem?: Failure | undefined
}

const COOKIE = 'edgetill_form'
/** A browser drops a cookie that is longer. */
const LONGEST = 3_800

/** Redirects to a page that shows the rejected form again; undefined if it does not fit into a cookie. */
export async function redirectToForm(
  visit: SignedVisit,
  path: string,
  form: RejectedForm,
): Promise<Response | undefined> {
  const { c, person } = visit
  const text = JSON.stringify([new URL(at(visit, path), c.req.url).pathname, form])
  const value = (await csrfOf(person.secret, text)) + text
  if (encodeURIComponent(value).length > LONGEST) return undefined
  leave(visit, COOKIE, value, 600)
  return redirect(visit, path)
}

/** The form that led to this page, only of this session. */
export async function readRejectedForm({ c, person }: SignedVisit): Promise<RejectedForm | undefined> {
  const value = getCookie(c, COOKIE) ?? ''
  const start = value.indexOf('[')
  const text = value.slice(start)
  if (!equalSecret(value.slice(0, start), await csrfOf(person.secret, text))) return undefined
  const [path, form] = JSON.parse(text) as [string, RejectedForm]
  return path === new URL(c.req.url).pathname ? form : undefined
}
