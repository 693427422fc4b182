import { html } from 'hono/html'
import type { Account } from '../../schemas/account.ts'
import type { MoneyRow } from '../../shop/books/tables.ts'
import type { Html } from '../../shop/pages/layout.ts'
import type { ShopDay } from '../../shop/routes/days.ts'
import { notice, page, respond } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { isDay, today } from '../lib/shop-day.ts'
import { at, call, type SignedVisit } from '../visit.ts'
import { type PageWords, pageWords } from '../words/pages.ts'

const COLUMNS = ['paid', 'captured', 'refunded', 'fee', 'taken'] as const

/** The days that are asked for; today where none are. */
function daysOf(visit: SignedVisit): string {
  const { from = '', to = '' } = visit.c.req.query()
  const last = isDay(to) ? to : isDay(from) ? from : today(visit)
  return new URLSearchParams({ from: isDay(from) ? from : last, to: last }).toString()
}

/** `/day`: closing a day, or several. */
export async function day(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const text = pageWords(words).day
  const query = daysOf(visit)
  const shown = new URLSearchParams(query)
  const [days, accounts] = await Promise.all([
    call<{ days: ShopDay[] }>(visit, `GET /api/days?${query}`),
    call<{ accounts: Account[] }>(visit, 'GET /api/balances'),
  ])
  if (!days.ok && days.status >= 500) return notice(visit, 503, words.failed)
  return page(visit, {
    title: text.title,
    ...(!days.ok && { status: days.status }),
    body: html`<form method="get" action="${at(visit, '/day')}">
<label for="from">${text.from}</label><input id="from" name="from" type="date" required value="${shown.get('from')}">
<label for="to">${text.to}</label><input id="to" name="to" type="date" required value="${shown.get('to')}">
<button>${text.go}</button></form>
${days.ok ? totals(visit, text, days.body.days) : html`<p class="bad" role="alert">${text.wrong(days.problem.title)}</p>`}
${days.ok && days.body.days.length > 0 ? html`<p><a href="${at(visit, '/day.csv')}?${query}" download>${text.csv}</a></p>` : ''}
<h2>${text.accounts}</h2>
${accounts.ok ? accounts.body.accounts.map((account) => accountOf(visit, text, account)) : html`<p class="wait">${text.noAccounts}</p>`}`,
  })
}

function accountOf({ words }: SignedVisit, text: PageWords['day'], { name, id, currency, balances }: Account): Html {
  const sum = (amount: number) => sumOf(words, Math.round(amount * 100), currency)
  const { available, rolling_reserve: reserve } = balances
  return html`<h3><bdi>${name || id}</bdi></h3><dl><dt>${text.available}</dt><dd>${sum(available)}</dd>
${reserve == null ? '' : html`<dt>${text.reserve}</dt><dd>${sum(reserve)}</dd>`}</dl>`
}

/** A table for each currency: a row for each way of payment, and their sum. */
function totals({ words }: SignedVisit, text: PageWords['day'], days: readonly ShopDay[]): Html | Html[] {
  if (days.length === 0) return html`<p>${text.none}</p>`
  const currencies = [...new Set(days.map(({ currency }) => currency))]
  const cells = (rows: readonly ShopDay[], currency: string) =>
    COLUMNS.map(
      (column) =>
        html`<dt>${text.columns[column]}</dt><dd>${sumOf(
          words,
          rows.reduce((sum, row) => sum + row[column], 0),
          currency,
        )}</dd>`,
    )
  return html`${currencies.map((currency) => {
    const own = days.filter((row) => row.currency === currency)
    const methods = [...new Set(own.map(({ method }) => method))]
    return html`<section class="box"><h2>${text.total(currency)}</h2><dl>${cells(own, currency)}</dl>
${
  methods.length > 1
    ? methods.map(
        (method) =>
          html`<h3>${text.columns.method}: <bdi>${method}</bdi></h3><dl>${cells(
            own.filter((row) => row.method === method),
            currency,
          )}</dl>`,
      )
    : ''
}</section>`
  })}<p class="quiet">${text.explain}</p>`
}

/** More than any shop makes in the days of one file. */
const PAGES = 100

/** `/day.csv`: the operations of these days. Nothing is left out: a file that would be too long, or that fails halfway, is none. */
export async function dayFile(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const query = daysOf(visit)
  const rows: (Omit<MoneyRow, 'at'> & { at: string })[] = []
  for (let [cursor, left]: [string | null, number] = ['', PAGES]; cursor !== null; left--) {
    const more: string = cursor && `&cursor=${cursor}`
    const reply = await call<{ operations: typeof rows; cursor: string | null }>(
      visit,
      `GET /api/operations?${query}&limit=100${more}`,
    )
    if (!reply.ok || left === 0) return notice(visit, reply.ok ? 413 : reply.status, words.failed)
    rows.push(...reply.body.operations)
    cursor = reply.body.cursor
  }
  const decimal = (minor: number) => (minor / 100).toFixed(2)
  const lines = rows.map(({ at: time, day: on, order_id, kind, method, amount, currency, fee, reference }) =>
    [on, time, order_id, kind, method, decimal(amount), currency, decimal(fee), reference ?? ''].map(cell).join(','),
  )
  const head = 'day,time,order,operation,method,amount,currency,fee,reference'
  const days = new URLSearchParams(query)
  // The mark has spreadsheets read it as UTF-8.
  return respond(visit, `\u{feff}${[head, ...lines].join('\r\n')}\r\n`, {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="operations-${days.get('from')}-${days.get('to')}.csv"`,
    },
  })
}

/** A spreadsheet runs what begins like a formula. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
