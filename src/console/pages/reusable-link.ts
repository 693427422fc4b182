import { html } from 'hono/html'
import type { Link, ReusableLink } from '../../shop/routes/results.ts'
import { attentionOf, form, notAsked, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { box, facts, hidden } from '../parts.ts'
import { maySell } from '../roles.ts'
import { at, call, type SignedVisit } from '../visit.ts'
import { againPath, goTo, isUsable, linkPath, linkPill, shareOf, untilOf } from './link-parts.ts'
import { orderRows } from './orders.ts'

/** `/links/:order_id` of a link that anybody may pay with: its code, as a sheet that prints, and its orders. */
export async function showReusable(visit: SignedVisit, link: Link, reusable: ReusableLink): Promise<Response> {
  const { words, c } = visit
  const text = words.link
  const { id, order_id, amount_minor, currency, description, short_url, by } = link
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
  const sure = hidden({ id, sure: 'yes', many: 'yes' })
  const revoke = (button: string) =>
    form(visit, `${path}/revoke`, html`${isOpen ? '' : sure}<button class="plain danger">${button}</button>`)
  const { made, max_orders, closing } = reusable
  return page(visit, {
    title: text.title(sumOf(words, amount_minor, currency)),
    attention,
    body: html`<div class="cols sheet"><div class="card head">
<p class="screen">${linkPill(words, link)}</p>
<p class="sum">${sumOf(words, amount_minor, currency)}</p>
${description ? html`<p><bdi>${description}</bdi></p>` : ''}
${
  closing
    ? html`${box('wait', text.closing)}${maySell(visit) ? revoke(text.closeRest) : ''}`
    : isOpen
      ? ''
      : html`<p>${text.closed}</p>`
}
${facts([
  [text.sold, max_orders === null ? String(made) : text.of(made, max_orders)],
  ...(isOpen ? [untilOf(visit, link)] : []),
  [text.by, by === 'api' ? words.record.api : by],
])}
${
  maySell(visit)
    ? html`<div class="quiets">${goTo(visit, againPath(order_id), words.order.again, isOpen ? 'plain' : 'main')}${
        isOpen ? revoke(text.close) : ''
      }</div>`
    : ''
}</div>
${
  isOpen && short_url
    ? html`<div class="side card">${shareOf(visit, link, short_url, {})}<p>${text.paper}</p></div>`
    : ''
}
<div class="screen"><h2>${words.nav.orders}</h2>${
      orders.length > 0 ? orderRows(visit, orders, attention) : html`<p class="card">${words.orders.none}</p>`
    }${
      next
        ? html`<p><a href="${at(visit, path)}?${new URLSearchParams({ cursor: next })}">${words.orders.older}</a></p>`
        : ''
    }</div></div>`,
  })
}
