import { html } from 'hono/html'
import type { OperationKind } from '../../money/protocol.ts'
import { refundLimit } from '../../shop/lib/people.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'
import type { Html } from '../../shop/pages/layout.ts'
import { type Kept, keep, keptHere } from '../kept.ts'
import { form, notice, page, redirect } from '../layout.ts'
import { minorOf, readAmount, readVersion, sumOf, typed } from '../lib/amount.ts'
import { box, field, hidden } from '../parts.ts'
import { type Act, isAllowed } from '../roles.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'
import type { Words } from '../words/en.ts'
import { amountForm } from './actions.ts'
import { failedAct } from './failed-act.ts'
import { readOrder } from './order.ts'

export const ACTS: readonly Act[] = ['capture', 'refund', 'void', 'cancel', 'resend', 'settle', 'replay', 'erase']

type Fields = Record<string, string>
const isMoney = (act: Act): act is OperationKind => /^(capture|refund|void)$/.test(act)
const isKey = (text: string | undefined = ''): text is string => /^[\w-]{16,64}$/.test(text)

/** The fields that a first step takes along. */
const CARRIED = ['amount', 'key', 'attempt', 'executed', 'event'] as const

/** A form was sent: its answer is a page that can be loaded again, and that *Back* leads to. */
export const askFor =
  (act: Act) =>
  (visit: SignedVisit, id: string, fields: Fields): Promise<Response> | Response => {
    if (!isAllowed(visit, act)) return notice(visit, 403, visit.words.forbidden)
    const query = new URLSearchParams()
    for (const name of CARRIED) if (fields[name] !== undefined) query.set(name, fields[name])
    return redirect(visit, `${orderPath(id)}/${act}${query.size > 0 ? `?${query}` : ''}`)
  }

/** The first step: says what will happen, and to how much money. Nothing is done. */
export const explain =
  (act: Act) =>
  async (visit: SignedVisit, id: string): Promise<Response> => {
    const { words, c } = visit
    if (!isAllowed(visit, act)) return notice(visit, 403, words.forbidden)
    const order = await readOrder(visit, id)
    if (order instanceof Response) return order
    const fields = c.req.query()
    const whole = minorOf(order.amount)
    const asked = (isMoney(act) && askedOf(visit, act, fields, order)) || { amount: whole, left: whole }
    if (typeof asked === 'string') return wrongAmount(visit, id, act, { problem: asked, written: fields.amount })
    const { currency } = order
    const sum = sumOf(words, asked.amount, currency)
    const text = words.acts[act]
    const carried = carriedBy(visit, act, fields, { order, amount: asked.amount })
    const said = carried.executed === 'true' ? words.order.executed : words.order.notExecuted
    // Into the record, where a colleague reads it.
    const why = field({ name: 'reason', label: words.order.reason, more: html` maxlength="200" autocomplete="off"` })
    const button = html`<button class="main${/^(refund|erase)$/.test(act) ? ' danger' : ''}">${text.go(sum)}</button>`
    return page(visit, {
      title: text.title,
      body: html`<div class="card"><p class="quiet">${words.order.title(shownId(order.order_id))}</p>
${isMoney(act) ? html`<p class="sum">${sum}</p>` : act === 'settle' ? html`<p class="sum">${said}</p>` : ''}
${box('wait', text.says(sum, sumOf(words, asked.left, currency)))}
${form(visit, `${orderPath(id)}/${act}/confirm`, html`${hidden(carried)}${act === 'refund' ? why : ''}${button}`)}
${wayBack(visit, id)}</div>`,
    })
  }

