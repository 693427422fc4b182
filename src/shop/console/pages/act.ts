import { getCookie } from 'hono/cookie'
import { html } from 'hono/html'
import type { OperationKind } from '../../../till/protocol.ts'
import type { ShownOrder } from '../../engine/show.ts'
import { refundLimit } from '../../lib/people.ts'
import type { Html } from '../../pages/layout.ts'
import { form, leave, lineTo, notice, page, redirect } from '../layout.ts'
import { minorOf, readAmount, readVersion, sumOf, typed } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { alertOf, box, field, hidden } from '../parts.ts'
import { type RejectedForm, readRejectedForm, redirectToForm } from '../rejected-form.ts'
import type { Act } from '../roles.ts'
import { at, call, type Form, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { amountForm } from './actions.ts'
import { failedAct } from './failed-act.ts'
import { readOrder } from './order.ts'

export const ACTS: readonly Act[] = ['capture', 'refund', 'void', 'cancel', 'resend', 'settle', 'replay', 'erase']

const isMoney = (act: Act): act is OperationKind => /^(capture|refund|void)$/.test(act)
const isKey = (text: string | undefined = ''): text is string => /^[\w-]{16,64}$/.test(text)

/** The fields that a first step takes along. */
const CARRIED = ['amount', 'key', 'attempt', 'executed', 'event'] as const

/** Redirects a sent form to a page that can be loaded again, and that *Back* leads to. */
export function showConfirmation(visit: SignedVisit, id: string, fields: Form, act: Act): Response {
  const query = new URLSearchParams()
  for (const name of CARRIED) if (fields[name] !== undefined) query.set(name, fields[name])
  return redirect(visit, `${orderPath(id)}/${act}${query.size > 0 ? `?${query}` : ''}`)
}

/** The first step: shows the act and its sum. Nothing is done. */
export async function explain(visit: SignedVisit, id: string, _: Form, act: Act): Promise<Response> {
  const { words, c } = visit
  const order = await readOrder(visit, id)
  if (order instanceof Response) return order
  const fields = c.req.query()
  const done = isMoney(act) && doneWith(visit, fields.key)
  if (done) return wasDone(visit, order, id, done)
  const whole = minorOf(order.amount)
  const sums = (isMoney(act) && checkAmount(visit, act, fields, order)) || { amount: whole, left: whole }
  if (typeof sums === 'string') return wrongAmount(visit, id, act, sums, fields.amount)
  const { currency } = order
  const sum = sumOf(words, sums.amount, currency)
  const text = words.acts[act]
  const carried = carriedBy(visit, act, fields, { order, amount: sums.amount })
  const answer = carried.executed === 'true' ? words.order.executed : words.order.notExecuted
  // The reason goes into the record, for colleagues.
  const why = field({ name: 'reason', label: words.order.reason, more: html` maxlength="200" autocomplete="off"` })
  const button = html`<button class="main${/^(refund|erase)$/.test(act) ? ' danger' : ''}">${text.go(sum)}</button>`
  return page(visit, {
    title: text.title,
    body: html`<div class="card"><p class="quiet">${words.order.title(shownId(order.order_id))}</p>
${isMoney(act) ? html`<p class="sum">${sum}</p>` : act === 'settle' ? html`<p class="sum">${answer}</p>` : ''}
${box('wait', text.says(sum, sumOf(words, sums.left, currency)))}
${form(visit, `${orderPath(id)}/${act}/confirm`, html`${hidden(carried)}${act === 'refund' ? why : ''}${button}`)}
${wayBack(visit, id)}</div>`,
  })
}

function carriedBy(
  { words }: SignedVisit,
  act: Act,
  fields: Form,
  { order, amount }: { order: ShownOrder; amount: number },
): Parameters<typeof hidden>[0] {
  const { version, currency, method } = order
  const { attempt, executed, event } = fields
  const key = isKey(fields.key) ? fields.key : crypto.randomUUID()
  if (isMoney(act)) return { amount: typed(words, amount), key, version, currency }
  if (act === 'settle') return { attempt, executed }
  if (act === 'replay') return { event }
  return act === 'resend' ? { operation: method ?? 'purchase' } : {}
}

/** The form's minor units, within the rest; or the mistake. The till counts the order's other attempts too. */
function checkAmount(
  { words, person }: SignedVisit,
  act: OperationKind,
  { amount: text = '' }: Form,
  { version, currency, totals }: Pick<ShownOrder, 'version' | 'currency'> & Partial<ShownOrder>,
): { amount: number; left: number } | undefined | string {
  const parsed = readVersion(version, totals?.captured_minor)
  if (!parsed) return undefined
  const left = parsed.left[act]
  const amount = act === 'void' ? left : readAmount(words, text, currency)
  if (typeof amount === 'string') return `${amount} ${words.amounts.unsent}`
  if (amount > left || amount <= 0) return words.amounts.above(sumOf(words, left, currency))
  const limit = refundLimit(person.role)
  return limit !== undefined && parsed.refunded + amount > limit
    ? words.amounts.limit(sumOf(words, limit, currency))
    : { amount, left }
}

const wayBack = (visit: SignedVisit, id: string): Html => lineTo(visit, orderPath(id), visit.words.back)

/** The form again, with the typed values and the mistakes. */
async function wrongAmount(visit: SignedVisit, id: string, act: Act, problem: string, value = ''): Promise<Response> {
  const shown = await readOrder(visit, id)
  if (shown instanceof Response) return shown
  const form =
    act === 'capture' || act === 'refund'
      ? amountForm(visit, id, act, shown, { isMain: true, value, problem })
      : alertOf(problem)
  return page(visit, {
    status: 400,
    isWrong: true,
    title: visit.words.acts[act].button,
    body: html`<div class="card"><p class="quiet">${visit.words.order.title(shownId(shown.order_id))}</p>
${form}${wayBack(visit, id)}</div>`,
  })
}

/** The second step: does it, once for each key, and leads to a page that a reload does not repeat. */
export async function confirm(
  visit: SignedVisit,
  id: string,
  { csrf: _, ...fields }: Form,
  act: Act,
): Promise<Response> {
  const { words } = visit
  const path = orderPath(id)
  if (!isMoney(act)) {
    const reply = await doOther(visit, id, act, fields)
    if (!reply.ok) return notDone(visit, id, act, { fields, problem: reply.problem })
    const isGoingOn = 'events_left' in reply.body && reply.body.events_left !== 0
    return redirect(visit, path, isGoingOn ? 'erasing' : act)
  }
  const { version = '', currency = '', reason = '' } = fields
  const checked = checkAmount(visit, act, fields, { version, currency })
  if (!checked || !isKey(fields.key)) return notice(visit, 400, words.oldForm)
  // The amount was checked against the form's `version`, and the API rejects an outdated one.
  if (typeof checked === 'string') return notDone(visit, id, act, { fields })
  const amount = checked.amount / 100
  const body = act === 'void' ? {} : act === 'refund' ? { refund_amount: amount } : { charge_amount: amount }
  const headers = { 'idempotency-key': `console-${fields.key}`, 'if-match': version }
  const order = { order_id: id }
  const reply = await call(visit, `POST /api/orders/:order_id/${act}`, { path: order, body, headers })
  if (!reply.ok) return notDone(visit, id, act, { fields, problem: reply.problem })
  const { operation_id } = reply.body
  const why = reason.trim()
  const text = why && words.order.because(sumOf(words, checked.amount, currency), why)
  const note = text && (await call(visit, 'POST /api/orders/:order_id/notes', { path: order, body: { text } }))
  if (operation_id) leave(visit, DONE_COOKIE, `${fields.key}/${operation_id}`, 3_600)
  const receipt = operation_id ? receiptPath(id, operation_id) : path
  return redirect(visit, receipt, note && !note.ok ? 'reasonLost' : undefined)
}

const receiptPath = (id: string, operation: string): `/${string}` =>
  `${orderPath(id)}/receipt/${encodeURIComponent(operation)}`

/** The operation that this browser made last, with the key of its form. */
const DONE_COOKIE = 'edgetill_done'

/** The operation that a form with this key has made. */
function doneWith({ c }: SignedVisit, key: string | undefined): string | undefined {
  const [used, operation] = (getCookie(c, DONE_COOKIE) ?? '').split('/')
  return isKey(key) && key === used ? operation : undefined
}

/** In place of the first step of a form that was sent: *Back* leads here. */
function wasDone(visit: SignedVisit, order: ShownOrder, id: string, operation_id: string): Promise<Response> {
  const { words, c } = visit
  const operation = order.operations.find((one) => one.id === operation_id)
  const time = timeOf(words, operation?.received_at, c.env.SHOP_TZ)
  return page(visit, {
    title: words.receipt.wasDone,
    body: html`<div class="card"><p class="quiet">${words.order.title(shownId(order.order_id))} ${time}</p>
<a class="main go" href="${at(visit, receiptPath(id, operation_id))}">${words.receipt.show}</a>
${wayBack(visit, id)}</div>`,
  })
}

const notDone = async (visit: SignedVisit, id: string, act: Act, rejected: RejectedForm): Promise<Response> =>
  (await redirectToForm(visit, `${orderPath(id)}/${act}/confirm`, rejected)) ?? showNotDone(visit, id, act, rejected)

/** The page after a second step that was not done. Without such a step it redirects to the order. */
export async function outcome(visit: SignedVisit, id: string, _: Form, act: Act): Promise<Response> {
  const rejected = await readRejectedForm(visit)
  return rejected ? showNotDone(visit, id, act, rejected) : redirect(visit, orderPath(id))
}

function showNotDone(visit: SignedVisit, id: string, act: Act, { fields, problem }: RejectedForm): Promise<Response> {
  if (problem && problem.code !== 'over_limit') return failedAct(visit, id, act, fields, problem)
  const { words } = visit
  const { version = '', currency = '', amount: written } = fields
  const mistake = problem
    ? words.amounts.limit(sumOf(words, Number(problem.limit_minor), currency))
    : isMoney(act) && checkAmount(visit, act, fields, { version, currency })
  return wrongAmount(visit, id, act, typeof mistake === 'string' ? mistake : '', written)
}

function doOther(visit: SignedVisit, order_id: string, act: Exclude<Act, OperationKind>, fields: Form) {
  const path = { order_id }
  const { operation = '', event: id = '', attempt, executed } = fields
  switch (act) {
    case 'cancel':
      return call(visit, 'POST /api/orders/:order_id/cancel', { path })
    case 'resend':
      return call(visit, 'POST /api/orders/:order_id/resend', { path, body: { operation } })
    case 'settle':
      return settle(visit, order_id, attempt, executed === 'true' || (executed === 'false' ? false : undefined))
    case 'replay':
      return call(visit, 'POST /api/events/:id/replay', { path: { id } })
    case 'erase':
      return call(visit, 'DELETE /api/orders/:order_id/personal-data', { path })
  }
}

// The route rejects a form without `executed`.
const settle = (visit: SignedVisit, order_id: string, attempt_id = '', executed?: boolean | 'unknown') =>
  call(visit, 'POST /api/orders/:order_id/attempts/:attempt_id/settle', {
    path: { order_id, attempt_id },
    body: { executed: executed as boolean | 'unknown' },
  })

/** `/orders/:order_id/find`: the service is asked how an operation ended; no money moves. */
export async function findOut(visit: SignedVisit, id: string, { attempt = '' }: Form): Promise<Response> {
  const reply = await settle(visit, id, attempt, 'unknown')
  if (!reply.ok && reply.status !== 409 && reply.status !== 422) {
    return notDone(visit, id, 'resend', { fields: { operation: 'refund' }, problem: reply.problem })
  }
  return redirect(visit, orderPath(id), reply.ok && reply.body.outcome.state !== 'unknown' ? 'found' : 'open')
}
