import { html } from 'hono/html'
import type { OrderOperation } from '../../orders/index.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'
import type { Html } from '../../shop/pages/layout.ts'
import { attentionOf, form, notice, page, redirect } from '../layout.ts'
import { readVersion, sumOf, typed, wireSum } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { type Act, isAllowed, mayWrite } from '../roles.ts'
import { call, orderPath, type SignedVisit, shownId } from '../visit.ts'
import type { Words } from '../words/en.ts'
import { recordList } from './record.ts'

/** Reads an order; or the page that says why it cannot be shown. */
export async function readOrder(visit: SignedVisit, order_id: string): Promise<ShownOrder | Response> {
  const reply = await call<ShownOrder>(visit, `GET /api${orderPath(order_id)}`)
  if (reply.ok) return reply.body
  return notice(visit, reply.status, reply.status === 404 ? visit.words.noOrder : visit.words.failed)
}

/** `/orders/:order_id` */
export async function showOrder(visit: SignedVisit, [id = '']: string[]): Promise<Response> {
  const [order, attention] = await Promise.all([readOrder(visit, id), attentionOf(visit)])
  if (order instanceof Response) return order
  const { words, c } = visit
  const raw = await rawEvents(visit, id, order)
  const failing = attention?.items.find((item) => item.order_id === order.order_id && item.kind === 'on_event_given_up')
  return page(visit, {
    title: words.order.title(shownId(order.order_id)),
    ...(attention && { attention }),
    body: html`<p class="sum"><bdi>${headline(words, order, raw, c.env.SHOP_TZ)}</bdi></p>
${bar(words, order)}
${order.flags.map((flag) => html`<p class="box wait">${words.flags[flag] ?? flag}</p>`)}
${order.reference === undefined ? '' : html`<p>${words.order.reference}: <bdi>${order.reference}</bdi></p>`}
${order.customer_email === undefined ? '' : html`<p>${words.order.email}: <bdi>${order.customer_email}</bdi></p>`}
${await actions(visit, id, order, failing?.event_id)}
<h2>${words.order.story}</h2>
${story(visit, order.operations, order.currency)}
<h2>${words.order.record}</h2>
${order.record.length === 0 ? html`<p class="quiet">${words.record.none}</p>` : recordList(visit, order.record, order.currency)}
${mayWrite(visit.person.role) ? form(visit, `${orderPath(id)}/notes`, html`<label for="note">${words.order.note}</label><textarea id="note" name="text" rows="2" maxlength="1000" required placeholder="${words.order.notePlaceholder}"></textarea><button class="plain">${words.order.addNote}</button>`) : ''}
<details><summary>${words.order.raw}</summary><pre tabindex="0">${JSON.stringify(raw, null, 2)}</pre></details>`,
  })
}

/** `/orders/:order_id/notes` */
export async function addNote(
  visit: SignedVisit,
  [id = '']: string[],
  fields: Record<string, string>,
): Promise<Response> {
  if (!mayWrite(visit.person.role)) return notice(visit, 403, visit.words.forbidden)
  const { text = '' } = fields
  const reply = await call(visit, `POST /api${orderPath(id)}/notes`, { text })
  if (reply.ok || reply.status === 400) return redirect(visit, orderPath(id))
  return notice(visit, reply.status, reply.status === 404 ? visit.words.noOrder : visit.words.failed)
}

type Raw = Record<string, unknown>

/** So many events are shown in full. */
const SHOWN = 20

async function rawEvents(visit: SignedVisit, id: string, { order_id, events }: ShownOrder): Promise<Raw[]> {
  const base = `GET /api${orderPath(order_id || id)}/events/` as const
  const shown = events
    .slice(-SHOWN)
    .map(({ id: event }) => call<{ event: Raw }>(visit, `${base}${encodeURIComponent(event)}`))
  return (await Promise.all(shown)).flatMap((reply) => (reply.ok ? [reply.body.event] : []))
}

const textIn = (raw: readonly Raw[], ...names: string[]): string =>
  names
    .map((name) => raw.map((event) => event[name]).find((value) => typeof value === 'string' && value !== ''))
    .filter(Boolean)
    .join(' ')

/** "Paid 100,50 грн by Olena at 14:03, card •••• 3220" */
function headline(words: Words, order: ShownOrder, raw: readonly Raw[], zone: string | undefined): string {
  const { status, method, amount, currency, totals, operations } = order
  const sum = wireSum(words, amount ?? 0, currency)
  const paid = operations.find((one) => one.method === method && one.status === status)
  if (status === 'success') {
    const by = textIn(raw, 'customer_fname', 'customer_lname')
    const card =
      /\d{4}$/.exec(
        textIn(
          raw.filter((event) => event.method === method),
          'cc_mask',
        ).split(' ')[0] ?? '',
      )?.[0] ?? ''
    const at = timeOf(words, paid?.processed_at ?? paid?.created_at, zone)
    const say = method === 'auth' && totals.captured === 0 ? words.order.reserved : words.order.paid
    return say(sum, by, at, card)
  }
  if (status === 'failure') return words.order.declined(sum, reasonOf(words, paid?.status_code))
  return words.order.waiting(sum)
}

