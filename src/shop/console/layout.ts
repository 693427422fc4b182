import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import type { StatusCode } from 'hono/utils/http-status'
import type { AttentionList } from '../engine/attention.ts'
import { isLive } from '../env.ts'
import type { Html } from '../pages/layout.ts'
import { hidden } from './parts.ts'
import { maySell } from './roles.ts'
import { csrfOf } from './session.ts'
import { at, call, isOutage, type SignedVisit, type Visit } from './visit.ts'
import type { Words } from './words/words.ts'

/** The pages of the menu. On a phone, the `wide` pages are on the page *More*. */
const MENU: readonly (readonly [name: keyof Words['nav'], path: string, where?: 'wide' | 'narrow'])[] = [
  ['today', '/'],
  ['orders', '/orders'],
  ['newLink', '/new-link'],
  ['attention', '/attention'],
  ['links', '/links', 'wide'],
  ['day', '/day', 'wide'],
  ['record', '/record', 'wide'],
  ['more', '/more', 'narrow'],
]

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; " +
  "base-uri 'none'; manifest-src 'self'"

const HEADERS: Record<string, string> = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  // With no-referrer a browser would send `Origin: null` with our forms.
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
}

/** The matters that need attention; undefined while they are not known. */
export type Attention = AttentionList | undefined

/** @param limit 0: only the counts. */
export async function attentionOf(visit: SignedVisit, limit: 0 | 200 = 200): Promise<Attention> {
  const reply = await call(visit, 'GET /api/attention', { query: { limit } })
  return reply.ok ? reply.body : undefined
}

export const countOf = (attention: Attention): string => (attention?.count ? String(attention.count) : '')

/** The parts of a page. */
export interface Page {
  status?: number
  title: string
  body: Html | Html[]
  /** Whether the input is wrong: the title then begins with that. */
  isWrong?: boolean
  /** The matters that need attention, if the page has read them already. */
  attention?: Attention
  headers?: Record<string, string>
}

/** A whole page, with the menu for the signed-in person. */
export async function page(visit: Visit, shown: Page): Promise<Response> {
  const { status = 200, title, body, isWrong = false, attention, headers } = shown
  const { c, words, person } = visit
  const { SHOP_NAME: shop = '' } = c.env
  const signed = person && (visit as SignedVisit)
  const count = signed ? countOf(attention ?? (await attentionOf(signed, 0))) : ''
  const isTest = !isLive(c.env)
  const message = signed && takeMessage(visit)
  const named = isWrong ? words.error(title) : message ? `${message} ${title}` : title
  const whole = `${count ? `(${count}) ` : ''}${named} · ${shop || words.console}`
  const document = await html`<!doctype html>
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="theme-color" content="#fff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#1a1f27" media="(prefers-color-scheme: dark)">
<title>${whole}</title>
<link rel="icon" href="${at(visit, '/icon.svg')}">
<link rel="apple-touch-icon" href="${at(visit, '/icon.png')}">
<link rel="manifest" href="${at(visit, '/manifest.webmanifest')}" crossorigin="use-credentials">
<link rel="stylesheet" href="${at(visit, '/style.css')}">
</head>
<body class="${isTest ? 'test' : 'live'}">
<a class="skip" href="#content">${words.skip}</a>
${isTest && html`<header class="banner">${words.testMode}</header>`}
${signed && menu(signed, count)}
<main id="content">
${shop && html`<p class="print">${shop}</p>`}
<h1><bdi>${title}</bdi></h1>
${message && html`<p class="message" role="status">${message}</p>`}
${body}
</main>
<footer>${signed && signedIn(signed)}${languageLink(visit)}</footer>
</body>
</html>
`
  const type = { 'content-type': 'text/html; charset=utf-8', 'content-language': words.lang }
  return respond(visit, document.toString(), status, { ...type, ...headers })
}

/** The same page in the other language, with the same query. */
function languageLink(visit: Visit): Html {
  const { c, words, path } = visit
  const other = words.lang === 'uk' ? 'en' : 'uk'
  const query = new URLSearchParams(c.req.method === 'GET' ? c.req.query() : {})
  query.set('lang', other)
  const to = `${at(visit, c.req.method === 'GET' ? path : '/')}?${query}`
  return html`<a href="${to}" hreflang="${other}" lang="${other}">${words.otherLanguage}</a>`
}

function signedIn(visit: SignedVisit): Html {
  const { person, words } = visit
  const out = html`<a href="/cdn-cgi/access/logout">${words.signOut}</a>`
  return html`<span>${words.signedInAs(person.name)}</span>${
    person.isSession ? buttonTo(visit, '/logout', words.signOut) : out
  }`
}

