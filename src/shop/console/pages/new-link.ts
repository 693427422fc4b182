import { html } from 'hono/html'
import { randomId } from '../../lib/links.ts'
import { form, page, redirect } from '../layout.ts'
import { readAmount, sumOf, typed } from '../lib/amount.ts'
import { isDay, nowOf, startOf, today } from '../lib/shop-day.ts'
import { alertOf, type Field, field, hidden } from '../parts.ts'
import { type RejectedForm, readRejectedForm, redirectToForm } from '../rejected-form.ts'
import { call, type Form, isOutage, type SignedVisit } from '../visit.ts'
import type { Words } from '../words/words.ts'
import { linkPath, openLink, readLink } from './link-parts.ts'

const CURRENCIES = ['UAH', 'EUR', 'USD']
const DAYS = 7
/** From this amount on, in minor units, a person has to confirm it. */
const LARGE = 100_000_00

type Problems = Partial<Record<string, string>>

/** `/new-link`: the form, empty or like an earlier link. */
export async function newLink(visit: SignedVisit): Promise<Response> {
  const again = visit.c.req.query('again')
  return linkForm(visit, again === undefined ? {} : await likeLink(visit, again))
}

/** The order of an earlier link. */
async function likeLink(visit: SignedVisit, order_id: string): Promise<Form> {
  const link = await readLink(visit, order_id)
  const sealed = link && (await openLink(visit, link))
  if (!link) return {}
  const { order, customerEmail: email = order?.customer_email } = sealed ?? {}
  const known = {
    ...{ description: link.description, name: link.customer_name, email, use: link.reusable && 'many' },
    ...{ patronym: order?.customer_patronym, phone: order?.customer_phone, lang: order?.customer_lang },
    ...{ method: order?.method, count: link.reusable?.max_orders },
  }
  const filled = Object.entries(known).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
  return { amount: typed(visit.words, link.amount_minor), currency: link.currency, ...Object.fromEntries(filled) }
}

/** The form. It keeps the typed values, and each problem stands at its field. */
function linkForm(visit: SignedVisit, given: Form = {}, problems: Problems = {}): Promise<Response> {
  const { words } = visit
  const text = words.newLink
  const { currency = 'UAH', lang = words.lang, order = randomId(10) } = given
  const isFilled = ['name', 'patronym', 'phone', 'email', 'until', 'count'].some((name) => given[name])
  const textField = (name: string, label: string, more = html``) =>
    field({ name, label, value: given[name], problem: problems[name], more })
  const isWrong = Object.values(problems).some(Boolean)
  const isLarge = problems.amount && problems.amount === largeOf(words, given)
  const sure = isLarge && { sure: given.amount }
  const choose = (name: string, label: string, choices: Required<Field>['choices'], value = given[name]) =>
    field({ name, label, value, choices })
  const either = (...names: ('purchase' | 'auth' | 'once' | 'many')[]) => names.map((one) => [one, text[one]] as const)
  const currencies = CURRENCIES.map((code) => [code, code] as const)
  const end = { name: 'until', label: text.until, value: given.until, problem: problems.until, hint: text.untilHint }
  const fields = html`${hidden({ order, ...sure })}
<div class="pair">${textField('amount', text.amount, html` inputmode="decimal" autocomplete="off" required`)}
${choose('currency', text.currency, currencies, currency)}</div>
${textField('description', text.description, html` required maxlength="200"`)}
${choose('method', text.how, either('purchase', 'auth'))}
${choose('use', text.use, either('once', 'many'))}
<details${isFilled && html` open`}><summary>${text.customer}</summary>
${textField('name', text.name, html` maxlength="100" autocomplete="off"`)}
${textField('patronym', text.patronym, html` maxlength="100" autocomplete="off"`)}
${textField('phone', text.phone, html` type="tel" autocomplete="off"`)}
${textField('email', text.email, html` type="email" autocomplete="off"`)}
${choose('lang', text.language, Object.entries(text.languages), lang)}
${field({ ...end, more: html` type="date"` })}
${textField('count', text.count, html` inputmode="numeric" autocomplete="off"`)}</details>
<button class="main">${text.go}</button>`
  return page(visit, {
    ...(isWrong && { status: 400 }),
    isWrong,
    title: text.title,
    body: html`<div class="card narrow">${problems.form && alertOf(problems.form)}
${form(visit, '/new-link', fields)}</div>`,
  })
}

/** The question about a large amount; undefined for any other one. */
function largeOf(words: Words, { amount = '', currency = 'UAH' }: Form): string | undefined {
  const minor = readAmount(words, amount, currency)
  return typeof minor === 'number' && minor >= LARGE ? words.newLink.large(sumOf(words, minor, currency)) : undefined
}

