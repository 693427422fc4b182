import { html } from 'hono/html'
import { isLive } from '../shop/env.ts'
import type { Html } from '../shop/pages/layout.ts'
import { csrfOf } from './session.ts'
import { at, call, type SignedVisit, type Visit } from './visit.ts'

/** The pages of the menu. */
const MENU = [
  ['today', '/'],
  ['newLink', '/new-link'],
  ['links', '/links'],
  ['search', '/search'],
  ['attention', '/attention'],
  ['day', '/day'],
  ['record', '/record'],
] as const

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'"

const HEADERS: Record<string, string> = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  // With no-referrer a browser would send `Origin: null` with a form of ours.
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
}

/** What needs a person, as `GET /api/attention` lists it. */
export interface AttentionItem {
  kind: string
  order_id: string | null
  text: string
  at: string
  [detail: string]: unknown
}

/** What needs attention; undefined while that is not known. */
export async function attentionOf(visit: SignedVisit): Promise<{ items: AttentionItem[]; more: boolean } | undefined> {
  const reply = await call<{ items: AttentionItem[]; more: boolean }>(visit, 'GET /api/attention')
  return reply.ok ? reply.body : undefined
}

export const countOf = (attention: Awaited<ReturnType<typeof attentionOf>>): string =>
  attention === undefined || attention.items.length === 0 ? '' : `${attention.items.length}${attention.more ? '+' : ''}`

/** What a page consists of. */
export interface Page {
  status?: number
  title: string
  body: Html | Html[]
  /** What needs attention, where the page has read it already. */
  attention?: Awaited<ReturnType<typeof attentionOf>>
  headers?: Record<string, string>
}

/** A whole page, with the menu for whoever is signed in. */
export async function page(visit: Visit, { status = 200, title, body, attention, headers }: Page): Promise<Response> {
  const { c, words, person } = visit
  const { SHOP_NAME: shop = '' } = c.env
  const signed = person && { ...visit, person }
  const count = signed ? countOf(attention ?? (await attentionOf(signed))) : ''
  const isTest = !isLive(c.env)
  const document = await html`<!doctype html>
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${count ? `(${count}) ` : ''}${title} · ${shop || words.console}</title>
<link rel="icon" href="${at(visit, '/icon.svg')}">
<link rel="manifest" href="${at(visit, '/manifest.webmanifest')}" crossorigin="use-credentials">
<link rel="stylesheet" href="${at(visit, '/style.css')}">
</head>
<body class="${isTest ? 'test' : 'live'}">
${isTest ? html`<p class="banner">${words.testMode}</p>` : ''}
${signed ? menu(visit, count) : ''}
<main>
<h1><bdi>${title}</bdi></h1>
${body}
</main>
<footer>
${signed ? html`${words.signedInAs(signed.person.name)}${signed.person.cookie ? form(signed, '/logout', html`<button class="plain">${words.signOut}</button>`) : ''} · ` : ''}
<a href="${at(visit, c.req.method === 'GET' ? visit.path : '/')}?lang=${words.lang === 'uk' ? 'en' : 'uk'}" hreflang="${words.lang === 'uk' ? 'en' : 'uk'}">${words.otherLanguage}</a>
</footer>
</body>
</html>
`
  return respond(visit, document.toString(), {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-language': words.lang, ...headers },
  })
}

function menu(visit: Visit, count: string): Html {
  const { words, path } = visit
  return html`<nav aria-label="${words.menu}"><ul>${MENU.map(
    ([name, to]) =>
      html`<li><a href="${at(visit, to)}"${path === to ? html` aria-current="page"` : ''}>${words.nav[name]}${name === 'attention' && count ? ` (${count})` : ''}</a></li>`,
  )}</ul></nav>`
}

/** A form that posts to an address of the console, with its hidden field `csrf`. */
export async function form(visit: SignedVisit, path: string, fields: Html | Html[]): Promise<Awaited<Html>> {
  const action = at(visit, path)
  const csrf = await csrfOf(visit.person.secret, action)
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}">${fields}</form>`
}

/** Sends the browser to another page, so that a reload repeats nothing. */
export const redirect = (visit: Visit, path: string): Response =>
  respond(visit, null, { status: 303, headers: { location: at(visit, path) } })

export function respond(
  { cookies }: Pick<Visit, 'cookies'>,
  body: string | null,
  init: { status: number; headers: Record<string, string> },
): Response {
  const headers = new Headers({ ...HEADERS, ...init.headers })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(body, { status: init.status, headers })
}

/** A page that says one thing. */
export const notice = (
  visit: Visit,
  status: number,
  { title, body }: { title: string; body: string },
): Promise<Response> => page(visit, { status, title, body: html`<p>${body}</p>` })
