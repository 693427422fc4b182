import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import type { ShopDay } from '../../routes/calls.ts'
import { attentionOf, countOf, lineTo, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { today as dayOfShop, sumsOf } from '../lib/shop-day.ts'
import { dayName } from '../lib/time.ts'
import { at, call, type SignedVisit } from '../visit.ts'
import { goSell } from './link-parts.ts'
import { orderRows, WAITING } from './orders.ts'

const DAYS = 30
const WEEK = 7
/** How many waiting orders are counted at most. */
const COUNTED = 20

/** `/`: today's takings, waiting payments, matters for a person, and what to do next. */
export async function today(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const text = words.today
  const [from, to] = [dayOfShop(visit, DAYS - 1), dayOfShop(visit)]
  const [attention, days, orders, waiting] = await Promise.all([
    attentionOf(visit),
    call(visit, 'GET /api/days', { query: { from, to } }),
    call(visit, 'GET /api/orders', { query: { status: 'success', limit: 8 } }),
    call(visit, 'GET /api/orders', { query: { ...WAITING, limit: COUNTED } }),
  ])
  const count = countOf(attention)
  const open = waiting.ok ? waiting.body.orders.length : 0
  const rows = days.ok ? days.body.days : []
  const sums = sumsOf(rows.filter(({ day }) => day === to))
  const taken = [...sums].map(
    ([currency, minor]) => html`<p class="sum">${sumOf(words, minor, currency)}</p>${averageOf(visit, rows, currency)}`,
  )
  const last = orders.ok ? orders.body.orders : []
  const isNew = orders.ok && last.length === 0 && open === 0
  const waits = text.waiting(`${open}${waiting.ok && waiting.body.cursor ? '+' : ''}`)
  const matters = count
    ? html`<a class="warn" href="${at(visit, '/attention')}">${text.attention(count)}</a>`
    : html`<span class="ok">✓ ${text.well}</span>`
  const sum = taken.length > 0 ? taken : html`<p class="none">${text.nothing}</p>`
  return page(visit, {
    title: words.nav.today,
    attention,
    body: html`<div class="cols"><div class="card head"><h2>${text.taken}</h2>
${days.ok ? sum : html`<p class="wait">${text.unknown} ${words.failed.body}</p>`}
<ul class="tiles"><li>${attention ? matters : html`<span class="wait">${words.failed.body}</span>`}</li>
${open > 0 && html`<li><a href="${at(visit, '/orders?state=waiting')}">${waits}</a></li>`}</ul>
${isNew && html`<p class="quiet">${text.first}</p>`}${goSell(visit)}</div>
<div>${
      last.length > 0 &&
      html`<h2>${text.last}</h2>${orderRows(visit, last, attention)}${lineTo(visit, '/orders', words.orders.all)}`
    }</div><div class="side">${charts(visit, rows)}</div></div>`,
  })
}

/** The average takings of the seven days before today, for a comparison; nothing if there were none. */
function averageOf(visit: SignedVisit, days: readonly ShopDay[], currency: string): Html | false {
  const [from, to] = [dayOfShop(visit, WEEK), dayOfShop(visit)]
  const week = days.filter((row) => row.currency === currency && row.day >= from && row.day < to)
  const sum = sumsOf(week).get(currency) ?? 0
  const average = sumOf(visit.words, Math.round(sum / WEEK), currency)
  return sum > 0 && html`<p class="quiet">${visit.words.today.average(average)}</p>`
}

/** How high a chart is, in its own units. */
const HIGH = 60

/** A chart for each currency: a base line, its highest value, its first and last day, and its table beneath. */
function charts(visit: SignedVisit, days: readonly ShopDay[]): Html[] {
  const { words } = visit
  const text = words.today
  const name = ({ day }: { day: string }) => dayName(words, day)
  return [...sumsOf(days).keys()].map((currency, i) => {
    const rows = Array.from({ length: DAYS }, (_, i) => dayOfShop(visit, DAYS - 1 - i)).map((day) => {
      const ofDay = days.filter((row) => row.day === day && row.currency === currency)
      return { day, minor: sumsOf(ofDay).get(currency) ?? 0 }
    })
    const most = Math.max(...rows.map(({ minor }) => Math.abs(minor)), 1)
    const best = rows.reduce((a, b) => (b.minor > a.minor ? b : a))
    const bars = rows.map(({ minor }, i) => {
      const height = Math.round((Math.abs(minor) / most) * HIGH)
      const kind = minor < 0 ? 'refunded' : 'captured'
      return html`<rect class="${kind}" x="${i * 10 + 1}" y="${HIGH - height}" width="8" height="${height}" rx="1"/>`
    })
    const sum = (minor: number) => sumOf(words, minor, currency)
    const listed = rows.filter(({ minor }) => minor !== 0).reverse()
    const table = listed.map((row) => html`<tr><td>${name(row)}</td><td class="n">${sum(row.minor)}</td></tr>`)
    const line = html`<line x1="0" x2="${DAYS * 10}" y1="${HIGH}" y2="${HIGH}" vector-effect="non-scaling-stroke"/>`
    return html`<details class="card"${i === 0 && html` open`}><summary>${text.chart(currency)}</summary>
<p class="quiet">${text.highest(sum(best.minor), name(best))}</p>
<svg class="chart" viewBox="0 0 ${DAYS * 10} ${HIGH + 1}" role="img"
 aria-label="${text.chart(currency)}">${bars}${line}</svg>
<div class="row quiet"><span>${rows.slice(0, 1).map(name)}</span><span>${rows.slice(-1).map(name)}</span></div>
<details><summary>${text.table}</summary><table><tr><th scope="col">${words.nav.day}</th>
<th scope="col" class="n">${words.day.columns.taken}</th></tr>
${table}</table></details></details>`
  })
}
