import { html } from 'hono/html'
import { actShop } from '../shop/books/actions.ts'
import { endedSession } from '../shop/books/register.ts'
import type { ShopEnv } from '../shop/env.ts'
import type { Role } from '../shop/index.ts'
import { configurationProblems, TOKENS } from '../shop/lib/configuration.ts'
import { isLoopback } from '../shop/lib/loopback.ts'
import { holderOf, personOf } from '../shop/lib/people.ts'
import type { createTries } from '../shop/lib/tries.ts'
import { notice, page, redirect } from './layout.ts'
import { field, hidden } from './parts.ts'
import {
  csrfOf,
  endSession,
  fieldsOf,
  formSecret,
  formSecretOf,
  isOwnForm,
  keepSession,
  LONGEST_MS,
  newSession,
  readSession,
  type Session,
} from './session.ts'
import { at, type Person, type SignedVisit, type Visit } from './visit.ts'

type Tries = ReturnType<typeof createTries>
type Access = (token: string) => Promise<string | undefined>

/** Who a request is of; or the page that it gets instead. */
export async function signIn(visit: Visit, access: Access | undefined, tries: Tries): Promise<Person | Response> {
  const { c, words } = visit
  // Access cannot stand in front of a worker on the developer's machine.
  if (access && !isLoopback(c.req.url)) {
    const token = c.req.header('cf-access-jwt-assertion')
    const email = token && (await access(token))
    if (!token || !email) return notice(visit, 403, words.noAccess)
    return { name: email, role: roleOf(visit, email), secret: await formSecretOf(token, email) }
  }
  const [problem] = configurationProblems(c.env, TOKENS)
  if (problem) return unconfigured(visit, problem.binding)
  const session = await readSession(c, visit.now())
  const isOver = session?.name && (await isEnded(c.env, session))
  if (!session?.name || isOver) return login(visit, session?.name ? undefined : session, tries)
  // A page may be looked at.
  if (isOver === undefined && c.req.method === 'POST') return notice(visit, 503, words.problems.not_sent)
  const { name } = session
  const role = name === 'admin' ? 'all' : (personOf(c.env, name)?.role as Role)
  // A page that loads itself again does not use the session.
  if (c.req.query('look') === undefined) await keepSession(c, session, visit.now())
  return { name, role, secret: await formSecret(c, session), isSession: true }
}

/** Whether somebody signed out of it; undefined where the storage does not say. */
const isEnded = (env: ShopEnv, { id }: Session): Promise<boolean | undefined> =>
  actShop({ env }, 1, endedSession, id).catch(() => undefined)

function roleOf({ options: { roles } }: Visit, email: string): Role {
  if (roles === undefined) return 'all'
  return Object.hasOwn(roles, email) ? (roles[email] as Role) : 'view'
}

function unconfigured(visit: Visit, binding: string): Promise<Response> {
  const { title, body } = visit.words.unconfigured
  return page(visit, {
    status: 503,
    title,
    body: html`<div class="card"><p>${body}</p><pre>npx wrangler secret put ${binding}</pre></div>`,
  })
}

/** The login, in place of whatever page was asked for; it leads on to that page. */
async function login(visit: Visit, known: Session | undefined, tries: Tries): Promise<Response> {
  const { c, path, words } = visit
  const guest = known ?? newSession('', visit.now())
  const secret = await formSecret(c, guest)
  const isTry = c.req.method === 'POST' && path === '/login'
  if (!isTry) {
    const isPage = c.req.method === 'GET'
    return loginPage(visit, guest, isPage ? 200 : 403, { to: path, ...(!isPage && { problem: words.login.ended }) })
  }
  const { csrf, username = 'admin', password = '', to = '/' } = await fieldsOf(c)
  if (!(await isOwnForm(c, secret, csrf))) {
    return loginPage(visit, guest, 403, { problem: words.oldForm.body })
  }
  const address = c.req.header('cf-connecting-ip')
  if (tries(address)) return loginPage(visit, guest, 429, { problem: words.login.wait, to, username })
  const name = username.trim()
  if (!holderOf(c.env, password, name)) {
    tries(address, true)
    return loginPage(visit, guest, 403, { problem: words.login.wrong, to, username })
  }
  // A new session: an id that someone else has planted is worth nothing.
  await keepSession(c, newSession(name, visit.now()), visit.now())
  return redirect(visit, isPath(to) ? to : '/')
}

/** A page of the console that shows something: after a form that was not sent, that is where the form stands. */
const isPath = (to: string): boolean => /^\/(?!\/|login|logout)[\w/%~.,-]*$/.test(to)
const pageBefore = (to: string): string => (/^\/(orders|links)\/[^/]+/.exec(to) ?? [to])[0]

const PASSWORD = html` type="password" autocomplete="current-password" required`

async function loginPage(
  visit: Visit,
  guest: Session,
  status: number,
  { problem, to = '/', username = '' }: { problem?: string; to?: string; username?: string },
): Promise<Response> {
  const { title, name, token, hint, go } = visit.words.login
  const isAlone = !visit.c.env.PEOPLE
  const action = at(visit, '/login')
  await keepSession(visit.c, guest, visit.now())
  const csrf = await csrfOf(await formSecret(visit.c, guest), action)
  return page(visit, {
    status,
    title,
    isWrong: problem !== undefined,
    body: html`<div class="card narrow">${problem ? html`<p class="bad" role="alert">${problem}</p>` : ''}
<form method="post" action="${action}">${hidden({ csrf, to: pageBefore(to) })}
${
  isAlone
    ? html`<input type="text" name="username" autocomplete="username" value="admin" readonly hidden>`
    : field({ name: 'username', label: name, value: username, more: html` autocomplete="username" required` })
}
${field({ name: 'password', label: token, hint, more: PASSWORD })}
<button class="main">${go}</button></form></div>`,
  })
}

/** Ends the session, and every copy of it. */
export async function signOut(visit: SignedVisit): Promise<Response> {
  const { c } = visit
  const session = await readSession(c, visit.now())
  if (session) await actShop({ env: c.env }, 1, endedSession, session.id, session.since + LONGEST_MS)
  endSession(c)
  return redirect(visit, '/')
}
