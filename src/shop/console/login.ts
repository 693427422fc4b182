import { html } from 'hono/html'
import { endedSession } from '../engine/sessions.ts'
import type { Role } from '../index.ts'
import { configurationProblems, TOKENS } from '../lib/configuration.ts'
import { isLoopback } from '../lib/loopback.ts'
import { holderOf, personOf } from '../lib/people.ts'
import type { Tries } from '../lib/tries.ts'
import { hostOf, openScope } from '../open-scope.ts'
import { type Deps, type Scope, shopDeps } from '../scope.ts'
import { notice, page, redirect } from './layout.ts'
import { alertOf, field, hidden } from './parts.ts'
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

type Access = (token: string) => Promise<string | undefined>

/** The signed-in person, or the response to send instead. */
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
  const isOver = session?.name && (await isEnded(visit, session))
  if (!session?.name || isOver) return login(visit, session?.name ? undefined : session, tries)
  // If the storage fails, pages can be read, but no form is accepted.
  if (isOver === undefined && c.req.method === 'POST') return notice(visit, 503, words.problems.not_sent)
  const { name } = session
  const role = name === 'admin' ? 'all' : (personOf(c.env, name)?.role as Role)
  // A page's automatic reload does not prolong the session.
  if (c.req.query('look') === undefined) await keepSession(c, session, visit.now())
  return { name, role, secret: await formSecret(c, session), isSession: true }
}

/** Whether the session was signed out; undefined if the storage fails. */
const isEnded = (visit: Visit, { id }: Session): Promise<boolean | undefined> =>
  endedSession(scopeOf(visit), id).catch(() => undefined)

const depsOf = ({ shop, now }: Visit): Deps => shopDeps.get(shop) ?? { now }
const scopeOf = (visit: Visit): Scope => openScope(depsOf(visit), visit.c.env)

function roleOf({ options: { roles } }: Visit, email: string): Role {
  if (roles === undefined) return 'all'
  return Object.hasOwn(roles, email) ? (roles[email] as Role) : 'view'
}

function unconfigured(visit: Visit, binding: string): Promise<Response> {
  const { title, body } = visit.words.unconfigured
  const command = html`<pre>npx wrangler secret put ${binding}</pre>`
  return page(visit, { status: 503, title, body: html`<div class="card"><p>${body}</p>${command}</div>` })
}

/** The login, in place of the requested page; it leads on to that page. */
async function login(visit: Visit, known: Session | undefined, tries: Tries): Promise<Response> {
  const { c, path, words } = visit
  const guest = known ?? newSession('', visit.now())
  const secret = await formSecret(c, guest)
  const isPage = c.req.method === 'GET'
  if (isPage || path !== '/login' || c.req.method !== 'POST') {
    return loginPage(visit, guest, isPage ? 200 : 403, { to: path, ...(!isPage && { problem: words.login.ended }) })
  }
  const { csrf, username = 'admin', password = '', to = '/' } = await fieldsOf(c)
  if (!(await isOwnForm(c, secret, csrf))) return loginPage(visit, guest, 403, { problem: words.oldForm.body })
  const address = hostOf(depsOf(visit)).addressOf(c.req.raw)
  if (await tries(address)) return loginPage(visit, guest, 429, { problem: words.login.wait, to, username })
  const name = username.trim()
  const holder = holderOf(c.env, password, name)
  if (!holder) {
    await tries(address, true)
    return loginPage(visit, guest, 403, { problem: words.login.wrong, to, username })
  }
  // Begin a new session, so that a session id that an attacker has planted is worth nothing.
  const { by } = holder
  await keepSession(c, newSession(by === 'api' ? 'admin' : by, visit.now()), visit.now())
  return redirect(visit, isPath(to) ? to : '/')
}

/** A page of the console that shows something: after a form that was not sent, the form's page. */
const isPath = (to: string): boolean => /^\/(?!\/|login|logout)[\w/%~.,-]*$/.test(to)
const pageBefore = (to: string): string => (/^\/(orders|links)\/[^/]+/.exec(to) ?? [to])[0]

const ADMIN = html`<input type="text" name="username" autocomplete="username" value="admin" readonly hidden>`
const USERNAME = html` autocomplete="username" autocapitalize="none" required`
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
    body: html`<div class="card narrow">${problem && alertOf(problem)}
<form method="post" action="${action}">${hidden({ csrf, to: pageBefore(to) })}
${isAlone ? ADMIN : field({ name: 'username', label: name, value: username, more: USERNAME })}
${field({ name: 'password', label: token, hint, more: PASSWORD })}
<button class="main">${go}</button></form></div>`,
  })
}

/** Ends the session, and all its copies. */
export async function signOut(visit: SignedVisit): Promise<Response> {
  const { c } = visit
  const session = await readSession(c, visit.now())
  if (session) await endedSession(scopeOf(visit), session.id, session.since + LONGEST_MS)
  endSession(c)
  return redirect(visit, '/')
}
