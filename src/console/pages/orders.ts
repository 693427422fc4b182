import { html } from 'hono/html'
import { moneyState } from '../../shop/lib/money-state.ts'
import type { Html } from '../../shop/pages/layout.ts'
import type { ListedOrder } from '../../shop/routes/list-orders.ts'
import { type Attention, attentionOf, page } from '../layout.ts'
import { readAmount, wireSum } from '../lib/amount.ts'
import { isDay, startOf, today } from '../lib/shop-day.ts'
import { shortTimeOf } from '../lib/time.ts'
import { field, isTaken, pill, statePill } from '../parts.ts'
import { maySell } from '../roles.ts'
import { at, call, isOutage, orderPath, type SignedVisit, shownId } from '../visit.ts'
import type { Words } from '../words/en.ts'

/** Orders as rows: each leads to its page. Those that need attention say so. */
export function orderRows(visit: SignedVisit, orders: readonly ListedOrder[], attention: Attention): Html {
  const { words, c } = visit
  const now = today(visit)
  const open = new Set(attention?.items.map(({ order_id }) => order_id))
  return html`<ul class="rows card">${orders.map((order) => {
    const { order_id, description, customer_name, currency, listed_at, status_at = listed_at } = order
    const { state, sum } = moneyState(order)
    return html`<li class="row"><span>
<a href="${at(visit, orderPath(shownId(order_id)))}"><bdi>${description ?? shownId(order_id)}</bdi></a>
<span class="quiet">${statePill(words, state)} ${open.has(order_id) ? pill('warn', words.orders.check) : ''}
${customer_name ? html`<bdi>${customer_name}</bdi> · ` : ''}
${shortTimeOf(words, status_at, c.env, now)}</span></span>
<span class="${isTaken(state) ? '' : 'off'}">${sum === null ? '' : wireSum(words, sum, currency)}</span></li>`
  })}</ul>`
}

/** The states that a list is narrowed to, and what they ask the API for. */
const FILTERS = {
  all: {},
  success: { status: 'success' },
  open: { open: 'true' },
  failure: { status: 'failure' },
  any: { flag: 'any' },
} as const

/** The search text, as the API looks for it: an amount as it is printed, a card's digits as they are, else the text. */
function searchOf(words: Words, text: string): string {
  const [, digits] = /^[•*·\s]*[•*·]\s*(\d{4})$/.exec(text) ?? []
  if (digits !== undefined) return digits
  // Plain digits may be a card's.
  if (/^\d*$/.test(text)) return text
  const amounts = ['UAH', 'EUR', 'USD'].map((currency) => readAmount(words, text, currency))
  const minor = amounts.find((amount) => typeof amount === 'number')
  return typeof minor === 'number' ? (minor / 100).toFixed(2) : text
}

/** `/orders`: by state, by days, and by what a person remembers of them. */
export async function orders(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const text = words.orders
  const { q = '', from = '', to = '', state = 'all', cursor } = c.req.query()
  const name = (Object.hasOwn(FILTERS, state) ? state : 'all') as keyof typeof FILTERS
  const query = {
    ...{ limit: 20, ...FILTERS[name] },
    ...(q.trim() !== '' && { search: searchOf(words, q.trim()) }),
    ...(isDay(from) && { from: new Date(startOf(c.env, from)).toISOString() }),
    ...(isDay(to) && { to: new Date(startOf(c.env, to, 1)).toISOString() }),
    ...(cursor && { cursor }),
  }
  const [found, attention] = await Promise.all([call(visit, 'GET /api/orders', { query }), attentionOf(visit)])
  const asked = { ...(q && { q }), ...(from && { from }), ...(to && { to }) }
  const address = (one: keyof typeof FILTERS, more: Record<string, string> = {}) => {
    const all = new URLSearchParams({ ...asked, ...(one !== 'all' && { state: one }), ...more })
    return `${at(visit, '/orders')}${all.size > 0 ? `?${all}` : ''}`
  }
  const tab = (one: keyof typeof FILTERS) =>
    html`<li><a href="${address(one)}"${one === name ? html` aria-current="page"` : ''}>${text.filters[one]}</a></li>`
  const older = found.ok ? found.body.cursor : null
  const isNarrowed = Object.keys(asked).length > 0 || name !== 'all'
  return page(visit, {
    title: words.nav.orders,
    attention,
    ...(!found.ok && { status: found.status }),
    body: html`<form method="get" action="${at(visit, '/orders')}" role="search" class="search">
${name === 'all' ? '' : html`<input type="hidden" name="state" value="${name}">`}
<div class="money">${field({
      name: 'q',
      label: text.what,
      value: q,
      hint: text.hint,
      more: html` type="search" maxlength="200"`,
    })}<button class="main">${text.go}</button></div>
<details${from || to ? html` open` : ''}><summary>${text.days}</summary><div class="pair">
${field({ name: 'from', label: text.from, value: from, more: html` type="date"` })}
${field({ name: 'to', label: text.to, value: to, more: html` type="date"` })}</div></details></form>
<ul class="filters">${(Object.keys(FILTERS) as (keyof typeof FILTERS)[]).map(tab)}</ul>
${
  found.ok
    ? found.body.orders.length > 0
      ? orderRows(visit, found.body.orders, attention)
      : html`<div class="card"><p>${isNarrowed ? text.noneFound : text.none}</p>${
          isNarrowed
            ? html`<a href="${at(visit, '/orders')}">${text.all}</a>`
            : html`<p class="quiet">${words.today.first}</p>${
                maySell(visit) ? html`<a href="${at(visit, '/new-link')}">${words.newLink.title}</a>` : ''
              }`
        }</div>`
    : html`<p class="bad" role="alert">${isOutage(found) ? words.failed.body : text.wrong}</p>`
}
${older ? html`<p><a href="${address(name, { cursor: older })}">${text.older}</a></p>` : ''}`,
  })
}
