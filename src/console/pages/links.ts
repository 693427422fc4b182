import { html } from 'hono/html'
import { encode } from 'uqr'
import type { Html } from '../../shop/pages/layout.ts'
import { form, notice, page, redirect } from '../layout.ts'
import { readAmount, sumOf } from '../lib/amount.ts'
import { isDay, nowOf, startOf, today } from '../lib/shop-day.ts'
import { timeOf } from '../lib/time.ts'
import { at, call, orderPath, type SignedVisit } from '../visit.ts'
import { pageWords } from '../words/pages.ts'

/** A link as `GET /api/links` lists it. */
interface Link {
  id: string
  order_id: string
  amount: number
  currency: string
  description: string | null
  customer_name: string | null
  state: string
  short_url: string | null
  created_at: string
  expires_at: string
  by: string
}

const CURRENCIES = ['UAH', 'EUR', 'USD']
const DAYS = 7
const linkPath = (order_id: string): string => `/links/${encodeURIComponent(order_id)}`

/** `/new-link`: the form. What was typed stays in it. */
export function newLink(
  visit: SignedVisit,
  _: string[] = [],
  typed: Record<string, string> = {},
  problem = '',
): Promise<Response> | Response {
  const { words, person } = visit
  const text = pageWords(words).newLink
  if (person.role !== 'all') return notice(visit, 403, words.forbidden)
  const { currency = 'UAH', lang = words.lang, order = newOrderId(), until = today(visit, -DAYS) } = typed
  const options = (name: string, values: readonly string[], chosen: string) =>
    html`<select id="${name}" name="${name}">${values.map((value) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${value}</option>`)}</select>`
  const input = (name: string, label: string, rest: Html | '' = '', value = typed[name] ?? '') =>
    html`<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}"${rest}>`
  return page(visit, {
    ...(problem && { status: 400 }),
    title: text.title,
    body: html`${problem ? html`<p class="bad" role="alert">${problem}</p>` : ''}
${form(
  visit,
  '/new-link',
  html`<input type="hidden" name="order" value="${order}">
${input('amount', text.amount, html` inputmode="decimal" required`)}
<label for="currency">${text.currency}</label>${options('currency', CURRENCIES, currency)}
${input('description', text.description, html` required maxlength="200"`)}
<details${typed.name || typed.phone || typed.email ? html` open` : ''}><summary>${text.customer}</summary>
${input('name', text.name, html` maxlength="100" autocomplete="off"`)}
${input('phone', text.phone, html` type="tel" autocomplete="off"`)}
${input('email', text.email, html` type="email" autocomplete="off"`)}
<label for="lang">${text.language}</label>${options('lang', ['uk', 'en'], lang)}
${input('until', text.until, html` type="date"`, until)}</details>
<button>${text.go}</button>`,
)}`,
  })
}

/** A number that a person can read out; one form makes links of one order, however often it is sent. */
function newOrderId(): string {
  const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
  return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => letters[byte % letters.length]).join('')
}

/** Makes the link, and shows it. */
export async function makeLink(visit: SignedVisit, _: string[], typed: Record<string, string>): Promise<Response> {
  const { words, c, person } = visit
  const text = pageWords(words).newLink
  const again = (problem: string) => newLink(visit, [], typed, problem)
  if (person.role !== 'all') return notice(visit, 403, words.forbidden)
  const {
    amount: written = '',
    currency = '',
    description = '',
    order = '',
    until = '',
    lang,
    name,
    phone,
    email,
  } = typed
  const amount = readAmount(words, written)
  if (typeof amount === 'string') return again(amount)
  if (description.trim() === '') return again(text.empty)
  const expires = isDay(until) ? startOf(c.env, until, 1) : undefined
  if (expires !== undefined && expires <= nowOf(visit)) return again(text.over)
  const reply = await call(visit, 'POST /api/links', {
    landing: true,
    ...(expires !== undefined && { expires_at: expires }),
    ...(email?.trim() && { customer_email: email.trim() }),
    order: {
      ...{ mode: 'hosted', method: 'purchase', amount: amount / 100, currency, order_id: order },
      description: description.trim(),
      order_3ds_bypass: 'supported',
      ...(name?.trim() && { customer_fname: name.trim() }),
      ...(phone?.trim() && { customer_phone: phone.trim() }),
      ...(lang && { customer_lang: lang }),
    },
  })
  if (reply.ok) return redirect(visit, linkPath(order))
  return again(text.wrong(reply.problem.detail ?? reply.problem.title))
}