export const reasonOf = (words: Words, code: string | null | undefined): string =>
  code && Object.hasOwn(words.reasons, code) ? (words.reasons[code] ?? '') : ''

function story(visit: SignedVisit, operations: readonly OrderOperation[], currency: string | null): Html {
  const { words, c } = visit
  if (operations.length === 0) return html`<p class="quiet">${words.order.noStory}</p>`
  const tone = (status: string | null) => (status === 'success' ? 'ok' : status === 'failure' ? 'bad' : 'wait')
  return html`<ol class="story">${operations.map(
    ({
      method,
      status,
      status_code,
      amount,
      created_at,
      processed_at,
    }) => html`<li><div class="row"><span>${words.methods[method] ?? method}: <span class="${tone(status)}">${words.statuses[status ?? ''] ?? status ?? ''}</span></span><span>${amount === null ? '' : wireSum(words, amount, currency)}</span></div>
<div class="quiet">${timeOf(words, processed_at ?? created_at, c.env.SHOP_TZ)} ${status === 'failure' ? reasonOf(words, status_code) : ''}</div></li>`,
  )}</ol>`
}

const PARTS = ['captured', 'refunded', 'voided'] as const

/** What became of the money, as a bar and in numbers. */
function bar(words: Words, { totals, currency }: ShownOrder): Html | string {
  const whole = Math.max(totals.authorized, totals.captured)
  if (whole === 0) return ''
  const named = (['authorized', ...PARTS] as const).filter((part) => totals[part] > 0)
  const wide = (part: (typeof PARTS)[number]) => ((totals[part] / whole) * 100).toFixed(2)
  const label = named.map((part) => `${words.order.totals[part]} ${sumOf(words, totals[part], currency)}`)
  // Refunds come off the charged part's end; what was released off the whole's.
  const from = {
    captured: 0,
    refunded: Number(wide('captured')) - Number(wide('refunded')),
    voided: 100 - Number(wide('voided')),
  }
  return html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="${label.join(', ')}"><rect class="authorized" width="100" height="4"/>${PARTS.map((part) => html`<rect class="${part}" x="${Math.max(from[part], 0)}" width="${wide(part)}" height="4"/>`)}</svg>
<dl>${named.map((part) => html`<dt>${words.order.totals[part]}</dt><dd>${sumOf(words, totals[part], currency)}</dd>`)}</dl>`
}

/** The acts that an order allows, each as a form whose second step says what will happen. */
async function actions(visit: SignedVisit, id: string, order: ShownOrder, event: unknown): Promise<Html> {
  const { words, person } = visit
  const { totals, version, currency, status, attempts } = order
  const { left } = readVersion(version) as NonNullable<ReturnType<typeof readVersion>>
  const isOpen = status !== 'success' && status !== 'failure'
  const key = html`<input type="hidden" name="key" value="${crypto.randomUUID()}">`
  const forms: [Act, boolean, (act: Act) => Html][] = [
    ...(['capture', 'refund'] as const).map((act): [Act, boolean, () => Html] => [
      act,
      left[act] > 0,
      () =>
        html`${key}<label for="${act}">${words.order.amount}</label><input id="${act}" name="amount" inputmode="decimal" autocomplete="off" required value="${typed(words, left[act])}"><p class="quiet">${words.order.left(sumOf(words, left[act], currency))}</p>`,
    ]),
    ['void', left.void > 0 && totals.captured === 0, () => key],
    ['cancel', isOpen, () => html``],
    ['resend', order.events.length > 0 || isOpen, () => html``],
    ['replay', typeof event === 'string', () => html`<input type="hidden" name="event" value="${String(event)}">`],
    ['erase', true, () => html``],
  ]
  const shown = forms.filter(([act, isPossible]) => isPossible && isAllowed(person.role, act))
  const open = isAllowed(person.role, 'settle') ? attempts : []
  return html`${open.map(
    ({ id: attempt, kind, amount }) =>
      html`<div class="box wait"><p>${words.order.unsettled(words.methods[kind] ?? kind, amount === null ? '' : sumOf(words, Math.round(amount * 100), currency))}</p>${form(
        visit,
        `${orderPath(id)}/settle`,
        html`<input type="hidden" name="attempt" value="${attempt}"><div class="acts"><button name="executed" value="true">${words.order.executed}</button><button class="plain" name="executed" value="false">${words.order.notExecuted}</button></div>`,
      )}</div>`,
  )}${shown.map(
    ([act, , fields]) =>
      html`<div class="${act === 'capture' || act === 'refund' ? 'box' : 'act'}">${form(visit, `${orderPath(id)}/${act}`, html`${fields(act)}<button class="${act === 'capture' || act === 'refund' ? 'main' : 'plain'}">${words.acts[act].button}</button>`)}</div>`,
  )}`
}
