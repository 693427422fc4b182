import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import type { Link } from '../../routes/calls.ts'
import { buttonTo, goTo, lineTo, notAsked, notice, older, page, redirect } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { today } from '../lib/shop-day.ts'
import { shortTimeOf } from '../lib/time.ts'
import { box, facts, filterTo } from '../parts.ts'
import { maySell } from '../roles.ts'
import { at, call, type Form, orderPath, type SignedVisit } from '../visit.ts'
import { actorOf } from '../words/language.ts'
import {
  goAgain,
  goSell,
  isUsable,
  linkFacts,
  linkHead,
  linkOf,
  linkPath,
  linkPill,
  openLink,
  rejectedText,
  shareOf,
} from './link-parts.ts'
import { showReusable } from './reusable-link.ts'

/** How often a page reloads automatically: for about five minutes. */
const LOOKS = 20

/** `/links/:order_id`: the newest link of an order, to be sent; it goes from made to opened to paid. */
export async function link(visit: SignedVisit, order_id: string): Promise<Response> {
  const { words, c } = visit
  const text = words.link
  const found = await linkOf(visit, order_id)
  if (found instanceof Response) return found
  if (found.reusable) return showReusable(visit, found, found.reusable)
  const { amount_minor, currency, state, short_url } = found
  const isOpen = isUsable(found)
  const isGood = isOpen || state === 'paid'
  const [sealed, ended] = await Promise.all([openLink(visit, found), isGood ? undefined : endOf(visit, found)])
  const isRejected = state === 'rejected'
  const steps = isGood ? (['sent', isRejected ? state : 'opened', 'paid'] as const) : (['sent', state] as const)
  const { look: looks = '' } = c.req.query()
  const look = /^\d{1,3}$/.test(looks) ? Number(looks) : 0
  const refresh = `${at(visit, linkPath(order_id))}?look=${look + 1}`
  const { customer_phone: phone, customer_email } = sealed?.order ?? {}
  const to = { phone, email: sealed?.customerEmail ?? customer_email }
  const isEverOpened = isRejected || state === 'opened' || state === 'paid' || (ended !== undefined && ended !== 'none')
  const share = short_url ? shareOf(visit, found, short_url, to) : html`<p>${text.erased}</p>`
  const shown = steps.map((step) => {
    const isNow = step === state
    const isPaid = step === 'paid' && sealed?.order.method === 'purchase'
    const name = step === 'sent' && !isNow ? text.made : isPaid ? words.states.paid : text.states[step]
    return html`<li${isNow && html` aria-current="step"`}>${isNow ? linkPill(words, found, name) : name}</li>`
  })
  const mayRevoke = isOpen && maySell(visit)
  return page(visit, {
    title: text.title(sumOf(words, amount_minor, currency)),
    // Without script: the page is loaded again until the link is paid, or for some minutes.
    ...(isOpen && look < LOOKS && { headers: { refresh: `15;url=${refresh}` } }),
    body: html`<div class="cols sheet"><div class="card head">
<ol class="steps">${shown}</ol>
${linkHead(visit, found)}
${isRejected && box('wait', rejectedText(words, found.rejected ?? []))}
${endedBox(visit, found, ended)}
${facts([[words.order.customer, found.customer_name], ...linkFacts(visit, found)])}
<div class="quiets">${isEverOpened && goTo(visit, orderPath(order_id), text.order, state === 'paid' ? 'main' : 'plain')}
${goAgain(visit, order_id, isGood ? 'plain' : 'main')}
${mayRevoke && buttonTo(visit, `${linkPath(order_id)}/revoke`, text.close, {}, 'plain danger')}</div>
${isOpen && look >= LOOKS && lineTo(visit, linkPath(order_id), text.refresh)}</div>
${isOpen && html`<div class="side card">${share}</div>`}
</div>`,
  })
}

type End = 'none' | 'cancelled' | 'paid' | 'pending' | 'unknown'

/** How the payment of a closed or expired link ended. */
async function endOf(visit: SignedVisit, { order_id }: Link): Promise<End> {
  const reply = await call(visit, 'GET /api/orders/:order_id', { path: { order_id } })
  if (!reply.ok) return reply.status === 404 ? 'none' : 'unknown'
  const { state } = reply.body
  if (state === 'failed') return 'cancelled'
  if (state === 'pending') return 'pending'
  return state === 'waiting' ? 'unknown' : 'paid'
}

