import { html } from 'hono/html'
import type { OperationKind } from '../../../till/protocol.ts'
import type { AttentionItem } from '../../engine/attention.ts'
import type { ShownOrder } from '../../engine/show.ts'
import { refundLimit } from '../../lib/people.ts'
import type { Html } from '../../pages/layout.ts'
import type { Link } from '../../routes/calls.ts'
import { buttonTo, form, goTo } from '../layout.ts'
import { minorOf, readVersion, sumOf, typed } from '../lib/amount.ts'
import { field, hidden } from '../parts.ts'
import { type Act, isAllowed } from '../roles.ts'
import { orderPath, type SignedVisit } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import { goAgain, isUsable, linkPath } from './link-parts.ts'

/** The API captures and refunds no order whose order_id has more characters. */
const ID_LENGTH = 32

/** Acts that move no money. */
const MORE: readonly Act[] = ['resend', 'replay', 'erase']

/** Whether money of the order can be moved by the API at all. */
const isTooLong = ({ order_id }: ShownOrder): boolean => [...order_id].length > ID_LENGTH

/** The most that a person may move by an act, in minor units: the rest, within the limit of their role. */
function mayAskFor(visit: SignedVisit, order: ShownOrder, act: 'capture' | 'refund' | 'void'): number {
  const parsed = readVersion(order.version, order.totals.captured_minor)
  if (!parsed) return 0
  const limit = act === 'refund' ? refundLimit(visit.person.role) : undefined
  return Math.max(0, Math.min(parsed.left[act], (limit ?? Number.POSITIVE_INFINITY) - parsed.refunded))
}

const DECIMAL = html` inputmode="decimal" autocomplete="off" required`

/** The form for an amount: its second step shows the act. */
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
  const left = readVersion(order.version, order.totals.captured_minor)?.left[act] as number
  const limited = limit === undefined ? '' : ` ${words.order.limited(sumOf(words, limit, currency))}`
  const hint = words.order.left(sumOf(words, left, currency)) + limited
  const label = `${words.acts[act].button}, ${wordFor(words.currencies, currency || 'UAH')}`
  const kind = `${isMain ? 'main' : 'plain'}${act === 'refund' ? ' danger' : ''}`
  const amount = { name: 'amount', id: act, label, value: value ?? typed(words, most), problem, hint, more: DECIMAL }
  const fields = html`${hidden({ key: crypto.randomUUID() })}<div class="money">${field(amount)}
<button class="${kind}">${words.acts[act].button}</button></div>`
  return form(visit, `${orderPath(id)}/${act}`, fields)
}

/** The acts that an order allows, the likely next act as the main button, the rest quiet. */
export function actions(
  visit: SignedVisit,
  id: string,
  order: ShownOrder,
  { items, link }: { items: readonly AttentionItem[]; link: Link | undefined | null },
): Html | false {
  const { words } = visit
  const { totals, state, operations, currency } = order
  const isOpen = state === 'waiting' || state === 'pending'
  const event = items.find(({ kind }) => kind === 'on_event_given_up')?.event_id
  const isPossible = (act: OperationKind) => !isTooLong(order) && mayAskFor(visit, order, act) > 0
  const money = (['capture', 'refund'] as const).filter((act) => isAllowed(visit, act) && isPossible(act))
  const isMoving = ({ status, method }: (typeof operations)[number]) =>
    status !== 'success' && status !== 'failure' && /^(capture|refund|void)$/.test(method)
  const moving = operations.filter(isMoving)
  const mayVoid = moving.length === 0 && totals.captured_minor === 0 && mayAskFor(visit, order, 'void') > 0
  const rest: [Act, boolean, Record<string, string>?][] = [
    ['void', mayVoid, { key: crypto.randomUUID() }],
    ['cancel', isOpen],
    ['resend', true],
    ['replay', typeof event === 'string', { event: String(event) }],
    ['erase', true],
  ]
  const quiet = rest.filter(([act, isPossible]) => isPossible && isAllowed(visit, act))
  const button = ([act, , fields]: (typeof rest)[number]) => {
    const kind = act === 'erase' ? 'plain danger' : 'plain'
    return buttonTo(visit, `${orderPath(id)}/${act}`, words.acts[act].button, fields, kind)
  }
  const more = quiet.filter(([act]) => MORE.includes(act)).map(button)
  const canSend = isOpen && link?.short_url && isUsable(link)
  const movingSum = (amount: number | null) => sumOf(words, minorOf(amount), currency)
  const shown = [
    isTooLong(order) && totals.captured_minor > 0 && html`<p class="quiet">${words.order.tooLong}</p>`,
    ...moving
      .map(({ method, amount }) => words.order.moving(wordFor(words.methods, method), movingSum(amount)))
      .map((text) => html`<p class="wait">${text}</p>`),
    canSend && goTo(visit, linkPath(link.order_id), words.order.send, 'main'),
    ...money.map((act, i) => amountForm(visit, id, act, order, { isMain: i === 0 })),
    ...quiet.filter(([act]) => !MORE.includes(act)).map(button),
    link && goAgain(visit, link.order_id, 'plain'),
    more.length > 0 && html`<details><summary>${words.order.more}</summary><div class="quiets">${more}</div></details>`,
  ].filter(Boolean)
  return shown.length > 0 && html`<div class="card acts">${shown}</div>`
}

/**
 * The operations whose outcome is unknown, which every role may read. The service is asked first; a person is asked
 * only if the service had no answer.
 */
export function unsettled(
  visit: SignedVisit,
  id: string,
  { attempts, currency }: ShownOrder,
  items: readonly AttentionItem[],
): Html[] {
  const { words } = visit
  const maySettle = isAllowed(visit, 'settle')
  const isAsked = items.some(({ kind }) => kind === 'operation_unsettled' || kind === 'operation_contradicted')
  return attempts.map(({ id: attempt, kind: act, amount }) => {
    const sum = amount === null ? '' : sumOf(words, minorOf(amount), currency)
    const kind = isAsked ? 'plain' : 'main'
    const find = maySettle && buttonTo(visit, `${orderPath(id)}/find`, words.order.find, { attempt }, kind)
    const answers = html`${hidden({ attempt })}<p>${words.order.portal}</p><div class="quiets">
<button class="plain" name="executed" value="true">${words.order.executed}</button>
<button class="plain" name="executed" value="false">${words.order.notExecuted}</button></div>`
    const say = maySettle && isAsked && form(visit, `${orderPath(id)}/settle`, answers)
    return html`<div class="card box wait"><p>${words.order.unsettled(wordFor(words.methods, act), sum)}</p>
${find}${say}</div>`
  })
}
