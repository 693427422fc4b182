import { html } from 'hono/html'
import type { Html } from '../../shop/pages/layout.ts'
import type { ShopDay } from '../../shop/routes/days.ts'
import type { ListedOrder } from '../../shop/routes/list-orders.ts'
import { attentionOf, countOf, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { today as dayOfShop } from '../lib/shop-day.ts'
import { at, call, type SignedVisit } from '../visit.ts'
import { type PageWords, pageWords } from '../words/pages.ts'
import { orderRows } from './orders-found.ts'

const DAYS = 30

/** `/`: what was taken today, and what to do next. */
export async function today(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const text = pageWords(words)
  const [from, to] = [dayOfShop(visit, DAYS - 1), dayOfShop(visit)]
  const [attention, days, orders] = await Promise.all([
    attentionOf(visit),
    call<{ days: ShopDay[] }>(visit, `GET /api/days?from=${from}&to=${to}`),
    call<{ orders: ListedOrder[] }>(visit, 'GET /api/orders?status=success&limit=8'),
  ])
  const count = countOf(attention)
  const attentionText = count
    ? html`<a href="${at(visit, '/attention')}">${words.today.attention(count)}</a>`
    : words.today.well
  const sums = days.ok ? sumsOf(days.body.days.filter(({ day }) => day === to)) : new Map<string, number>()
  const taken = [...sums].map(([currency, minor]) => html`<p class="sum">${sumOf(words, minor, currency)}</p>`)
  return page(visit, {
    title: words.today.title,
    attention,
    body: html`<p class="box${count || !attention ? ' wait' : ''}">${attention ? attentionText : words.failed.body}</p>
<h2>${text.today.taken}</h2>
${days.ok ? (taken.length > 0 ? taken : html`<p>${text.today.nothing}</p>`) : html`<p class="wait">${text.today.unknown}</p>`}
<a class="go" href="${at(visit, '/new-link')}">${words.nav.newLink}</a>
${orders.ok && orders.body.orders.length > 0 ? html`<h2>${text.today.last}</h2>${orderRows(visit, orders.body.orders)}` : ''}
${days.ok ? charts(visit, text, days.body.days) : ''}`,
  })
}

/** What was taken by currency. */
function sumsOf(days: readonly ShopDay[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { currency, taken } of days) sums.set(currency, (sums.get(currency) ?? 0) + taken)
  return sums
}

/** A chart for each currency, with its table beneath. */
function charts(visit: SignedVisit, text: PageWords, days: readonly ShopDay[]): (Html | '')[] {
  const { words } = visit
  return [...sumsOf(days).keys()].map((currency) => {
    const rows = Array.from({ length: DAYS }, (_, i) => dayOfShop(visit, DAYS - 1 - i)).map((day) => {
      const own = days.filter((row) => row.day === day && row.currency === currency)
      return { day, minor: sumsOf(own).get(currency) ?? 0 }
    })
    const most = Math.max(...rows.map(({ minor }) => Math.abs(minor)), 1)
    const bars = rows.map(({ minor }, i) => {
      const height = Math.round((Math.abs(minor) / most) * 60)
      return html`<rect class="${minor < 0 ? 'refunded' : 'captured'}" x="${i * 10}" y="${60 - height}" width="8" height="${height}"/>`
    })
    const listed = rows.filter(({ minor }) => minor !== 0).reverse()
    return html`<h2>${text.today.chart(currency)}</h2>
<svg viewBox="0 0 ${DAYS * 10} 60" role="img" aria-label="${text.today.chart(currency)}">${bars}</svg>
<details><summary>${text.today.table}</summary><table><tr><th scope="col">${text.today.day}</th><th scope="col" class="n">${text.today.sum}</th></tr>
${listed.map(({ day, minor }) => html`<tr><td>${day}</td><td class="n">${sumOf(words, minor, currency)}</td></tr>`)}</table></details>`
  })
}