function endedBox(visit: SignedVisit, { order_id, state }: Link, ended: End | undefined): Html | '' {
  const { words } = visit
  if (ended === undefined) return ''
  if (ended === 'none') return html`<p>${words.link.closed}</p>`
  const again =
    ended === 'unknown' && maySell(visit) && buttonTo(visit, `${linkPath(order_id)}/cancel`, words.acts.cancel.go(''))
  const text = words.link.ended[ended === 'unknown' && state === 'expired' ? 'unknownExpired' : ended]
  return html`${box(ended === 'cancelled' ? 'plain' : 'wait', text)}${again}`
}

/** `/links/:order_id/close`: explains the closing. Nothing is done. */
export async function closeLink(visit: SignedVisit, order_id: string): Promise<Response> {
  const { words } = visit
  const found = await linkOf(visit, order_id)
  if (found instanceof Response) return found
  const says = found.reusable ? words.link.closeAll : words.link.closeSays
  const fields = { id: found.id, sure: 'yes', ...(found.reusable && { many: 'yes' }) }
  return page(visit, {
    title: words.link.closeTitle,
    body: html`<div class="card">${linkHead(visit, found)}${box('wait', says)}
${buttonTo(visit, `${linkPath(order_id)}/revoke`, words.link.close, fields, 'main danger')}
${lineTo(visit, linkPath(order_id), words.link.back)}</div>`,
  })
}

/** Closes a link, then cancels the payment that was opened with it. The link's page shows the result. */
export async function revokeLink(visit: SignedVisit, order_id: string, fields: Form): Promise<Response> {
  const { id = '', sure, many } = fields
  const { words } = visit
  if (sure === undefined) return redirect(visit, `${linkPath(order_id)}/close`)
  const reply = await call(visit, 'DELETE /api/links/:id', { path: { id }, query: { cancel: 'true' } })
  if (!reply.ok) return notice(visit, reply.status, reply.status === 404 ? words.link.none : words.failed)
  return reply.body.opened && !many ? cancelOpened(visit, order_id) : redirect(visit, linkPath(order_id))
}

/** `/links/:order_id/cancel`: cancels the payment of a closed link. The link's page then shows how it ended. */
export async function cancelOpened(visit: SignedVisit, order_id: string): Promise<Response> {
  await call(visit, 'POST /api/orders/:order_id/cancel', { path: { order_id } })
  return redirect(visit, linkPath(order_id))
}

/** `/links`: every link that was made here. */
export async function links(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const { state = '', cursor } = c.req.query()
  const filter = Object.hasOwn(words.link.states, state) ? state : ''
  const narrowed = filter ? { state: filter } : {}
  const reply = await call(visit, 'GET /api/links', { query: { ...narrowed, ...(cursor && { cursor }) } })
  if (!reply.ok) return notAsked(visit, reply)
  const { links: found, cursor: next } = reply.body
  const none = filter ? words.links.noneSuch : words.links.none
  const filters = [['', words.orders.filters.all], ...Object.entries(words.link.states)] as const
  const tabs = filters.map(([name, label]) =>
    filterTo(at(visit, name ? `/links?state=${name}` : '/links'), label, name === filter),
  )
  return page(visit, {
    title: words.nav.links,
    body: html`${goSell(visit)}<ul class="filters" aria-label="${words.day.go}">${tabs}</ul>
${found.length > 0 ? rowsOf(visit, found) : html`<p class="card">${none}</p>`}
${older(visit, '/links', next, narrowed)}`,
  })
}

function rowsOf(visit: SignedVisit, found: readonly Link[]): Html {
  const { words, c } = visit
  return html`<ul class="rows card">${found.map((link) => {
    const { order_id, description, customer_name, amount_minor, currency, created_at, by } = link
    return html`<li class="row">
<span><a href="${at(visit, linkPath(order_id))}"><bdi>${description ?? order_id}</bdi></a>
<span class="quiet">${linkPill(words, link)}
${customer_name && html`<bdi>${customer_name}</bdi> · `}
${shortTimeOf(words, created_at, c.env, today(visit))} ·
<bdi>${actorOf(words, by)}</bdi></span></span><span>${sumOf(words, amount_minor, currency)}</span></li>`
  })}</ul>`
}
