import { html } from 'hono/html'
import { dateFormat, numberFormat } from '../../../lib/formats.ts'
import { shopZone } from '../../lib/day.ts'
import type { Html } from '../../pages/layout.ts'
import type { Returns, ShopDay, Takes } from '../../routes/calls.ts'
import { notice, page, respond } from '../layout.ts'
import { minorOf, sumOf } from '../lib/amount.ts'
import { isDay, sumsOf, today } from '../lib/shop-day.ts'
import { dayName } from '../lib/time.ts'
import { alertOf, dateField, facts } from '../parts.ts'
import { at, call, isOutage, type Reply, type SignedVisit } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import type { Words } from '../words/words.ts'

const COLUMNS = ['paid', 'captured', 'refunded', 'taken', 'fee', 'net'] as const

/** The requested days; today by default. */
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
  const on = (name: 'from' | 'to') => dateField(name, words.orders[name], query[name], html` required`)
  const csv = html`<p><a class="plain go" href="${file}" download>${text.csv}</a></p>`
  return page(visit, {
    title: words.nav.day,
    ...(!days.ok && { status: days.status }),
    body: html`<form method="get" action="${at(visit, '/day')}" class="search">
<div class="pair">${on('from')}${on('to')}
<button class="main">${text.go}</button></div></form>
<div class="cols"><div><h2>${datesOf(visit, query)}</h2>
${days.ok ? totals(visit, days.body.days) : alertOf(text.wrong)}
${days.ok && days.body.days.length > 0 && csv}</div>
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

const datesOf = ({ words }: SignedVisit, { from, to }: { from: string; to: string }): string =>
  from === to ? dayName(words, from) : `${dayName(words, from)} – ${dayName(words, to)}`

type Column = (typeof COLUMNS)[number]

const columnSum = (rows: readonly ShopDay[], column: Column): number =>
  rows.reduce((sum, row) => sum + (column === 'net' ? row.taken_minor - row.fee_minor : row[`${column}_minor`]), 0)

/** The totals of each currency, with a table if there are several days or methods. */
function totals({ words }: SignedVisit, days: readonly ShopDay[]): Html | Html[] {
  const text = words.day
  if (days.length === 0) return html`<p class="card">${text.none}</p>`
  const currencies = [...sumsOf(days).keys()]
  return html`${currencies.map((currency) => {
    const ofCurrency = days.filter((row) => row.currency === currency)
    const sums = COLUMNS.map(
      (column) => [text.columns[column], sumOf(words, columnSum(ofCurrency, column), currency)] as const,
    )
    return html`<section class="card"><h2>${text.total(wordFor(words.currencies, currency))}</h2>${facts(sums)}
${tableBy(words, ofCurrency, 'day')}${tableBy(words, ofCurrency, 'method')}</section>`
  })}<p class="quiet">${text.explain}</p>`
}

/** The takings of each day, or by each method, with a bar as wide as its share; nothing for a single row. */
function tableBy(words: Words, rows: readonly ShopDay[], by: 'day' | 'method'): Html | false {
  const values = [...new Set(rows.map((row) => row[by]))].sort()
  if (values.length < 2) return false
  const shown = ['taken', 'fee', 'net'] as const
  const each = values.map((value) => {
    const ofValue = rows.filter((row) => row[by] === value)
    return { value, sums: shown.map((column) => columnSum(ofValue, column)) }
  })
  const most = Math.max(...each.map(({ sums: [taken = 0] }) => Math.abs(taken)), 1)
  const bar = (taken = 0) => {
    const [kind, width] = [taken < 0 ? 'refunded' : 'captured', ((Math.abs(taken) / most) * 100).toFixed(1)]
    return html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
<rect class="${kind}" width="${width}" height="4"/></svg>`
  }
  const decimal = numberFormat(words.locale, { minimumFractionDigits: 2 })
  const [first, nameOf] =
    by === 'day'
      ? [words.nav.day, (day: string) => dayName(words, day, 'date')]
      : [words.day.columns.method, (method: string) => wordFor(words.day.methods, method)]
  const head = shown.map((column) => html`<th scope="col" class="n">${words.day.columns[column]}</th>`)
  const body = each.map(({ value, sums }) => {
    const cells = sums.map((sum) => html`<td class="n">${decimal.format(sum / 100)}</td>`)
    return html`<tr><th scope="row"><bdi>${nameOf(value)}</bdi>${bar(sums[0])}</th>${cells}</tr>`
  })
  return html`<table class="sums"><tr><th scope="col">${first}</th>${head}</tr>${body}</table>`
}

/** More than any shop makes in a file's days. */
const PAGES = 100

/** `/day.csv`: the operations of the days. The file is complete or not sent at all. */
export async function dayFile(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const query = daysOf(visit)
  const rows: Returns['GET /api/operations']['operations'] = []
  for (let [cursor, left]: [string | null, number] = ['', PAGES]; cursor !== null; left--) {
    const pageQuery: Takes<'GET /api/operations'>['query'] = { ...query, limit: 100, ...(cursor && { cursor }) }
    const reply: Reply<Returns['GET /api/operations']> = await call(visit, 'GET /api/operations', { query: pageQuery })
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
    const operation = [on, clock(visit, time), order_id, wordFor(kinds, kind), method, decimal(amount_minor), currency]
    const bought = [description, customer_name, last_four, reference].map((one) => one ?? '')
    return [...operation, decimal(fee_minor), decimal(taken_minor), ...bought].map(cell).join(end)
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

/** A spreadsheet runs texts that begin like a formula, and adds up numbers. */
const cell = (text: string): string =>
  `"${(/^[=+\-@\t\r](?!\d+[.,]\d\d$)/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