function menu(visit: SignedVisit, count: string): Html {
  const { words, path } = visit
  const isIn = (to: string) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`))
  const shown = MENU.filter(([name]) => name !== 'newLink' || maySell(visit))
  return html`<nav aria-label="${words.menu}"><ul>${shown.map(([name, to, where]) => {
    const isMore = name === 'more' && MENU.some(([, other, shownOn]) => shownOn === 'wide' && isIn(other))
    const current = path === to ? 'page' : isIn(to) || isMore ? 'true' : ''
    const number = name === 'attention' && count && html` <b class="count">${count}</b>`
    const ariaCurrent = current && html` aria-current="${current}"`
    return html`<li class="${where}"><a href="${at(visit, to)}"${ariaCurrent}>${words.nav[name]}${number}</a></li>`
  })}</ul></nav>`
}

/** `/more`: on a phone, the entries that do not fit into the menu. */
export function showMore(visit: SignedVisit): Promise<Response> {
  const { nav } = visit.words
  const wide = MENU.filter(([, , where]) => where === 'wide')
  const rows = wide.map(([name, to]) => html`<li><a href="${at(visit, to)}">${nav[name]}</a></li>`)
  return page(visit, { title: nav.more, body: html`<ul class="rows card">${rows}</ul>` })
}

/** A form that posts to an address of the console, with its hidden field `csrf`. */
export async function form(visit: SignedVisit, path: string, fields: Html | Html[]): Promise<Awaited<Html>> {
  const action = at(visit, path)
  const csrf = await csrfOf(visit.person.secret, action)
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}">${fields}</form>`
}

/** A form with a single button and hidden fields. */
export const buttonTo = (
  visit: SignedVisit,
  path: string,
  label: string,
  fields: Parameters<typeof hidden>[0] = {},
  kind = 'plain',
): Promise<Awaited<Html>> => form(visit, path, html`${hidden(fields)}<button class="${kind}">${label}</button>`)

/** A link inside the console that looks like a button. */
export const goTo = (visit: Visit, path: string, text: string, kind = 'main'): Html =>
  html`<a class="${kind} go" href="${at(visit, path)}">${text}</a>`

/** A line with a link inside the console. */
export const lineTo = (visit: Visit, path: string, text: string): Html =>
  html`<p><a href="${at(visit, path)}">${text}</a></p>`

/** The way to the older part of a list. */
export const older = (visit: Visit, path: string, cursor: string | null, query = {}): Html | false =>
  cursor !== null && lineTo(visit, `${path}?${new URLSearchParams({ ...query, cursor })}`, visit.words.orders.older)

const MESSAGE_COOKIE = 'edgetill_message'

/** A cookie for the console's next page. @param maxAge Seconds. */
export function leave({ c, base }: Visit, name: string, value: string, maxAge: number): void {
  const secure = c.req.url.startsWith('https:')
  setCookie(c, name, value, { path: base || '/', httpOnly: true, sameSite: 'Strict', maxAge, secure })
}

/** Sends the browser to another page, so that a reload repeats nothing. @param message The name of its message. */
export function redirect(visit: Visit, path: string, message?: string): Response {
  if (message) leave(visit, MESSAGE_COOKIE, message, 60)
  return respond(visit, null, 303, { location: at(visit, path) })
}

/** The message about the act just before, which is shown only once. */
function takeMessage(visit: Visit): string | undefined {
  const name = getCookie(visit.c, MESSAGE_COOKIE)
  if (name === undefined) return undefined
  deleteCookie(visit.c, MESSAGE_COOKIE, { path: visit.base || '/' })
  return Object.hasOwn(visit.words.messages, name) ? visit.words.messages[name] : undefined
}

export const respond = (
  { c }: Pick<Visit, 'c'>,
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: Record<string, string>,
): Response => c.newResponse(body, status as StatusCode, { ...HEADERS, ...headers })

/** A page with a single message. */
export function notice(visit: Visit, status: number, { title, body }: Words['failed']): Promise<Response> {
  const home = visit.person && lineTo(visit, '/', visit.words.nav.today)
  return page(visit, { status, title, body: html`<div class="card"><p>${body}</p>${home}</div>` })
}

/** A form or an act for the people whom `may` allows it. Anyone else reads that nothing was done. */
export const only =
  <Of extends unknown[]>(
    may: (visit: SignedVisit) => boolean,
    show: (visit: SignedVisit, ...of: Of) => Promise<Response> | Response,
  ) =>
  (visit: SignedVisit, ...of: Of): Promise<Response> | Response =>
    may(visit) ? show(visit, ...of) : notice(visit, 403, visit.words.forbidden)

/** The page in place of a list that cannot be shown: its address is wrong or old, or the shop failed. */
export const notAsked = (visit: Visit, reply: { status: number }): Promise<Response> =>
  notice(visit, reply.status, isOutage(reply) ? visit.words.failed : visit.words.notFound)