/** `/links/:order_id`: the newest link of an order, to be sent; it goes from sent to opened to paid. */
export async function link(visit: SignedVisit, [order_id = '']: string[]): Promise<Response> {
  const { words, c, person } = visit
  const text = pageWords(words).link
  const reply = await call<{ links: Link[] }>(visit, `GET /api/links?limit=1&order_id=${encodeURIComponent(order_id)}`)
  if (!reply.ok) return notice(visit, 503, words.failed)
  const [found] = reply.body.links
  if (!found) return notice(visit, 404, text.none)
  const { amount, currency, description, state, short_url, expires_at, by } = found
  const sum = sumOf(words, amount, currency)
  const isOpen = state === 'sent' || state === 'opened'
  const steps = isOpen || state === 'paid' ? ['sent', 'opened', 'paid'] : ['sent', state]
  return page(visit, {
    title: text.title(sum),
    // Without script: the page is loaded again until the link is paid.
    ...(isOpen && { headers: { refresh: '15' } }),
    body: html`${description ? html`<p><bdi>${description}</bdi></p>` : ''}
<p class="${state === 'paid' ? 'ok' : 'wait'}" role="status">${steps.map((step, i) => html`${i ? ' → ' : ''}${step === state ? html`<b>${text.states[step]}</b>` : text.states[step]}`)}</p>
${isOpen ? (short_url ? shareOf(visit, found, short_url, sum) : html`<p>${text.erased}</p>`) : state === 'paid' ? '' : html`<p>${text.closed}</p>`}
<dl><dt>${text.until}</dt><dd>${timeOf(words, expires_at, c.env.SHOP_TZ)}</dd><dt>${text.by}</dt><dd><bdi>${by}</bdi></dd></dl>
${state === 'sent' ? '' : html`<a class="go" href="${at(visit, orderPath(order_id))}">${text.order}</a>`}
${isOpen && person.role === 'all' ? form(visit, `${linkPath(order_id)}/revoke`, html`<input type="hidden" name="id" value="${found.id}"><button class="plain">${text.revoke}</button>`) : ''}`,
  })
}

function shareOf({ words }: SignedVisit, { description }: Link, url: string, sum: string): Html {
  const text = pageWords(words).link
  const says = text.text(description ?? '', sum)
  const [address, subject, both] = [url, says, `${says}\n${url}`].map(encodeURIComponent)
  const ways = [
    [text.ways.telegram, `https://t.me/share/url?url=${address}&text=${subject}`],
    [text.ways.viber, `viber://forward?text=${both}`],
    [text.ways.sms, `sms:?&body=${both}`],
    [text.ways.email, `mailto:?subject=${subject}&body=${both}`],
  ]
  return html`<p class="box"><a href="${url}"><bdi>${url}</bdi></a></p>
<h2>${text.share}</h2><p class="acts">${ways.map(([name, to]) => html`<a class="go" href="${to}" rel="noreferrer">${name}</a>`)}</p>
${qrOf(url, text.qr)}`
}

/** A QR code with the quiet zone that scanners need, black on white in the dark too. */
function qrOf(url: string, label: string): Html {
  const { data, size } = encode(url, { border: 4, ecc: 'M' })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" width="240" height="240" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path.join('')}"/></svg>`
}

/** Closes a link. */
export async function revokeLink(
  visit: SignedVisit,
  [order_id = '']: string[],
  { id = '' }: Record<string, string>,
): Promise<Response> {
  const { words, person } = visit
  if (person.role !== 'all') return notice(visit, 403, words.forbidden)
  const reply = await call(visit, `DELETE /api/links/${encodeURIComponent(id)}`)
  if (reply.ok) return redirect(visit, linkPath(order_id))
  return notice(visit, reply.status, reply.status === 404 ? pageWords(words).link.none : words.failed)
}

/** `/links`: every link that was made here. */
export async function links(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const text = pageWords(words)
  const { state = '', cursor } = c.req.query()
  const known = Object.hasOwn(text.link.states, state) ? state : ''
  const query = new URLSearchParams({ ...(known && { state: known }), ...(cursor && { cursor }) })
  const reply = await call<{ links: Link[]; cursor: string | null }>(visit, `GET /api/links?${query}`)
  if (!reply.ok) return notice(visit, reply.status, words.failed)
  const { links: found, cursor: next } = reply.body
  const to = (more: Record<string, string>) => `${at(visit, '/links')}?${new URLSearchParams(more)}`
  return page(visit, {
    title: text.links.title,
    body: html`<p>${text.links.state}: <a href="${at(visit, '/links')}">${text.links.all}</a>${Object.entries(
      text.link.states,
    ).map(
      ([name, label]) =>
        html` · <a href="${to({ state: name })}"${name === known ? html` aria-current="page"` : ''}>${label}</a>`,
    )}</p>
${found.length === 0 ? html`<p>${text.links.none}</p>` : ''}
<ul class="rows">${found.map(
      ({ order_id, description, customer_name, amount, currency, created_at, state: is, by }) => html`<li class="row">
<span><a href="${at(visit, linkPath(order_id))}"><bdi>${description ?? order_id}</bdi></a>${customer_name ? html` · <bdi>${customer_name}</bdi>` : ''}
<br><span class="quiet">${timeOf(words, created_at, c.env.SHOP_TZ)} · <bdi>${by}</bdi> · ${text.link.states[is]}</span></span><span>${sumOf(words, amount, currency)}</span></li>`,
    )}</ul>
${next ? html`<p><a href="${to({ ...(known && { state: known }), cursor: next })}">${text.links.older}</a></p>` : ''}`,
  })
}
