import { html } from 'hono/html'
import type { Html } from '../../shop/pages/layout.ts'
import type { ShopDay } from '../../shop/routes/results.ts'
import { attentionOf, countOf, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { today as dayOfShop } from '../lib/shop-day.ts'
import { timeOf } from '../lib/time.ts'
import { maySell } from '../roles.ts'
import { at, call, type SignedVisit } from '../visit.ts'
import { orderRows } from './orders.ts'

const DAYS = 30
/** So many orders are counted. */
const COUNTED = 20

/** `/`: what was taken today, what waits, what needs a person, and what to do next. */
export async function today(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const text = words.today
  const [from, to] = [dayOfShop(visit, DAYS - 1), dayOfShop(visit)]
  const [attention, days, orders, waiting] = await Promise.all([
    attentionOf(visit),
    call(visit, 'GET /api/days', { query: { from, to } }),
    call(visit, 'GET /api/orders', { query: { status: 'success', limit: 8 } }),
    call(visit, 'GET /api/orders', { query: { open: 'true', limit: COUNTED } }),
  ])
  const count = countOf(attention)
  const open = waiting.ok ? waiting.body.orders.length : 0
  const sums = days.ok ? sumsOf(days.body.days.filter(({ day }) => day === to)) : new Map<string, number>()
  const taken = [...sums].map(([currency, minor]) => html`<p class="sum">${sumOf(words, minor, currency)}</p>`)
  const isNew = orders.ok && orders.body.orders.length === 0 && open === 0
  return page(visit, {
    title: words.nav.today,
    attention,
    body: html`<div class="cols"><div class="card head"><h2>${text.taken}</h2>
${
  days.ok
    ? taken.length > 0
      ? taken
      : html`<p class="none">${text.nothing}</p>`
    : html`<p class="wait">${text.unknown} ${words.failed.body}</p>`
}
<ul class="tiles"><li>${
      attention
        ? count
          ? html`<a class="warn" href="${at(visit, '/attention')}">${text.attention(count)}</a>`
          : html`<span class="ok">✓ ${text.well}</span>`
        : html`<span class="wait">${words.failed.body}</span>`
    }</li>${
      open > 0
        ? html`<li><a href="${at(visit, '/orders?state=open')}">${text.waiting(
            `${open}${waiting.ok && waiting.body.cursor ? '+' : ''}`,
          )}</a></li>`
        : ''
    }</ul>
${isNew ? html`<p class="quiet">${text.first}</p>` : ''}${
  maySell(visit) ? html`<a class="main go" href="${at(visit, '/new-link')}">${words.newLink.title}</a>` : ''
}</div>
<div class="side">${days.ok ? charts(visit, days.body.days) : ''}</div>
<div>${
      orders.ok && orders.body.orders.length > 0
        ? html`<h2>${text.last}</h2>${orderRows(visit, orders.body.orders, attention)}
<p><a href="${at(visit, '/orders')}">${words.orders.all}</a></p>`
        : ''
    }</div></div>`,
  })
}

/** The takings by currency. */
function sumsOf(days: readonly ShopDay[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { currency, taken_minor } of days) sums.set(currency, (sums.get(currency) ?? 0) + taken_minor)
  return sums
}

/** How high a chart is, in its own units. */
const HIGH = 60

/** A chart for each currency: a base line, its highest value, its first and last day, and its table beneath. */
function charts(visit: SignedVisit, days: readonly ShopDay[]): (Html | '')[] {
  const { words } = visit
  const text = words.today
  return [...sumsOf(days).keys()].map((currency) => {
    const rows = Array.from({ length: DAYS }, (_, i) => dayOfShop(visit, DAYS - 1 - i)).map((day) => {
      const own = days.filter((row) => row.day === day && row.currency === currency)
      return { day, minor: sumsOf(own).get(currency) ?? 0 }
    })
    const most = Math.max(...rows.map(({ minor }) => Math.abs(minor)), 1)
    const best = rows.reduce((a, b) => (b.minor > a.minor ? b : a))
    const bars = rows.map(({ minor }, i) => {
      const height = Math.round((Math.abs(minor) / most) * HIGH)
      const kind = minor < 0 ? 'refunded' : 'captured'
      return html`<rect class="${kind}" x="${i * 10 + 1}" y="${HIGH - height}" width="8" height="${height}" rx="1"/>`
    })
    const listed = rows.filter(({ minor }) => minor !== 0).reverse()
    const name = (day: string) => timeOf(words, `${day}T12:00:00Z`, 'UTC', 'day')
    const line = html`<line x1="0" x2="${DAYS * 10}" y1="${HIGH}" y2="${HIGH}" vector-effect="non-scaling-stroke"/>`
    return html`<section class="card"><h2>${text.chart(currency)}</h2>
<p class="quiet">${text.highest(sumOf(words, best.minor, currency), name(best.day))}</p>
<svg class="chart" viewBox="0 0 ${DAYS * 10} ${HIGH + 1}" role="img"
 aria-label="${text.chart(currency)}">${bars}${line}</svg>
<div class="row quiet"><span>${name(dayOfShop(visit, DAYS - 1))}</span><span>${name(dayOfShop(visit))}</span></div>
<details><summary>${text.table}</summary><table><tr><th scope="col">${words.nav.day}</th>
<th scope="col" class="n">${words.day.columns.taken}</th></tr>
${listed.map(
  ({ day, minor }) => html`<tr><td>${name(day)}</td><td class="n">${sumOf(words, minor, currency)}</td></tr>`,
)}</table></details></section>`
  })
}
