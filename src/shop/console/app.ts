import { Hono } from 'hono/tiny'
import type { Shop } from '../index.ts'
import { describeError, logError } from '../lib/log.ts'
import { hostOf } from '../open-scope.ts'
import { ICON } from '../pages/layout.ts'
import { shopDeps } from '../scope.ts'
import { createAccess } from './access.ts'
import { notice, only, redirect, respond, showMore } from './layout.ts'
import { signIn, signOut } from './login.ts'
import type { ConsoleOptions } from './options.ts'
import { ACTS, confirm, explain, findOut, outcome, showConfirmation } from './pages/act.ts'
import { finish, showAttention } from './pages/attention.ts'
import { day, dayFile } from './pages/day.ts'
import { linkPath } from './pages/link-parts.ts'
import { cancelOpened, closeLink, link, links, revokeLink } from './pages/links.ts'
import { makeLink, newLink, wrongLink } from './pages/new-link.ts'
import { addNote, showOrder } from './pages/order.ts'
import { orders } from './pages/orders.ts'
import { showReceipt } from './pages/receipt.ts'
import { showRecord } from './pages/record.ts'
import { limitLink } from './pages/reusable-link.ts'
import { today } from './pages/today.ts'
import { type Act, isAllowed, maySell, mayWrite } from './roles.ts'
import { fieldsOf, isOwnForm } from './session.ts'
import { HOME_ICON, STYLE } from './style.ts'
import { at, type C, type Console, contextOf, type Form, orderPath, type SignedVisit } from './visit.ts'
import { keepLanguage, wordsOf } from './words/language.ts'

/** A page: `id` is the order that its path names, `fields` is the form that was posted. */
type Show = (visit: SignedVisit, id: string, fields: Form) => Promise<Response> | Response

/** A page of an act on an order. */
type ShowAct = (...of: [...Parameters<Show>, act: Act]) => ReturnType<Show>

const show = (page: Show) => (c: C) => page(c.var.visit as SignedVisit, c.req.param('id') as string, c.var.fields)
const sell = (page: Show) => show(only(maySell, page))
const settle = (page: Show) => show(only((visit) => isAllowed(visit, 'settle'), page))

/** The address that a form is sent to. If it is opened again, it leads to the form's result. */
const toLink: Show = (visit, id) => redirect(visit, linkPath(id))
const toOrder: Show = (visit, id) => redirect(visit, orderPath(id))

/** Every page. @param mount The console's route: `/console`. */
export function createPages(
  shop: Shop,
  options: ConsoleOptions,
  mount: string,
): (c: C) => Promise<Response> | Response {
  const { now = Date.now } = options
  const access = options.access && createAccess(options.access, now, options.fetch ?? ((...call) => fetch(...call)))
  const tries = hostOf(shopDeps.get(shop) ?? { now }).createTries(now)
  const app = new Hono<Console>({ strict: false }).basePath(mount)
  app.use(async (c, next) => {
    const parts = new URL(c.req.url).pathname.split('/')
    const depth = mount.split('/').length
    const [base, path] = [parts.slice(0, depth).join('/'), `/${parts.slice(depth).join('/').replace(/\/$/, '')}`]
    c.set('visit', { c, shop, options, now, words: wordsOf(c), base, path })
    await next()
  })
  assets(app)
  app.use(async (c, next) => {
    keepLanguage(c, c.var.visit.words)
    const person = await signIn(c.var.visit, access, tries)
    if (person instanceof Response) return person
    c.set('visit', { ...c.var.visit, person })
    return next()
  })
  app.post('/*', async (c, next) => {
    const visit = c.var.visit as SignedVisit
    const fields = await fieldsOf(c)
    if (!(await isOwnForm(c, visit.person.secret, fields.csrf))) return notice(visit, 403, visit.words.oldForm)
    c.set('fields', fields)
    return next()
  })
  app.get('/', show(today))
  app.get('/new-link', sell(newLink)).post(sell(makeLink))
  app.get('/new-link/wrong', sell(wrongLink))
  app.get('/links', show(links))
  app.get('/links/:id', show(link))
  app.get('/links/:id/close', sell(closeLink))
  app.get('/links/:id/revoke', show(toLink)).post(sell(revokeLink))
  app.get('/links/:id/limit', show(toLink)).post(sell(limitLink))
  app.get('/links/:id/cancel', show(toLink)).post(sell(cancelOpened))
  app.get('/orders', show(orders))
  app.get('/search', show(orders))
  app.get('/more', show(showMore))
  app.get('/day', show(day))
  app.get('/day.csv', show(dayFile))
  app.post('/logout', show(signOut))
  app.get('/attention', show(showAttention))
  app.post('/attention/done', settle(finish))
  app.get('/record', show(showRecord))
  app.get('/orders/:id', show(showOrder))
  app.post('/orders/:id/notes', show(only(mayWrite, addNote)))
  app.post('/orders/:id/done', settle(finish))
  app.get('/orders/:id/find', show(toOrder)).post(settle(findOut))
  app.get('/orders/:id/receipt/:operation', show(showReceipt))
  for (const act of ACTS) {
    const of = (page: ShowAct) => show((...visit) => page(...visit, act))
    const mayAct = (page: ShowAct) => of(only((visit) => isAllowed(visit, act), page))
    app.get(`/orders/:id/${act}`, mayAct(explain)).post(mayAct(showConfirmation))
    app.get(`/orders/:id/${act}/confirm`, of(outcome)).post(mayAct(confirm))
  }
  app.notFound((c) => notice(c.var.visit, 404, c.var.visit.words.notFound))
  app.onError((error, c) => {
    const { visit } = c.var
    logError('console_failed', describeError(error))
    // A posted act may have been done.
    const text = c.req.method !== 'POST' ? visit.words.failed : visit.words.problems.outcome_unknown
    return notice({ ...visit, person: undefined }, 503, text)
  })
  return (c) => app.fetch(c.req.raw, c.env, contextOf(c))
}

/** The routes that need no login: they show nothing about the shop. */
function assets(app: Hono<Console>): void {
  const send = ({ var: { visit } }: C, type: string, body: string | Uint8Array<ArrayBuffer>) =>
    respond(visit, body, 200, { 'cache-control': 'public, max-age=300', 'content-type': type })
  app.get('/style.css', (c) => send(c, 'text/css; charset=utf-8', STYLE))
  app.get('/icon.svg', (c) => send(c, 'image/svg+xml', ICON))
  const png = Uint8Array.from(atob(HOME_ICON), (one) => one.charCodeAt(0))
  app.get('/icon.png', (c) => send(c, 'image/png', png))
  app.get('/manifest.webmanifest', (c) => {
    const { visit } = c.var
    const icons = [{ src: at(visit, '/icon.svg'), sizes: 'any', type: 'image/svg+xml' }]
    const name = c.env.SHOP_NAME || visit.words.console
    const [id, colours] = [at(visit, '/'), { background_color: '#f2f4f7', theme_color: '#ffffff' }]
    const body = { id, name, short_name: name, ...colours, start_url: id, scope: id, display: 'standalone', icons }
    return send(c, 'application/manifest+json', JSON.stringify(body))
  })
}
