import { html } from 'hono/html'
import { randomId } from '../../shop/lib/links.ts'
import { type Kept, keep, keptHere } from '../kept.ts'
import { form, notice, page, redirect } from '../layout.ts'
import { readAmount, sumOf, typed } from '../lib/amount.ts'
import { isDay, nowOf, startOf, today } from '../lib/shop-day.ts'
import { field, hidden } from '../parts.ts'
import { maySell } from '../roles.ts'
import { call, isOutage, type SignedVisit } from '../visit.ts'
import type { Words } from '../words/en.ts'
import { linkPath, openLink, readLink } from './link-parts.ts'

const CURRENCIES = ['UAH', 'EUR', 'USD']
const DAYS = 7
/** From here on a person is asked whether the amount is meant. Minor units. */
const LARGE = 100_000_00

type Typed = Record<string, string>
type Problems = Partial<Record<string, string>>

/** `/new-link`: the form, empty or like an earlier link. */
export async function newLink(visit: SignedVisit): Promise<Response> {
  const again = visit.c.req.query('again')
  return linkForm(visit, again === undefined ? {} : await likeLink(visit, again))
}

/** The order of an earlier link. */
async function likeLink(visit: SignedVisit, order_id: string): Promise<Typed> {
  const link = await readLink(visit, order_id)
  const sealed = link && (await openLink(visit, link))
  if (!link) return {}
  const order = sealed?.order
  const email = sealed?.customerEmail ?? order?.customer_email
  const known = {
    description: link.description,
    name: link.customer_name,
    phone: order?.customer_phone,
    email,
    method: order?.method,
    lang: order?.customer_lang,
    use: link.reusable && 'many',
    count: link.reusable?.max_orders,
  }
  const filled = Object.entries(known).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
  return { amount: typed(visit.words, link.amount_minor), currency: link.currency, ...Object.fromEntries(filled) }
}

/** The form. What was typed stays in it, and each problem stands at its field. */
function linkForm(visit: SignedVisit, given: Typed = {}, problems: Problems = {}): Promise<Response> | Response {
  const { words } = visit
  const text = words.newLink
  if (!maySell(visit)) return notice(visit, 403, words.forbidden)
  const { currency = 'UAH', lang = words.lang, order = randomId(10) } = given
  const isFilled = ['name', 'phone', 'email', 'until', 'count'].some((name) => given[name])
  const one = (name: string, label: string, more = html``) =>
    field({ name, label, value: given[name], problem: problems[name], more })
  const languages = Object.entries(text.languages)
  const isWrong = Object.values(problems).some(Boolean)
  const isLarge = problems.amount && problems.amount === largeOf(words, given)
  const sure = isLarge && { sure: given.amount }
  const currencies = CURRENCIES.map((code) => [code, code] as const)
  const end = { name: 'until', label: text.until, value: given.until, problem: problems.until, hint: text.untilHint }
  return page(visit, {
    ...(isWrong && { status: 400 }),
    isWrong,
    title: text.title,
    body: html`<div class="card narrow">${problems.form ? html`<p class="bad" role="alert">${problems.form}</p>` : ''}
${form(
  visit,
  '/new-link',
  html`${hidden({ order, ...sure })}
<div class="pair">${one('amount', text.amount, html` inputmode="decimal" autocomplete="off" required`)}
${field({ name: 'currency', label: text.currency, value: currency, choices: currencies })}</div>
${one('description', text.description, html` required maxlength="200"`)}
${field({
  name: 'method',
  label: text.how,
  value: given.method,
  choices: [
    ['purchase', text.purchase],
    ['auth', text.auth],
  ],
})}
${field({
  name: 'use',
  label: text.use,
  value: given.use,
  choices: [
    ['once', text.once],
    ['many', text.many],
  ],
})}
<details${isFilled ? html` open` : ''}><summary>${text.customer}</summary>
${one('name', text.name, html` maxlength="100" autocomplete="off"`)}
${one('phone', text.phone, html` type="tel" autocomplete="off"`)}
${one('email', text.email, html` type="email" autocomplete="off"`)}
${field({ name: 'lang', label: text.language, value: lang, choices: languages })}
${field({ ...end, more: html` type="date"` })}
${one('count', text.count, html` inputmode="numeric" autocomplete="off"`)}</details>
<button class="main">${text.go}</button>`,
)}</div>`,
  })
}