/** The last day of a link: the chosen day, else a default. Undefined for a reusable link: the API's default counts. */
function lastDay(visit: SignedVisit, { until = '', use }: Form): string | undefined {
  return isDay(until) ? until : use === 'many' ? undefined : today(visit, -DAYS)
}

/** The mistakes in the form, as far as they are seen here. */
function problemsOf(visit: SignedVisit, given: Form): Problems {
  const { words, c } = visit
  const { amount: written = '', currency, description = '', phone = '', use, count = '' } = given
  const text = words.newLink
  const amount = readAmount(words, written, currency)
  const last = lastDay(visit, given)
  const isOver = last !== undefined && startOf(c.env, last, 1) <= nowOf(visit)
  const isMany = use === 'many'
  const whose = isMany && ['name', 'patronym', 'phone', 'email'].find((one) => given[one]?.trim())
  const large = given.sure === written ? undefined : largeOf(words, given)
  return firstOf({
    amount: typeof amount === 'string' ? `${amount} ${text.unmade}` : large,
    description: description.trim() === '' ? text.empty : undefined,
    phone: /^(\+?[\d\s().-]{7,20})?$/.test(phone.trim()) ? undefined : text.fields.phone,
    until: isOver ? text.over : undefined,
    count: !/^([1-9]\d{0,5})?$/.test(count.trim()) ? text.whole : !isMany && count.trim() ? text.onlyMany : undefined,
    ...(whose && { [whose]: text.nobody }),
  })
}

/** Makes the link, and shows it. */
export async function makeLink(visit: SignedVisit, _: string, { csrf: __, ...fields }: Form): Promise<Response> {
  const { words, c } = visit
  const { currency, description = '', order = '', method, lang, name, patronym, phone, email, use } = fields
  const { amount: written = '', count = '' } = fields
  const amount = readAmount(words, written, currency)
  const again = async (sent: RejectedForm) => (await redirectToForm(visit, WRONG, sent)) ?? showAgain(visit, sent)
  if (typeof amount === 'string' || Object.keys(problemsOf(visit, fields)).length > 0) return again({ fields })
  const last = lastDay(visit, fields)
  const most = count.trim()
  const body = {
    ...(use === 'many' ? { reusable: true, ...(most && { max_orders: Number(most) }) } : { landing: true }),
    ...(last !== undefined && { expires_at: startOf(c.env, last, 1) }),
    ...(email?.trim() && { customer_email: email.trim() }),
    order: {
      ...{ mode: 'hosted', method: method === 'auth' ? 'auth' : 'purchase', amount: amount / 100, currency },
      order_id: order,
      description: description.trim(),
      order_3ds_bypass: 'supported',
      ...(name?.trim() && { customer_fname: name.trim() }),
      ...(patronym?.trim() && { customer_patronym: patronym.trim() }),
      ...(phone?.trim() && { customer_phone: phone.trim() }),
      ...(lang && { customer_lang: lang }),
    },
  }
  const reply = await call(visit, 'POST /api/links', { body })
  return reply.ok ? redirect(visit, linkPath(order)) : again({ fields, problem: reply.problem })
}

const WRONG = '/new-link/wrong'

/** `/new-link/wrong`: the rejected form, with the typed values. */
export async function wrongLink(visit: SignedVisit): Promise<Response> {
  const rejected = await readRejectedForm(visit)
  return rejected ? showAgain(visit, rejected) : redirect(visit, '/new-link')
}

const showAgain = (visit: SignedVisit, { fields, problem }: RejectedForm): Promise<Response> =>
  linkForm(visit, fields, problem ? problemOf(visit.words, problem) : problemsOf(visit, fields))

/** Only the first problem has the focus. */
const firstOf = (problems: Problems): Problems => {
  const [first] = Object.entries(problems).filter(([, one]) => one)
  return first ? { [first[0]]: first[1] } : {}
}

/** The API's message, in the person's own language, at its field. */
function problemOf(
  { newLink: text, failed }: Words,
  { code, status, detail = '' }: { code: string; status: number; detail?: string },
): Problems {
  if (isOutage({ status })) return { form: failed.body }
  if (code === 'no_origin') return { form: text.origin }
  const [about = ''] = /phone|e-?mail|patronym|name|description/i.exec(detail) ?? []
  const name = about.toLowerCase().replace('-', '')
  return text.fields[name] ? { [name]: text.fields[name] } : { form: text.wrong }
}
