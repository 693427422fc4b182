import { html } from 'hono/html'
import { baseOrderId } from '../../../orders/attempt-id.ts'
import { paymentAt } from '../../../orders/order-times.ts'
import type { ShownOrder } from '../../engine/show.ts'
import type { Html } from '../../pages/layout.ts'
import type { Link } from '../../routes/calls.ts'
import { attentionOf, form, notice, page, redirect } from '../layout.ts'
import { sumOf, wireSum } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { alertOf, box, facts, statePill } from '../parts.ts'
import { mayWrite } from '../roles.ts'
import { at, call, type Form, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import type { Words } from '../words/words.ts'
import { actions, unsettled } from './actions.ts'
import { sentenceOf } from './attention.ts'
import { linkPath, readLink, rejectedText } from './link-parts.ts'
import { recordList } from './record.ts'

/** Reads an order; or the page with the reason why it cannot be shown. */
export async function readOrder(visit: SignedVisit, order_id: string): Promise<ShownOrder | Response> {
  const reply = await call(visit, 'GET /api/orders/:order_id', { path: { order_id } })
  if (reply.ok) return reply.body
  return notice(visit, reply.status, reply.status === 404 ? visit.words.noOrder : visit.words.failed)
}

/** `/orders/:order_id` */
export async function showOrder(visit: SignedVisit, id: string): Promise<Response> {
  const [order, attention, link] = await Promise.all([readOrder(visit, id), attentionOf(visit), readLink(visit, id)])
  // A link that was not opened is not an order yet: its page is the link's.
  if (order instanceof Response) return order.status === 404 && link ? redirect(visit, linkPath(id)) : order
  const { words } = visit
  const [raw, others] = await Promise.all([rawEvents(visit, order), otherAttempts(visit, order)])
  const items = attention?.items.filter((item) => item.order_id === order.order_id) ?? []
  // An item of *Attention* about a reusable link names the link, not one of its orders.
  const rejected = order.status === null && link?.reusable && link.rejected
  const matters = items.filter(({ flag }) => flag === undefined).map((item) => sentenceOf(words, item))
  if (rejected) matters.push(rejectedText(words, rejected))
  const isOpen = (flag: string) => !attention || items.some((item) => item.flag === flag)
  const closedFlags = order.flags.filter((flag) => !isOpen(flag))
  const all = [...raw.values()]
  const name = textIn(all, 'customer_fname', 'customer_lname')
  const bought = [textIn(all, 'description') || link?.description, name || link?.customer_name]
  const number = words.order.title(shownId(order.order_id))
  const title = bought.filter(Boolean).join(' · ')
  return page(visit, {
    title: title || number,
    attention,
    body: html`<div class="cols"><div class="card head">${title && html`<p class="quiet">${number}</p>`}
${headline(visit, order, raw)}
${order.flags.filter(isOpen).map((flag) => box('wait', flagText(words, order, flag)))}
${matters.map((matter) => box('wait', matter))}
${about(visit, order, raw, link)}
${bar(words, order)}</div>
<div class="side">${unsettled(visit, id, order, items)}${actions(visit, id, order, { items, link })}</div>
<div><section class="card"><h2>${words.order.story}</h2>${story(visit, order, others)}
${closedFlags.map((flag) => html`<p class="quiet">${words.order.seen}: ${flagText(words, order, flag)}</p>`)}</section>
<section class="card"><h2>${words.order.record}</h2>${recordList(visit, order.record, order.currency)}
${mayWrite(visit) && noteForm(visit, id)}</section>
<details class="card"><summary>${words.order.raw}</summary>
<pre tabindex="0">${JSON.stringify(all, null, 2)}</pre></details>
</div></div>`,
  })
}

const noteForm = (visit: SignedVisit, id: string, text = ''): Promise<Awaited<Html>> => {
  const { note, notePlaceholder, addNote } = visit.words.order
  const fields = html`<label for="note">${note}</label>
<textarea id="note" name="text" rows="2" maxlength="1000" required placeholder="${notePlaceholder}">${text}</textarea>
<button class="plain">${addNote}</button>`
  return form(visit, `${orderPath(id)}/notes`, fields)
}

/** `/orders/:order_id/notes` */
export async function addNote(visit: SignedVisit, id: string, fields: Form): Promise<Response> {
  const { text = '' } = fields
  const reply = await call(visit, 'POST /api/orders/:order_id/notes', { path: { order_id: id }, body: { text } })
  if (reply.ok) return redirect(visit, orderPath(id), 'noted')
  if (reply.status === 400) return redirect(visit, orderPath(id))
  const { noOrder, failed } = visit.words
  const { title, body } = reply.status === 404 ? noOrder : failed
  const again = html`<div class="card">${alertOf(body)}${noteForm(visit, id, text)}</div>`
  return page(visit, { status: reply.status, title, body: again, isWrong: true })
}

type Raw = Record<string, unknown>
type Raws = ReadonlyMap<string, Raw>

/** How many events are shown in full at most. */
const SHOWN = 20
/** How many attempts at paying an order are shown at most. */
const ATTEMPTS = 9

async function rawEvents(visit: SignedVisit, { order_id, events }: ShownOrder): Promise<Raws> {
  const read = async ({ id: event_id }: (typeof events)[number]) => {
    const reply = await call(visit, 'GET /api/orders/:order_id/events/:event_id', { path: { order_id, event_id } })
    return reply.ok ? [[event_id, reply.body.event] as const] : []
  }
  return new Map((await Promise.all(events.slice(-SHOWN).map(read))).flat())
}

const textIn = (raw: readonly Raw[], ...names: string[]): string =>
  names
    .map((name) => raw.map((event) => event[name]).find((value) => typeof value === 'string' && value !== ''))
    .filter(Boolean)
    .join(' ')

/** The other attempts at paying the order, in order. Unreadable attempts are left out. */
async function otherAttempts(
  visit: SignedVisit,
  { order_id, replaced_by = order_id }: ShownOrder,
): Promise<ShownOrder[]> {
  const base = baseOrderId(order_id)
  const [, last = '1'] = /~(\d+)$/.exec(replaced_by) ?? []
  const ids = Array.from({ length: Math.min(Number(last), ATTEMPTS) }, (_, i) => `${base}~${i + 1}`)
  const others = ids.filter((id) => id !== (order_id === base ? `${base}~1` : order_id))
  const read = (id: string) => call(visit, 'GET /api/orders/:order_id', { path: { order_id: id } })
  const replies = await Promise.all(others.map(read))
  return replies.flatMap((reply) => (reply.ok ? [reply.body] : []))
}

/** The payment that an order is about. */
const paymentOf = (order: ShownOrder): Operation | undefined => order.operations[paymentAt(order)]

/** That payment's events, the oldest first. */
const ofPayment = ({ payment_events }: ShownOrder, raw: Raws): Raw[] =>
  payment_events.map((id) => raw.get(id)).filter((one) => one !== undefined)

/** A flag in words; with both amounts if another amount was paid than requested. */
function flagText(words: Words, order: ShownOrder, flag: string): string {
  const [text, payment, { amount, currency }] = [wordFor(words.flags, flag), paymentOf(order), order.asked]
  if (flag !== 'amount_mismatch' || amount === undefined || payment?.status !== 'success') return text
  const paid = operationSum(words, payment, order.currency)
  return `${text} ${words.order.askedAndPaid(wireSum(words, amount, currency), paid)}`
}

/** The state, its sum, and one quiet line: the purchase, the time, the card. */
function headline({ words, c }: SignedVisit, order: ShownOrder, raw: Raws): Html {
  const { currency, totals, state, sum } = order
  const say = (minor: number) => sumOf(words, minor, currency)
  const [card] = /\d{4}$/.exec(textIn(ofPayment(order, raw), 'cc_mask')) ?? []
  const paid = paymentOf(order)
  const line = [
    state === 'partly_charged' && words.order.ofReserved(say(totals.authorized_minor)),
    state === 'partly_refunded' && words.order.leftOf(say(totals.captured_minor), say(totals.refunded_minor)),
    paid && timeOf(words, paid.received_at, c.env.SHOP_TZ),
    order.status === 'success' && card && words.order.card(card),
    state === 'failed' && reasonOf(words, paid?.status_code),
  ].filter(Boolean)
  return html`<p>${statePill(words, state)}</p>
<p class="sum"><bdi>${sum === null ? '' : wireSum(words, sum, currency)}</bdi></p>
${line.length > 0 && html`<p class="quiet">${line.join(' · ')}</p>`}`
}

/** The goods, their buyer, and their papers. */
function about(visit: SignedVisit, order: ShownOrder, raw: Raws, link: Link | undefined | null): Html {
  const { words } = visit
  const text = words.order
  const email = order.customer_email ?? textIn([...raw.values()], 'customer_email')
  const receipt = textIn(ofPayment(order, raw), 'receipt_url')
  const isAddress = /^https?:\/\//i.test(receipt)
  const found = `${at(visit, '/orders')}?${new URLSearchParams({ q: email })}`
  const { expected_fee_minor: fee } = order.totals
  const toLink = link && html`<a href="${at(visit, linkPath(link.order_id))}">${text.link}</a>`
  const links = [toLink, isAddress && html`<a href="${receipt}" rel="noreferrer">${text.receipt}</a>`].filter(Boolean)
  return html`${facts([
    [words.newLink.phone, textIn([...raw.values()], 'customer_phone')],
    [text.email, email && html`<a href="${found}">${email}</a>`],
    [text.reference, order.reference],
    [text.expectedFee, fee ? sumOf(words, fee, order.currency) : undefined],
  ])}${links.length > 0 && html`<p class="quiets">${links}</p>`}`
}

/** Why a payment or an operation failed: a code without words, as it is. */
export const reasonOf = (words: Words, code: string | null | undefined): string =>
  !code ? '' : Object.hasOwn(words.reasons, code) ? (words.reasons[code] as string) : words.order.code(code)

export const toneOf = (status: string | null): 'ok' | 'bad' | 'wait' =>
  status === 'success' ? 'ok' : status === 'failure' ? 'bad' : 'wait'

export const statusOf = (words: Words, status: string | null): string => wordFor(words.statuses, status || 'pending')

/** The sum of an operation: the amount that was paid or is held, if any. */
export const operationSum = (words: Words, { amount, paid, held }: Operation, currency: string | null): string => {
  const { amount: sum, currency: paidCurrency } = paid ?? held ?? { amount, currency }
  return sum === null ? '' : wireSum(words, sum, paidCurrency)
}

type Operation = ShownOrder['operations'][number]

/** The events of the order and its other attempts, each with a link to its page. */
function story(visit: SignedVisit, order: ShownOrder, others: readonly ShownOrder[]): Html {
  const { words, c } = visit
  const own = order.operations.map((one) => ({ ...one, of: order }))
  const other = others.flatMap((one) => one.operations.map((operation) => ({ ...operation, of: one })))
  const all = [...other, ...own].sort((a, b) => Date.parse(a.received_at ?? '') - Date.parse(b.received_at ?? ''))
  if (all.length === 0) return html`<p class="quiet">${words.order.noStory}</p>`
  const steps = all.map(({ of, ...operation }) => {
    const { method, status, status_code, received_at } = operation
    const id = of === order ? '' : /~\d+$/.test(of.order_id) ? of.order_id : `${of.order_id}~1`
    const text = `${wordFor(words.methods, method)}: ${statusOf(words, status)}`
    return html`<li class="${toneOf(status)}"><div class="row"><span>${text}</span>
<span>${operationSum(words, operation, of.currency)}</span></div>
<div class="quiet">${timeOf(words, received_at, c.env.SHOP_TZ)} ${status === 'failure' && reasonOf(words, status_code)}
${id && html`<a href="${at(visit, orderPath(id))}">${words.order.title(id)}</a>`}</div></li>`
  })
  return html`<ol class="story">${steps}</ol>`
}

const PARTS = ['captured', 'refunded', 'voided'] as const

/** The state of the money as a bar and in numbers, if it has more than one part. */
function bar(words: Words, { totals, currency }: ShownOrder): Html | string {
  const whole = Math.max(totals.authorized_minor, totals.captured_minor)
  const named = (['authorized', ...PARTS] as const).filter((part) => totals[`${part}_minor`] > 0)
  const isOneSum = totals.captured_minor === totals.authorized_minor && named.length === 2
  if (whole === 0 || named.length < 2 || isOneSum) return ''
  const wide = (part: (typeof PARTS)[number]) => ((totals[`${part}_minor`] / whole) * 100).toFixed(2)
  const label = named.map((part) => `${words.order.totals[part]} ${sumOf(words, totals[`${part}_minor`], currency)}`)
  // Refunds come off the charged part's end; releases off the whole's.
  const refunded = Number(wide('captured')) - Number(wide('refunded'))
  const from = { captured: 0, refunded, voided: 100 - Number(wide('voided')) }
  const bars = PARTS.map(
    (part) => html`<rect class="${part}" x="${Math.max(from[part], 0)}" width="${wide(part)}" height="4"/>`,
  )
  return html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img"
 aria-label="${label.join(', ')}"><rect class="authorized" width="100" height="4"/>${bars}</svg>
${facts(named.map((part) => [words.order.totals[part], sumOf(words, totals[`${part}_minor`], currency)]))}`
}
