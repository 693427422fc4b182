import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import type { Link, ReusableLink } from '../../routes/calls.ts'
import { attentionOf, buttonTo, form, notAsked, notice, older, page, redirect } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { box, facts, field, hidden } from '../parts.ts'
import { maySell } from '../roles.ts'
import { call, type Form, type SignedVisit } from '../visit.ts'
import { goAgain, isUsable, linkFacts, linkHead, linkPath, linkPill, rejectedText, shareOf } from './link-parts.ts'
import { orderRows } from './orders.ts'

/** `/links/:order_id` of a reusable link: its code, as a sheet that prints, and its orders. */
export async function showReusable(visit: SignedVisit, link: Link, reusable: ReusableLink): Promise<Response> {
  const { words, c } = visit
  const text = words.link
  const { id, order_id, amount_minor, currency, short_url } = link
  const cursor = c.req.query('cursor')
  const query = { limit: 20, ...(cursor && { cursor }) }
  const [reply, attention] = await Promise.all([
    call(visit, 'GET /api/links/:id', { path: { id }, query }),
    attentionOf(visit),
  ])
  if (!reply.ok) return notAsked(visit, reply)
  const { orders, cursor: next } = reply.body
  const isOpen = isUsable(link)
  const path = linkPath(order_id)
  const { sold, taken, max_orders, closing } = reusable
  const sells = maySell(visit)
  const share = isOpen && short_url && shareOf(visit, link, short_url, {})
  const again = isOpen ? 'plain' : 'main'
  const revoke = (button: string) =>
    sells && buttonTo(visit, `${path}/revoke`, button, isOpen ? {} : { id, sure: 'yes', many: 'yes' }, 'plain danger')
  return page(visit, {
    title: text.title(sumOf(words, amount_minor, currency)),
    attention,
    body: html`<div class="cols sheet"><div class="card head">
<p class="screen">${linkPill(words, link)}</p>
${linkHead(visit, link)}
${link.state === 'rejected' && box('wait', rejectedText(words, link.rejected ?? []))}
${closing ? html`${box('wait', text.closing)}${revoke(text.closeRest)}` : !isOpen && html`<p>${text.closed}</p>`}
${facts([
  [text.sold, max_orders === null ? String(sold) : text.of(sold, max_orders)],
  [text.open, taken > sold ? String(taken - sold) : ''],
  ...linkFacts(visit, link),
])}
${isOpen && max_orders !== null && sells && limitForm(visit, path, id, max_orders)}
${sells && html`<div class="quiets">${goAgain(visit, order_id, again)}${isOpen && revoke(text.close)}</div>`}</div>
${share && html`<div class="side card">${share}<p>${text.paper}</p></div>`}
<div class="screen"><h2>${words.nav.orders}</h2>
${orders.length > 0 ? orderRows(visit, orders, attention) : html`<p class="card">${words.orders.none}</p>`}
${older(visit, path, next)}</div></div>`,
  })
}

const WHOLE = html` inputmode="numeric" autocomplete="off" required pattern="[1-9][0-9]{0,5}"`

function limitForm(visit: SignedVisit, path: string, id: string, limit: number): Promise<Awaited<Html>> {
  const text = visit.words.link
  const count = field({ name: 'count', label: text.limit, value: String(limit), more: WHOLE })
  const fields = html`${hidden({ id })}<div class="pair">${count}<button class="plain">${text.change}</button></div>`
  return form(visit, `${path}/limit`, fields)
}

/** `/links/:order_id/limit`: how many orders the link sells at most. */
export async function limitLink(visit: SignedVisit, order_id: string, fields: Form): Promise<Response> {
  const { id = '', count = '' } = fields
  const { limit: title, whole: body } = visit.words.link
  if (!/^[1-9]\d{0,5}$/.test(count.trim())) return notice(visit, 400, { title, body })
  const reply = await call(visit, 'PATCH /api/links/:id', { path: { id }, body: { max_orders: Number(count) } })
  return reply.ok ? redirect(visit, linkPath(order_id)) : notAsked(visit, reply)
}
