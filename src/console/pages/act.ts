import { html } from 'hono/html'
import type { OperationKind } from '../../money/protocol.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'
import type { Html } from '../../shop/pages/layout.ts'
import { form, notice, page, redirect } from '../layout.ts'
import { readAmount, readVersion, sumOf, typed } from '../lib/amount.ts'
import { type Act, isAllowed, refundLimit } from '../roles.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'
import type { Words } from '../words/en.ts'
import { failedAct } from './failed-act.ts'
import { readOrder } from './order.ts'

export const ACTS: readonly Act[] = ['capture', 'refund', 'void', 'cancel', 'resend', 'settle', 'replay', 'erase']

type Fields = Record<string, string>
const isMoney = (act: Act): act is OperationKind => /^(capture|refund|void)$/.test(act)
const isKey = (text = ''): boolean => /^[\w-]{16,64}$/.test(text)

const hidden = (fields: Fields): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The first step: says what will happen, and to how much money. Nothing is done. */
export const askFor =
  (act: Act) =>
  async (visit: SignedVisit, [id = '']: string[], fields: Fields): Promise<Response> => {
    const { words, person } = visit
    if (!isAllowed(person.role, act)) return notice(visit, 403, words.forbidden)
    const order = await readOrder(visit, id)
    if (order instanceof Response) return order
    const asked = (isMoney(act) && askedOf(visit, act, fields, order)) || { amount: 0, left: 0 }
    if (typeof asked === 'string') return wrongAmount(visit, id, asked)
    const { currency, version } = order
    const sum = sumOf(words, isMoney(act) ? asked.amount : Math.round((order.amount ?? 0) * 100), currency)
    const carried: Fields = isMoney(act)
      ? {
          amount: typed(words, asked.amount),
          key: isKey(fields.key) ? (fields.key ?? '') : crypto.randomUUID(),
          version,
          currency: currency ?? '',
        }
      : act === 'settle'
        ? { attempt: fields.attempt ?? '', executed: fields.executed ?? '' }
        : act === 'replay'
          ? { event: fields.event ?? '' }
          : act === 'resend'
            ? { operation: order.method ?? 'purchase' }
            : {}
    const text = words.acts[act]
    return page(visit, {
      title: text.title,
      body: html`<p>${words.order.title(shownId(order.order_id))}</p>
${act === 'settle' ? html`<p class="sum">${carried.executed === 'true' ? words.order.executed : words.order.notExecuted}</p>` : ''}
<p class="box wait">${text.says(sum, sumOf(words, asked.left, currency))}</p>
${form(visit, `${orderPath(id)}/${act}/confirm`, html`${hidden(carried)}<button>${text.go(sum)}</button>`)}
${wayBack(visit, id)}`,
    })
  }

/** Minor units that a form asks for, of what is left; or what is wrong with it. The gate counts the order's other attempts too. */
function askedOf(
  { words, person }: SignedVisit,
  act: OperationKind,
  fields: Fields,
  { version, currency }: Pick<ShownOrder, 'version' | 'currency'>,
): { amount: number; left: number } | undefined | string {
  const known = readVersion(version)
  if (!known) return undefined
  const left = known.left[act]
  const amount = act === 'void' ? left : readAmount(words, fields.amount ?? '')
  if (typeof amount === 'string') return amount
  if (amount > left || amount <= 0) return words.amounts.above(sumOf(words, left, currency))
  const limit = refundLimit(person.role)
  return limit !== undefined && known.refunded + amount > limit ? overLimit(words, limit, currency) : { amount, left }
}

const overLimit = (words: Words, limit: number, currency: string | null): string =>
  words.amounts.limit(sumOf(words, limit, currency))

const wayBack = (visit: SignedVisit, id: string): Html =>
  html`<p><a href="${at(visit, orderPath(id))}">${visit.words.back}</a></p>`

const wrongAmount = (visit: SignedVisit, id: string, problem: string): Promise<Response> =>
  page(visit, {
    status: 400,
    title: visit.words.order.amount,
    body: html`<p class="box bad" role="alert">${problem}</p>${wayBack(visit, id)}`,
  })

/** The second step: does it, once for each key, and leads to a page that a reload does not repeat. */
export const confirm =
  (act: Act) =>
  async (visit: SignedVisit, [id = '']: string[], fields: Fields): Promise<Response> => {
    const { words, person } = visit
    if (!isAllowed(person.role, act)) return notice(visit, 403, words.forbidden)
    const path = orderPath(id)
    if (isMoney(act)) {
      const { version = '' } = fields
      const currency = fields.currency || null
      const asked = askedOf(visit, act, fields, { version, currency })
      if (!asked || !isKey(fields.key)) return notice(visit, 400, words.oldForm)
      // The gate rejects a version that is not the order's: what is checked here holds there.
      if (typeof asked === 'string') return wrongAmount(visit, id, asked)
      const amount = asked.amount / 100
      const body = act === 'void' ? {} : act === 'refund' ? { refund_amount: amount } : { charge_amount: amount }
      const headers = { 'idempotency-key': `console-${fields.key}`, 'if-match': version }
      const reply = await call<{ operation_id?: string }>(visit, `POST /api${path}/${act}`, body, headers)
      if (!reply.ok && reply.problem.code === 'over_limit') {
        return wrongAmount(visit, id, overLimit(words, Number(reply.problem.limit), currency))
      }
      if (!reply.ok) return failedAct(visit, id, act, fields, reply.problem)
      const { operation_id } = reply.body
      return redirect(visit, operation_id ? `${path}/receipt/${encodeURIComponent(operation_id)}` : path)
    }
    const reply = await doOther(visit, path, act, fields)
    return reply.ok ? redirect(visit, path) : failedAct(visit, id, act, fields, reply.problem)
  }

function doOther(visit: SignedVisit, path: `/orders/${string}`, act: Exclude<Act, OperationKind>, fields: Fields) {
  switch (act) {
    case 'cancel':
      return call(visit, `POST /api${path}/cancel`)
    case 'resend':
      return call(visit, `POST /api${path}/resend`, { operation: fields.operation })
    case 'settle': {
      const executed = fields.executed === 'true' ? true : fields.executed === 'false' ? false : undefined
      return call(visit, `POST /api${path}/attempts/${encodeURIComponent(fields.attempt ?? '')}/settle`, { executed })
    }
    case 'replay':
      return call(visit, `POST /api/events/${encodeURIComponent(fields.event ?? '')}/replay`)
    case 'erase':
      return call(visit, `DELETE /api${path}/personal-data`)
  }
}
