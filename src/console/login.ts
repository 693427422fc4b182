import { html } from 'hono/html'
import { adminTokens } from '../shop/env.ts'
import { configurationProblems } from '../shop/lib/configuration.ts'
import { equalSecret } from '../shop/lib/crypto.ts'
import { isLoopback } from '../shop/lib/loopback.ts'
import { notice, page, redirect } from './layout.ts'
import type { ConsoleRole } from './options.ts'
import { field, hidden } from './parts.ts'
import {
  csrfOf,
  endSession,
  fieldsOf,
  formSecret,
  formSecretOf,
  isOwnForm,
  newSession,
  readSession,
  type Session,
  sessionCookie,
} from './session.ts'
import { at, type Person, type Visit } from './visit.ts'

type Access = (token: string) => Promise<string | undefined>

/** Who a request is of; or the page that it gets instead. */
export async function signIn(visit: Visit, access: Access | undefined): Promise<Person | Response> {
  const { c, words } = visit
  // Access cannot stand in front of a worker on the developer's machine.
  if (access && !isLoopback(c.req.url)) {
    const token = c.req.header('cf-access-jwt-assertion')
    const email = token && (await access(token))
    if (!token || !email) return notice(visit, 403, words.noAccess)
    return { name: email, role: roleOf(visit, email), secret: await formSecretOf(token, email) }
  }
  const [token] = adminTokens(c.env)
  if (!token || configurationProblems(c.env, ['ADMIN_TOKEN', 'ADMIN_TOKEN_PREVIOUS']).length > 0) {
    return unconfigured(visit)
  }
  const session = await readSession(c, visit.now())
  if (session?.kind !== 'admin') return login(visit, session)
  const cookie = await sessionCookie(c, session, visit.now())
  // A page that loads itself again does not use the session.
  if (c.req.query('look') === undefined) visit.cookies.unshift(cookie)
  return { name: 'admin', role: 'all', secret: await formSecret(c, session), cookie }
}

function roleOf({ options: { roles } }: Visit, email: string): ConsoleRole {
  if (roles === undefined) return 'all'
  return (Object.hasOwn(roles, email) ? roles[email] : undefined) ?? 'view'
}

function unconfigured(visit: Visit): Promise<Response> {
  const { title, body, access } = visit.words.unconfigured
  return page(visit, {
    status: 503,
    title,
    body: html`<div class="card"><p>${body}</p><pre>npx wrangler secret put ADMIN_TOKEN</pre>
<p>${access}</p><pre>createConsole(shop, { access: { team: '…', audience: '…' } })</pre></div>`,
  })
}

/** The login, in place of whatever page was asked for; it leads on to that page. */
async function login(visit: Visit, known: Session | undefined): Promise<Response> {
  const { c, path, words } = visit
  const guest = known ?? newSession('guest', visit.now())
  const secret = await formSecret(c, guest)
  const isTry = c.req.method === 'POST' && path === '/login'
  if (!isTry) {
    const isPage = c.req.method === 'GET'
    return loginPage(visit, guest, isPage ? 200 : 403, { to: path, ...(!isPage && { problem: words.login.ended }) })
  }
  const { csrf, password, to = '/' } = known ? await fieldsOf(c) : {}
  if (!known || !(await isOwnForm(c, secret, csrf))) {
    return loginPage(visit, guest, 403, { problem: words.oldForm.body })
  }
  // Nothing is counted: a token of 32 characters cannot be guessed, and strangers who try keep nobody out.
  for (const expected of adminTokens(c.env)) {
    if (!equalSecret(String(password), expected)) continue
    // A new session: an id that someone else has planted is worth nothing.
    visit.cookies.unshift(await sessionCookie(c, newSession('admin', visit.now()), visit.now()))
    return redirect(visit, isPath(to) ? to : '/')
  }
  return loginPage(visit, guest, 403, { problem: words.login.wrong, to })
}

/** A page of the console that shows something: after a form that was not sent, that is where the form stands. */
const isPath = (to: string): boolean => /^\/(?!\/|login|logout)[\w/%~.,-]*$/.test(to)
const pageBefore = (to: string): string => (/^\/(orders|links)\/[^/]+/.exec(to) ?? [to])[0]

const PASSWORD = html` type="password" autocomplete="current-password" required`

async function loginPage(
  visit: Visit,
  guest: Session,
  status: number,
  { problem, to = '/' }: { problem?: string; to?: string },
): Promise<Response> {
  const { title, token, hint, go } = visit.words.login
  const action = at(visit, '/login')
  visit.cookies.unshift(await sessionCookie(visit.c, guest, visit.now()))
  const csrf = await csrfOf(await formSecret(visit.c, guest), action)
  return page(visit, {
    status,
    title,
    isWrong: problem !== undefined,
    body: html`<div class="card narrow">${problem ? html`<p class="bad" role="alert">${problem}</p>` : ''}
<form method="post" action="${action}">${hidden({ csrf, to: pageBefore(to) })}
<input type="text" name="username" autocomplete="username" value="admin" readonly hidden>
${field({ name: 'password', label: token, hint, more: PASSWORD })}
<button class="main">${go}</button></form></div>`,
  })
}

/** Ends the session in this browser. */
export function signOut(visit: Visit): Response {
  visit.cookies = [endSession(visit.c)]
  return redirect(visit, '/')
}
