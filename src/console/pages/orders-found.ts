import { html } from 'hono/html'
import type { Html } from '../../shop/pages/layout.ts'
import type { ListedOrder } from '../../shop/routes/list-orders.ts'
import { page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { isDay, startOf } from '../lib/shop-day.ts'
import { timeOf } from '../lib/time.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { pageWords } from '../words/pages.ts'

/** Orders as rows: each leads to its page. */
export function orderRows(visit: SignedVisit, orders: readonly ListedOrder[]): Html {
  const { words, c } = visit
  const { statuses } = pageWords(words).search
  return html`<ul class="rows">${orders.map(
    ({
      order_id,
      description,
      customer_name,
      amount,
      currency,
      status,
      method,
      totals,
      listed_at,
      flags,
    }) => html`<li class="row">
<span><a href="${at(visit, orderPath(shownId(order_id)))}"><bdi>${description ?? shownId(order_id)}</bdi></a>${customer_name ? html` · <bdi>${customer_name}</bdi>` : ''}
<br><span class="quiet">${timeOf(words, listed_at, c.env.SHOP_TZ)} · ${statuses[status === 'success' && method === 'auth' && totals.captured === 0 ? 'reserved' : (status ?? 'init')] ?? status}${flags.some((flag) => flag !== 'paid_after_failure') ? html` · <b class="wait">!</b>` : ''}</span></span>
<span>${amount === null ? '' : sumOf(words, Math.round(amount * 100), currency)}</span></li>`,
  )}</ul>`
}

/** `/search`: orders by what a person remembers of them. */
export async function search(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const text = pageWords(words).search
  const { q = '', from = '', to = '', cursor } = c.req.query()
  const query = new URLSearchParams({ limit: '20' })
  if (q.trim() !== '') query.set('search', q.trim())
  if (isDay(from)) query.set('from', new Date(startOf(c.env, from)).toISOString())
  if (isDay(to)) query.set('to', new Date(startOf(c.env, to, 1)).toISOString())
  if (cursor) query.set('cursor', cursor)
  const isAsked = q !== '' || from !== '' || to !== ''
  const found = isAsked
    ? await call<{ orders: ListedOrder[]; cursor: string | null }>(visit, `GET /api/orders?${query}`)
    : undefined
  const older =
    found?.ok && found.body.cursor ? new URLSearchParams({ q, from, to, cursor: found.body.cursor }) : undefined
  return page(visit, {
    title: text.title,
    ...(found && !found.ok && { status: found.status }),
    body: html`<form method="get" action="${at(visit, '/search')}">
<label for="q">${text.what}</label><input id="q" name="q" type="search" maxlength="200" value="${q}">
<label for="from">${text.from}</label><input id="from" name="from" type="date" value="${from}">
<label for="to">${text.to}</label><input id="to" name="to" type="date" value="${to}">
<button>${text.go}</button></form>
${found?.ok ? (found.body.orders.length > 0 ? orderRows(visit, found.body.orders) : html`<p>${text.none}</p>`) : ''}
${found && !found.ok ? html`<p class="bad" role="alert">${found.status < 500 ? text.wrong(found.problem.title) : words.failed.body}</p>` : ''}
${older ? html`<p><a href="${at(visit, '/search')}?${older.toString()}">${text.older}</a></p>` : ''}`,
  })
}
