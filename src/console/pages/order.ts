import { html } from 'hono/html'
import { moneyState } from '../../shop/lib/money-state.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'
import type { Html } from '../../shop/pages/layout.ts'
import type { Link } from '../../shop/routes/results.ts'
import { attentionOf, form, notice, page, redirect } from '../layout.ts'
import { sumOf, wireSum } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { box, facts, statePill, timeline } from '../parts.ts'
import { mayWrite } from '../roles.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'
import type { Words } from '../words/en.ts'
import { wordFor } from '../words/language.ts'
import { actions, unsettled } from './actions.ts'
import { linkPath, readLink } from './link-parts.ts'
import { recordList } from './record.ts'

/** Reads an order; or the page that says why it cannot be shown. */
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
  const raw = await rawEvents(visit, order)
  const items = attention?.items.filter((item) => item.order_id === order.order_id) ?? []
  const isOpen = (flag: string) => !attention || items.some((item) => item.flag === flag)
  return page(visit, {
    title: words.order.title(shownId(order.order_id)),
    attention,
    body: html`<div class="cols"><div class="card head">${headline(visit, order, raw)}
${order.flags.filter(isOpen).map((flag) => box('wait', wordFor(words.flags, flag)))}
${about(visit, order, raw, link)}
${bar(words, order)}</div>
<div class="side">${unsettled(visit, id, order, items)}${actions(visit, id, order, { items, link })}</div>
<div><section class="card"><h2>${words.order.story}</h2>${story(visit, order)}
${order.flags
  .filter((flag) => !isOpen(flag))
  .map((flag) => html`<p class="quiet">${words.order.seen}: ${wordFor(words.flags, flag)}</p>`)}</section>
<section class="card"><h2>${words.order.record}</h2>
${
  order.record.length > 0
    ? recordList(visit, order.record, order.currency)
    : html`<p class="quiet">${words.record.none}</p>`
}
${mayWrite(visit) ? noteForm(visit, id) : ''}</section>
<details class="card"><summary>${words.order.raw}</summary>
<pre tabindex="0">${JSON.stringify(raw, null, 2)}</pre></details>
</div></div>`,
  })
}

const noteForm = (visit: SignedVisit, id: string, text = ''): Promise<Awaited<Html>> => {
  const { note, notePlaceholder, addNote } = visit.words.order
  return form(
    visit,
    `${orderPath(id)}/notes`,
    html`<label for="note">${note}</label>
<textarea id="note" name="text" rows="2" maxlength="1000" required placeholder="${notePlaceholder}">${text}</textarea>
<button class="plain">${addNote}</button>`,
  )
}

/** `/orders/:order_id/notes` */
export async function addNote(visit: SignedVisit, id: string, fields: Record<string, string>): Promise<Response> {
  if (!mayWrite(visit)) return notice(visit, 403, visit.words.forbidden)
  const { text = '' } = fields
  const reply = await call(visit, 'POST /api/orders/:order_id/notes', { path: { order_id: id }, body: { text } })
  if (reply.ok) return redirect(visit, orderPath(id), 'noted')
  if (reply.status === 400) return redirect(visit, orderPath(id))
  const { noOrder, failed } = visit.words
  const { title, body } = reply.status === 404 ? noOrder : failed
  const again = html`<div class="card"><p class="bad" role="alert">${body}</p>${noteForm(visit, id, text)}</div>`
  return page(visit, { status: reply.status, title, body: again, isWrong: true })
}

type Raw = Record<string, unknown>

/** So many events are shown in full. */
const SHOWN = 20

async function rawEvents(visit: SignedVisit, { order_id, events }: ShownOrder): Promise<Raw[]> {
  const shown = events
    .slice(-SHOWN)
    .map(({ id: event_id }) =>
      call(visit, 'GET /api/orders/:order_id/events/:event_id', { path: { order_id, event_id } }),
    )
  return (await Promise.all(shown)).flatMap((reply) => (reply.ok ? [reply.body.event] : []))
}

const textIn = (raw: readonly Raw[], ...names: string[]): string =>
  names
    .map((name) => raw.map((event) => event[name]).find((value) => typeof value === 'string' && value !== ''))
    .filter(Boolean)
    .join(' ')

/** The payment that an order is about. */
const paymentOf = ({ operations, method, status }: ShownOrder): ShownOrder['operations'][number] | undefined =>
  operations.find((one) => one.method === method && one.status === status)

