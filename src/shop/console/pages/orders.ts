import { html } from 'hono/html'
import type { ListedOrder } from '../../../orders/listed-order.ts'
import { phoneOf } from '../../../orders/search-words.ts'
import { DAY_MS, dayOf } from '../../lib/day.ts'
import type { Html } from '../../pages/layout.ts'
import { type Attention, attentionOf, older, page } from '../layout.ts'
import { readAmount, sumOf, wireSum } from '../lib/amount.ts'
import { isDay, startOf, sumsOf, today } from '../lib/shop-day.ts'
import { dayName, shortTimeOf } from '../lib/time.ts'
import { alertOf, dateField, field, filterTo, hidden, isTaken, pill, statePill } from '../parts.ts'
import { maySell } from '../roles.ts'
import { at, call, isOutage, orderPath, type SignedVisit, shownId } from '../visit.ts'
import type { Words } from '../words/words.ts'

/** Orders as rows: each leads to its page, and is marked if it needs attention. */
export function orderRows(
  visit: SignedVisit,
  orders: readonly ListedOrder[],
  attention: Attention,
  now: string = today(visit),
): Html {
  const { words, c } = visit
  const open = new Set(attention?.items.map(({ order_id }) => order_id))
  return html`<ul class="rows card">${orders.map((order) => {
    const { order_id, state, sum, description, customer_name, currency, listed_at, status_at = listed_at } = order
    return html`<li class="row"><span>
<a href="${at(visit, orderPath(shownId(order_id)))}"><bdi>${description ?? shownId(order_id)}</bdi></a>
<span class="quiet">${statePill(words, state)} ${open.has(order_id) && pill('warn', words.orders.check)}
${customer_name && html`<bdi>${customer_name}</bdi> · `}
${shortTimeOf(words, status_at, c.env, now)}</span></span>
<span class="${isTaken(state) ? '' : 'off'}">${sum !== null && wireSum(words, sum, currency)}</span></li>`
  })}</ul>`
}

/** How many days of a list have their sums at most: the API sums up no more. */
const SUMMED_DAYS = 92

/** Orders by day, newest first; each day with its takings, unless the list is narrowed. */
async function orderDays(
  visit: SignedVisit,
  orders: readonly ListedOrder[],
  attention: Attention,
  isWhole: boolean,
): Promise<(Html | Promise<Html>)[]> {
  const { words, c } = visit
  const on = ({ listed_at }: ListedOrder) => dayOf(Date.parse(listed_at), c.env)
  const days = [...new Set(orders.map(on))]
  const [to = '', from = to] = [days[0], days.at(-1)]
  const isShort = Date.parse(to) - Date.parse(from) < SUMMED_DAYS * DAY_MS
  const reply = isWhole && isShort ? await call(visit, 'GET /api/days', { query: { from, to } }) : undefined
  const sums = (day: string) =>
    reply?.ok ? [...sumsOf(reply.body.days.filter((row) => row.day === day))].filter(([, minor]) => minor !== 0) : []
  return days.map((day) => {
    const name = day === today(visit) ? words.nav.today : dayName(words, day)
    const ofDay = orders.filter((order) => on(order) === day)
    const head = [name, ...sums(day).map(([currency, minor]) => sumOf(words, minor, currency))]
    return html`<h2 class="day">${head.join(' · ')}</h2>${orderRows(visit, ofDay, attention, day)}`
  })
}

/** The states that a list is narrowed to, and their queries of the API. */
const FILTERS = {
  all: {},
  success: { state: 'paid,reserved,partly_charged,partly_refunded' },
  waiting: { state: 'waiting,pending' },
  refunded: { state: 'refunded,partly_refunded' },
  failure: { state: 'failed' },
  any: { flag: 'any' },
} as const

/** The orders that wait for their customer: those with the pill *Waiting* or *In progress*. */
export const WAITING: { state: string } = FILTERS.waiting

/** The search text, as the API looks for it: an amount as it is printed, a card's digits as they are, else the text. */
function searchOf(words: Words, text: string): string {
  const [, digits] = /^[•*·\s]*[•*·]\s*(\d{4})$/.exec(text) ?? []
  if (digits !== undefined) return digits
  // Plain digits may be a card's, and a long row a phone's.
  if (/^\d*$/.test(text) || phoneOf(text)) return text
  for (const currency of ['UAH', 'EUR', 'USD']) {
    const minor = readAmount(words, text, currency)
    const named = /^[\d\s.,]+$/.test(text) ? '' : ` ${currency}`
    if (typeof minor === 'number') return (minor / 100).toFixed(2) + named
  }
  return text
}

/** `/orders`: by state, by days, and by search words. */
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
  const searched = { ...(q && { q }), ...(from && { from }), ...(to && { to }) }
  const queryOf = (one: keyof typeof FILTERS) => ({ ...searched, ...(one !== 'all' && { state: one }) })
  const tab = (one: keyof typeof FILTERS) => {
    const more = new URLSearchParams(queryOf(one))
    return filterTo(`${at(visit, '/orders')}${more.size > 0 ? `?${more}` : ''}`, text.filters[one], one === name)
  }
  const isNarrowed = Object.keys(queryOf(name)).length > 0
  const list = found.ok && (await orderDays(visit, found.body.orders, attention, !isNarrowed))
  const isEmpty = found.ok && found.body.orders.length === 0
  const search = { name: 'q', label: text.what, value: q, hint: text.hint, more: html` type="search" maxlength="200"` }
  return page(visit, {
    title: words.nav.orders,
    attention,
    ...(!found.ok && { status: found.status }),
    body: html`<form method="get" action="${at(visit, '/orders')}" role="search" class="search">
${name !== 'all' && hidden({ state: name })}
<div class="money">${field(search)}<button class="main">${text.go}</button></div>
<details${(from || to) && html` open`}><summary>${text.days}</summary><div class="pair">
${dateField('from', text.from, from)}
${dateField('to', text.to, to)}</div></details></form>
<ul class="filters">${(Object.keys(FILTERS) as (keyof typeof FILTERS)[]).map(tab)}
${filterTo(at(visit, '/links?state=sent'), words.link.states.sent, false)}</ul>
${!found.ok && alertOf(isOutage(found) ? words.failed.body : text.wrong)}
${list}${isEmpty && noOrders(visit, isNarrowed)}
${found.ok && older(visit, '/orders', found.body.cursor, queryOf(name))}`,
  })
}

function noOrders(visit: SignedVisit, isNarrowed: boolean): Html {
  const { orders: text, today, newLink } = visit.words
  const all = html`<p>${text.noneFound}</p><a href="${at(visit, '/orders')}">${text.all}</a>`
  const sell = maySell(visit) && html`<a href="${at(visit, '/new-link')}">${newLink.title}</a>`
  const first = html`<p>${text.none}</p><p class="quiet">${today.first}</p>${sell}`
  return html`<div class="card">${isNarrowed ? all : first}</div>`
}
