import { html } from 'hono/html'
import { shopZone } from '../../shop/lib/day.ts'
import { dateFormat } from '../../shop/lib/formats.ts'
import type { Html } from '../../shop/pages/layout.ts'
import type { Returns, ShopDay } from '../../shop/routes/results.ts'
import type { Takes } from '../../shop/routes/takes.ts'
import { notice, page, respond } from '../layout.ts'
import { minorOf, sumOf } from '../lib/amount.ts'
import { isDay, today } from '../lib/shop-day.ts'
import { facts, field } from '../parts.ts'
import { at, call, isOutage, type Reply, type SignedVisit } from '../visit.ts'
import { wordFor } from '../words/language.ts'

const COLUMNS = ['paid', 'captured', 'refunded', 'taken', 'fee', 'net'] as const

/** The days that are asked for; today where none are. */
function daysOf(visit: SignedVisit): { from: string; to: string } {
  const { from = '', to = '' } = visit.c.req.query()
  const last = isDay(to) ? to : isDay(from) ? from : today(visit)
  return { from: isDay(from) ? from : last, to: last }
}

/** The totals are the shop's own: they do not wait for the service for longer than this. */
const WAIT_MS = 2_000

type Account = Returns['GET /api/balances']['accounts'][number]

async function balances(visit: SignedVisit): Promise<Account[] | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, WAIT_MS))
  const reply = await Promise.race([call(visit, 'GET /api/balances'), late])
  return reply?.ok ? reply.body.accounts : undefined
}

/** `/day`: closing a day, or several. */
export async function day(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const text = words.day
  const query = daysOf(visit)
  const file = `${at(visit, '/day.csv')}?${new URLSearchParams({ ...query })}`
  const [days, accounts] = await Promise.all([call(visit, 'GET /api/days', { query }), balances(visit)])
  if (isOutage(days)) return notice(visit, 503, words.failed)
  const on = (name: 'from' | 'to') =>
    field({ name, label: words.orders[name], value: query[name], more: html` type="date" required` })
  return page(visit, {
    title: words.nav.day,
    ...(!days.ok && { status: days.status }),
    body: html`<form method="get" action="${at(visit, '/day')}" class="search">
<div class="pair">${on('from')}${on('to')}
<button class="main">${text.go}</button></div></form>
<div class="cols"><div>
${days.ok ? totals(visit, days.body.days) : html`<p class="bad" role="alert">${text.wrong}</p>`}
${
  days.ok && days.body.days.length > 0 ? html`<p><a class="plain go" href="${file}" download>${text.csv}</a></p>` : ''
}</div>
<div class="side"><section class="card"><h2>${text.accounts}</h2>
${accounts?.map((account) => accountOf(visit, account)) ?? html`<p class="wait">${text.noAccounts}</p>`}
</section></div></div>`,
  })
}

function accountOf({ words }: SignedVisit, { name, id, currency, balances }: Account): Html {
  const sum = (amount: number) => sumOf(words, minorOf(amount), currency)
  const { available, rolling_reserve: reserve } = balances
  return html`<h3><bdi>${name || id}</bdi></h3>${facts([
    [words.day.available, sum(available)],
    [words.day.reserve, reserve == null ? undefined : sum(reserve)],
  ])}`
}

/** A table for each currency: a row for each way of payment, and their sum. */
function totals({ words }: SignedVisit, days: readonly ShopDay[]): Html | Html[] {
  const text = words.day
  if (days.length === 0) return html`<p class="card">${text.none}</p>`
  const currencies = [...new Set(days.map(({ currency }) => currency))]
  const cells = (rows: readonly ShopDay[], currency: string) =>
    facts(
      COLUMNS.map((column) => {
        const of = (row: ShopDay) => (column === 'net' ? row.taken_minor - row.fee_minor : row[`${column}_minor`])
        const sum = rows.reduce((sum, row) => sum + of(row), 0)
        return [text.columns[column], sumOf(words, sum, currency)]
      }),
    )
  return html`${currencies.map((currency) => {
    const own = days.filter((row) => row.currency === currency)
    const methods = [...new Set(own.map(({ method }) => method))]
    const each = methods.map((method) => {
      const its = own.filter((row) => row.method === method)
      return html`<h3>${text.columns.method}: <bdi>${method}</bdi></h3>${cells(its, currency)}`
    })
    return html`<section class="card"><h2>${text.total(currency)}</h2>${cells(own, currency)}
${methods.length > 1 ? each : ''}</section>`
  })}<p class="quiet">${text.explain}</p>`
}

/** More than any shop makes in the days of one file. */
const PAGES = 100

/**
 * `/day.csv`: the operations of these days. Nothing is left out: a file that would be too long, or that fails
 * halfway, is none.
 */
export async function dayFile(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const query = daysOf(visit)
  const rows: Returns['GET /api/operations']['operations'] = []
  for (let [cursor, left]: [string | null, number] = ['', PAGES]; cursor !== null; left--) {
    const asked: Takes<'GET /api/operations'>['query'] = { ...query, limit: 100, ...(cursor && { cursor }) }
    const reply: Reply<Returns['GET /api/operations']> = await call(visit, 'GET /api/operations', { query: asked })
    if (isOutage(reply)) return notice(visit, reply.status, words.failed)
    if (!reply.ok || left === 0) return notice(visit, 413, { title: words.failed.title, body: words.day.wrong })
    rows.push(...reply.body.operations)
    cursor = reply.body.cursor
  }
  const { file, kinds } = words.day
  // A spreadsheet in Ukrainian reads decimal commas, and takes a semicolon for the end of a cell.
  const [comma, end] = words.lang === 'uk' ? [',', ';'] : ['.', ',']
  const decimal = (minor: number) => (minor / 100).toFixed(2).replace('.', comma)
  const lines = rows.map(({ at: time, day: on, order_id, kind, method, amount_minor, currency, ...row }) => {
    const { fee_minor, taken_minor, description, customer_name, last_four, reference } = row
    const its = [on, clock(visit, time), order_id, wordFor(kinds, kind), method, decimal(amount_minor), currency]
    const bought = [description, customer_name, last_four, reference].map((one) => one ?? '')
    return [...its, decimal(fee_minor), decimal(taken_minor), ...bought].map(cell).join(end)
  })
  const head = file.replaceAll(',', end)
  // The mark has spreadsheets read it as UTF-8.
  return respond(visit, `\u{feff}${[head, ...lines].join('\r\n')}\r\n`, 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="operations-${query.from}-${query.to}.csv"`,
  })
}

/** The time of a moment in the shop's zone, as a spreadsheet reads it: `14:03:05`. */
const clock = ({ c }: SignedVisit, time: string): string =>
  dateFormat('en-GB', { timeZone: shopZone(c.env), timeStyle: 'medium' }).format(Date.parse(time))

/** A spreadsheet runs what begins like a formula, and adds up what is a number. */
const cell = (text: string): string =>
  `"${(/^[=+\-@\t\r](?!\d+[.,]\d\d$)/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