/** The state, the sum that it is about, and one quiet line: of what, when, with which card. */
function headline({ words, c }: SignedVisit, order: ShownOrder, raw: readonly Raw[]): Html {
  const { method, currency, totals } = order
  const { state, sum } = moneyState(order)
  const say = (minor: number) => sumOf(words, minor, currency)
  const masks = raw.filter((event) => event.method === method)
  const [card] = /\d{4}$/.exec(textIn(masks, 'cc_mask')) ?? []
  const paid = paymentOf(order)
  const line = [
    state === 'partly_charged' && words.order.ofReserved(say(totals.authorized)),
    state === 'partly_refunded' && words.order.leftOf(say(totals.captured), say(totals.refunded)),
    paid && timeOf(words, paid.received_at, c.env.SHOP_TZ),
    order.status === 'success' && card && words.order.card(card),
    state === 'failed' && reasonOf(words, paid?.status_code),
  ].filter(Boolean)
  return html`<p>${statePill(words, state)}</p>
<p class="sum"><bdi>${sum === null ? '' : wireSum(words, sum, currency)}</bdi></p>
${line.length > 0 ? html`<p class="quiet">${line.join(' · ')}</p>` : ''}`
}

/** The goods, their buyer, and their papers. */
function about(visit: SignedVisit, order: ShownOrder, raw: readonly Raw[], link: Link | undefined | null): Html | '' {
  const { words } = visit
  const text = words.order
  const email = order.customer_email ?? textIn(raw, 'customer_email')
  const receipt = textIn(
    raw.filter(({ method }) => method !== 'refund'),
    'receipt_url',
  )
  const isAddress = /^https?:\/\//i.test(receipt)
  const found = `${at(visit, '/orders')}?${new URLSearchParams({ q: email })}`
  return facts([
    [words.newLink.description, textIn(raw, 'description') || link?.description],
    [text.customer, textIn(raw, 'customer_fname', 'customer_lname') || link?.customer_name],
    [words.newLink.phone, textIn(raw, 'customer_phone')],
    [text.email, email && html`<a href="${found}">${email}</a>`],
    [text.reference, order.reference],
    [text.link, link && html`<a href="${at(visit, linkPath(link.order_id))}">${text.linkOf}</a>`],
    [text.receipt, isAddress ? html`<a href="${receipt}" rel="noreferrer">${text.receiptOf}</a>` : ''],
  ])
}

export const reasonOf = (words: Words, code: string | null | undefined): string =>
  code && Object.hasOwn(words.reasons, code) ? (words.reasons[code] as string) : ''

export const toneOf = (status: string | null): 'ok' | 'bad' | 'wait' =>
  status === 'success' ? 'ok' : status === 'failure' ? 'bad' : 'wait'

export const statusOf = (words: Words, status: string | null): string => wordFor(words.statuses, status || 'pending')

function story({ words, c }: SignedVisit, { operations, currency }: ShownOrder): Html {
  if (operations.length === 0) return html`<p class="quiet">${words.order.noStory}</p>`
  return timeline(
    operations.map(({ method, status, status_code, amount, received_at }) => ({
      tone: toneOf(status),
      text: `${wordFor(words.methods, method)}: ${statusOf(words, status)}`,
      sum: amount === null ? '' : wireSum(words, amount, currency),
      below: [timeOf(words, received_at, c.env.SHOP_TZ), status === 'failure' ? reasonOf(words, status_code) : ''].join(
        ' ',
      ),
    })),
  )
}

const PARTS = ['captured', 'refunded', 'voided'] as const

/** The end of the money, as a bar and in numbers: where it is more than one sum. */
function bar(words: Words, { totals, currency }: ShownOrder): Html | string {
  const whole = Math.max(totals.authorized, totals.captured)
  const named = (['authorized', ...PARTS] as const).filter((part) => totals[part] > 0)
  const isOneSum = totals.captured === totals.authorized && named.length === 2
  if (whole === 0 || named.length < 2 || isOneSum) return ''
  const wide = (part: (typeof PARTS)[number]) => ((totals[part] / whole) * 100).toFixed(2)
  const label = named.map((part) => `${words.order.totals[part]} ${sumOf(words, totals[part], currency)}`)
  // Refunds come off the charged part's end; what was released off the whole's.
  const from = {
    captured: 0,
    refunded: Number(wide('captured')) - Number(wide('refunded')),
    voided: 100 - Number(wide('voided')),
  }
  const bars = PARTS.map(
    (part) => html`<rect class="${part}" x="${Math.max(from[part], 0)}" width="${wide(part)}" height="4"/>`,
  )
  return html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img"
 aria-label="${label.join(', ')}"><rect class="authorized" width="100" height="4"/>${bars}</svg>
${facts(named.map((part) => [words.order.totals[part], sumOf(words, totals[part], currency)]))}`
}