function carriedBy(
  { words }: SignedVisit,
  act: Act,
  fields: Fields,
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

/**
 * Minor units that a form asks for, of what is left; or what is wrong with it. The gate counts the order's other
 * attempts too.
 */
function askedOf(
  { words, person }: SignedVisit,
  act: OperationKind,
  { amount: text = '' }: Fields,
  { version, currency, totals }: Pick<ShownOrder, 'version' | 'currency'> & Partial<ShownOrder>,
): { amount: number; left: number } | undefined | string {
  const known = readVersion(version, totals?.captured)
  if (!known) return undefined
  const left = known.left[act]
  const amount = act === 'void' ? left : readAmount(words, text, currency)
  if (typeof amount === 'string') return amount
  if (amount > left || amount <= 0) return words.amounts.above(sumOf(words, left, currency))
  const limit = refundLimit(person.role)
  return limit !== undefined && known.refunded + amount > limit ? overLimit(words, limit, currency) : { amount, left }
}

const overLimit = (words: Words, limit: number, currency: string | null): string =>
  words.amounts.limit(sumOf(words, limit, currency))

const wayBack = (visit: SignedVisit, id: string): Html =>
  html`<p><a href="${at(visit, orderPath(id))}">${visit.words.back}</a></p>`

/** The form again, with what was typed and what is wrong with it. */
async function wrongAmount(
  visit: SignedVisit,
  id: string,
  act: Act,
  { problem, written = '' }: { problem: string; written?: string | undefined },
): Promise<Response> {
  const shown = await readOrder(visit, id)
  if (shown instanceof Response) return shown
  const again = act === 'capture' || act === 'refund'
  return page(visit, {
    status: 400,
    isWrong: true,
    title: visit.words.acts[act].button,
    body: html`<div class="card"><p class="quiet">${visit.words.order.title(shownId(shown.order_id))}</p>
${
  again
    ? amountForm(visit, id, act, shown, { isMain: true, value: written, problem })
    : html`<p class="bad" role="alert">${problem}</p>`
}${wayBack(visit, id)}</div>`,
  })
}

/** The second step: does it, once for each key, and leads to a page that a reload does not repeat. */
export const confirm =
  (act: Act) =>
  async (visit: SignedVisit, id: string, { csrf: _, ...fields }: Fields): Promise<Response> => {
    const { words } = visit
    if (!isAllowed(visit, act)) return notice(visit, 403, words.forbidden)
    const path = orderPath(id)
    if (!isMoney(act)) {
      const reply = await doOther(visit, id, act, fields)
      if (!reply.ok) return notDone(visit, id, act, { fields, problem: reply.problem })
      const isGoingOn = 'events_left' in reply.body && reply.body.events_left !== 0
      return redirect(visit, path, isGoingOn ? 'erasing' : SAID[act])
    }
    const { version = '', currency = '', reason = '' } = fields
    const asked = askedOf(visit, act, fields, { version, currency })
    if (!asked || !isKey(fields.key)) return notice(visit, 400, words.oldForm)
    // The gate rejects a version that is not the order's: what is checked here holds there.
    if (typeof asked === 'string') return notDone(visit, id, act, { fields })
    const amount = asked.amount / 100
    const body = act === 'void' ? {} : act === 'refund' ? { refund_amount: amount } : { charge_amount: amount }
    const headers = { 'idempotency-key': `console-${fields.key}`, 'if-match': version }
    const order = { order_id: id }
    const reply = await call(visit, `POST /api/orders/:order_id/${act}`, { path: order, body, headers })
    if (!reply.ok) return notDone(visit, id, act, { fields, problem: reply.problem })
    const { operation_id } = reply.body
    const why = reason.trim()
    const text = why && words.order.because(sumOf(words, asked.amount, currency), why)
    const note = text && (await call(visit, 'POST /api/orders/:order_id/notes', { path: order, body: { text } }))
    const receipt = operation_id ? `${path}/receipt/${encodeURIComponent(operation_id)}` : path
    return redirect(visit, receipt, note && !note.ok ? 'reasonLost' : undefined)
  }

const notDone = async (visit: SignedVisit, id: string, act: Act, kept: Kept): Promise<Response> =>
  (await keep(visit, `${orderPath(id)}/${act}/confirm`, kept)) ?? showNotDone(visit, id, act, kept)

/** The page after a second step that was not done; opened otherwise, the order says how it stands. */
export const outcome =
  (act: Act) =>
  async (visit: SignedVisit, id: string): Promise<Response> => {
    const kept = await keptHere(visit)
    return kept ? showNotDone(visit, id, act, kept) : redirect(visit, orderPath(id))
  }

function showNotDone(visit: SignedVisit, id: string, act: Act, { fields, problem }: Kept): Promise<Response> {
  if (problem && problem.code !== 'over_limit') return failedAct(visit, id, act, fields, problem)
  const { version = '', currency = '', amount: written } = fields
  const said = problem
    ? overLimit(visit.words, Number(problem.limit_minor), currency)
    : isMoney(act) && askedOf(visit, act, fields, { version, currency })
  return wrongAmount(visit, id, act, { problem: typeof said === 'string' ? said : '', written })
}

/** The message of the order's page after an act that moves no money. */
const SAID: Partial<Record<Act, string>> = {
  cancel: 'cancelled',
  resend: 'asked',
  settle: 'settled',
  replay: 'replayed',
  erase: 'erased',
}

function doOther(visit: SignedVisit, order_id: string, act: Exclude<Act, OperationKind>, fields: Fields) {
  const path = { order_id }
  const { operation = '', event: id = '' } = fields
  switch (act) {
    case 'cancel':
      return call(visit, 'POST /api/orders/:order_id/cancel', { path })
    case 'resend':
      return call(visit, 'POST /api/orders/:order_id/resend', { path, body: { operation } })
    case 'settle': {
      const executed = fields.executed === 'true' ? true : fields.executed === 'false' ? false : undefined
      return settle(visit, order_id, fields.attempt, executed)
    }
    case 'replay':
      return call(visit, 'POST /api/events/:id/replay', { path: { id } })
    case 'erase':
      return call(visit, 'DELETE /api/orders/:order_id/personal-data', { path })
  }
}

const settle = (visit: SignedVisit, order_id: string, attempt_id = '', executed?: boolean | 'unknown') =>
  call(visit, 'POST /api/orders/:order_id/attempts/:attempt_id/settle', {
    path: { order_id, attempt_id },
    // The route rejects a form that did not say it.
    body: { executed: executed as boolean | 'unknown' },
  })

/** `/orders/:order_id/find`: the service is asked how an operation ended; no money moves. */
export async function findOut(visit: SignedVisit, id: string, { attempt = '' }: Fields): Promise<Response> {
  if (!isAllowed(visit, 'settle')) return notice(visit, 403, visit.words.forbidden)
  const path = orderPath(id)
  const reply = await settle(visit, id, attempt, 'unknown')
  if (!reply.ok && reply.status !== 409 && reply.status !== 422) {
    return notDone(visit, id, 'resend', { fields: { operation: 'refund' }, problem: reply.problem })
  }
  return redirect(visit, path, reply.ok && reply.body.outcome.state !== 'unknown' ? 'found' : 'open')
}