/** The question about a large amount; undefined for any other one. */
function largeOf(words: Words, { amount = '', currency = 'UAH' }: Typed): string | undefined {
  const minor = readAmount(words, amount, currency)
  return typeof minor === 'number' && minor >= LARGE ? words.newLink.large(sumOf(words, minor, currency)) : undefined
}

/** The day that a link lasts to the end of; for anybody, a year unless one was chosen. */
function lastDay(visit: SignedVisit, { until = '', use }: Typed): string | undefined {
  return isDay(until) ? until : use === 'many' ? undefined : today(visit, -DAYS)
}

/** The mistakes in the form, as far as they are seen here. */
function problemsOf(visit: SignedVisit, given: Typed): Problems {
  const { words, c } = visit
  const { amount: written = '', currency, description = '', phone = '', use, count = '' } = given
  const text = words.newLink
  const amount = readAmount(words, written, currency)
  const last = lastDay(visit, given)
  const isOver = last !== undefined && startOf(c.env, last, 1) <= nowOf(visit)
  const isMany = use === 'many'
  const whose = isMany && ['name', 'phone', 'email'].find((one) => given[one]?.trim())
  return firstOf({
    amount: typeof amount === 'string' ? amount : given.sure === written ? undefined : largeOf(words, given),
    description: description.trim() === '' ? text.empty : undefined,
    phone: /^(\+?[\d\s().-]{7,20})?$/.test(phone.trim()) ? undefined : text.fields.phone,
    until: isOver ? text.over : undefined,
    count: isMany && !/^([1-9]\d{0,5})?$/.test(count.trim()) ? text.whole : undefined,
    ...(whose && { [whose]: text.nobody }),
  })
}

/** Makes the link, and shows it. */
export async function makeLink(visit: SignedVisit, _: string, { csrf: __, ...given }: Typed): Promise<Response> {
  const { words, c } = visit
  const { currency, description = '', order = '', method, lang, name, phone, email, use } = given
  const { amount: written = '', count = '' } = given
  const amount = readAmount(words, written, currency)
  const again = async (kept: Kept) => (await keep(visit, WRONG, kept)) ?? showAgain(visit, kept)
  if (typeof amount === 'string' || Object.keys(problemsOf(visit, given)).length > 0) return again({ fields: given })
  const last = lastDay(visit, given)
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
      ...(phone?.trim() && { customer_phone: phone.trim() }),
      ...(lang && { customer_lang: lang }),
    },
  }
  const reply = await call(visit, 'POST /api/links', { body })
  return reply.ok ? redirect(visit, linkPath(order)) : again({ fields: given, problem: reply.problem })
}

const WRONG = '/new-link/wrong'

/** `/new-link/wrong`: the form that was not taken, with what was typed. */
export async function wrongLink(visit: SignedVisit): Promise<Response> {
  const kept = await keptHere(visit)
  return kept ? showAgain(visit, kept) : redirect(visit, '/new-link')
}

const showAgain = (visit: SignedVisit, { fields, problem }: Kept): Promise<Response> | Response =>
  linkForm(visit, fields, problem ? problemOf(visit.words, problem) : problemsOf(visit, fields))

/** The first problem alone has the focus: one at a time. */
const firstOf = (problems: Problems): Problems =>
  Object.fromEntries(
    Object.entries(problems)
      .filter(([, one]) => one)
      .slice(0, 1),
  )

const FIELDS: readonly (readonly [about: RegExp, name: string])[] = [
  [/phone/i, 'phone'],
  [/e-?mail/i, 'email'],
  [/fname|lname|name/i, 'name'],
  [/description/i, 'description'],
]

/** The API's message, in the person's own language, at its field. */
function problemOf(
  { newLink: text, failed }: Words,
  { code, status, detail = '' }: { code: string; status: number; detail?: string },
): Problems {
  if (isOutage({ status })) return { form: failed.body }
  if (code === 'no_origin') return { form: text.origin }
  const [, name = ''] = FIELDS.find(([about]) => about.test(detail)) ?? []
  return text.fields[name] ? { [name]: text.fields[name] } : { form: text.wrong }
}
