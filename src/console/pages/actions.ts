import { html } from 'hono/html'
import { refundLimit } from '../../shop/lib/people.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'
import type { Html } from '../../shop/pages/layout.ts'
import type { AttentionItem } from '../../shop/routes/list-orders.ts'
import type { Link } from '../../shop/routes/results.ts'
import { form } from '../layout.ts'
import { minorOf, readVersion, sumOf, typed } from '../lib/amount.ts'
import { hidden, moneyFields } from '../parts.ts'
import { type Act, isAllowed, maySell } from '../roles.ts'
import { orderPath, type SignedVisit } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import { againPath, goTo, isUsable, linkPath } from './link-parts.ts'

/** The API takes a capture or refund of an order_id of so many characters at most. */
const ID_LENGTH = 32

/** Whether money of the order can be moved by the API at all. */
const isTooLong = ({ order_id }: ShownOrder): boolean => [...order_id].length > ID_LENGTH

/** The amount for one act of a person, in minor units: the rest, as far as the role allows it. */
function mayAskFor(visit: SignedVisit, order: ShownOrder, act: 'capture' | 'refund' | 'void'): number {
  const known = readVersion(order.version, order.totals.captured)
  if (!known) return 0
  const limit = act === 'refund' ? refundLimit(visit.person.role) : undefined
  return Math.max(0, Math.min(known.left[act], (limit ?? Number.POSITIVE_INFINITY) - known.refunded))
}

/** The form that asks for an amount: its second step says what will happen. */
export function amountForm(
  visit: SignedVisit,
  id: string,
  act: 'capture' | 'refund',
  order: ShownOrder,
  { isMain, value, problem }: { isMain: boolean; value?: string; problem?: string },
): Promise<Awaited<Html>> {
  const { words, person } = visit
  const { currency } = order
  const most = mayAskFor(visit, order, act)
  const limit = act === 'refund' ? refundLimit(person.role) : undefined
  const hint = [
    words.order.left(sumOf(words, readVersion(order.version, order.totals.captured)?.left[act] as number, currency)),
    limit === undefined ? '' : words.order.limited(sumOf(words, limit, currency)),
  ]
  const label = `${words.acts[act].button}, ${wordFor(words.currencies, currency || 'UAH')}`
  const button = `${isMain ? 'main' : 'plain'}${act === 'refund' ? ' danger' : ''}`
  return form(
    visit,
    `${orderPath(id)}/${act}`,
    html`${hidden({ key: crypto.randomUUID() })}${moneyFields(
      { id: act, label, value: value ?? typed(words, most), problem, hint: hint.filter(Boolean).join(' ') },
      { text: words.acts[act].button, class: button },
    )}`,
  )
}

/** The acts that an order allows, the one that is likely next as the main one, the rest quiet. */
export function actions(
  visit: SignedVisit,
  id: string,
  order: ShownOrder,
  { items, link }: { items: readonly AttentionItem[]; link: Link | undefined | null },
): Html {
  const { words } = visit
  const { totals, status, operations, currency } = order
  const isOpen = status !== 'success' && status !== 'failure'
  const event = items.find(({ kind }) => kind === 'on_event_given_up')?.event_id
  const money = (['capture', 'refund'] as const).filter(
    (act) => isAllowed(visit, act) && !isTooLong(order) && mayAskFor(visit, order, act) > 0,
  )
  const moving = operations.filter(
    (one) => one.status !== 'success' && one.status !== 'failure' && /^(capture|refund|void)$/.test(one.method),
  )
  const rest: [Act, boolean, Record<string, string>][] = [
    ['void', totals.captured === 0 && mayAskFor(visit, order, 'void') > 0, { key: crypto.randomUUID() }],
    ['cancel', isOpen, {}],
    ['resend', true, {}],
    ['replay', typeof event === 'string', { event: String(event) }],
    ['erase', true, {}],
  ]
  const quiet = rest.filter(([act, isPossible]) => isPossible && isAllowed(visit, act))
  const button = ([act, , fields]: (typeof rest)[number]) =>
    form(
      visit,
      `${orderPath(id)}/${act}`,
      html`${hidden(fields)}
<button class="plain${act === 'erase' ? ' danger' : ''}">${words.acts[act].button}</button>`,
    )
  const canSend = isOpen && link?.short_url && isUsable(link)
  const canSell = maySell(visit) && link
  return html`<div class="card acts">${
    isTooLong(order) && totals.captured ? html`<p class="quiet">${words.order.tooLong}</p>` : ''
  }${moving.map(
    ({ method, amount }) =>
      html`<p class="wait">${words.order.moving(
        wordFor(words.methods, method),
        sumOf(words, minorOf(amount), currency),
      )}</p>`,
  )}${canSend ? goTo(visit, linkPath(link.order_id), words.order.send, 'main') : ''}${money.map((act, i) =>
    amountForm(visit, id, act, order, { isMain: i === 0 }),
  )}<div class="quiets">${quiet.filter(([act]) => act !== 'erase').map(button)}${
    canSell ? goTo(visit, againPath(link.order_id), words.order.again, 'plain') : ''
  }</div>${
    quiet.some(([act]) => act === 'erase')
      ? html`<details><summary>${words.order.more}</summary>
${quiet.filter(([act]) => act === 'erase').map(button)}</details>`
      : ''
  }</div>`
}

/** An unknown outcome: first the service is asked; a person is only asked when it could not say. */
export function unsettled(
  visit: SignedVisit,
  id: string,
  { attempts, currency }: ShownOrder,
  items: readonly AttentionItem[],
): Html[] | '' {
  const { words } = visit
  if (!isAllowed(visit, 'settle')) return ''
  const isAsked = items.some(({ kind }) => kind === 'operation_unsettled')
  return attempts.map(({ id: attempt, kind, amount }) => {
    const sum = amount === null ? '' : sumOf(words, minorOf(amount), currency)
    const find = form(
      visit,
      `${orderPath(id)}/find`,
      html`${hidden({ attempt })}<button class="${isAsked ? 'plain' : 'main'}">${words.order.find}</button>`,
    )
    const say = form(
      visit,
      `${orderPath(id)}/settle`,
      html`${hidden({ attempt })}<p>${words.order.portal}</p><div class="quiets">
<button class="plain" name="executed" value="true">${words.order.executed}</button>
<button class="plain" name="executed" value="false">${words.order.notExecuted}</button></div>`,
    )
    return html`<div class="card box wait"><p>${words.order.unsettled(wordFor(words.methods, kind), sum)}</p>
${find}${isAsked ? say : ''}</div>`
  })
}
