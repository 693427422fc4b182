import { html } from 'hono/html'
import { buttonTo, lineTo, page } from '../layout.ts'
import type { Act } from '../roles.ts'
import {
  at,
  type Failure,
  type Form,
  isOutage,
  type Outcome,
  orderPath,
  outcomeByCode,
  type SignedVisit,
} from '../visit.ts'
import { wordFor } from '../words/language.ts'
import { reasonOf } from './order.ts'

/** The known facts of an act that was not confirmed. Any other outcome is unknown: money may have moved. */
function outcomeOf(problem: Failure): Outcome {
  const { code, status, service } = problem
  const byCode = code === 'api' ? undefined : outcomeByCode(code)
  if (byCode) return byCode
  if (code === 'api' || service !== undefined) return status === 503 ? 'not_sent' : 'rejected'
  return isOutage(problem) ? 'outcome_unknown' : 'forbidden'
}

/** The page of an act that failed: known facts, open questions, and what to do. "Try again" sends the same key. */
export function failedAct(visit: SignedVisit, id: string, act: Act, fields: Form, problem: Failure): Promise<Response> {
  const { words } = visit
  // A failed replay: the shop's own code has failed again.
  const failed = problem.code === undefined && words.attention
  const outcome = failed ? 'rejected' : outcomeOf(problem)
  const { title, body } = failed
    ? { title: wordFor(failed.kinds, 'on_event_given_up'), body: failed.says.on_event_given_up }
    : words.problems[outcome]
  const mayRetry = outcome === 'outcome_unknown' || outcome === 'not_sent'
  type More = { attempts?: string[]; service?: { code?: string }; record?: { status_code?: string } }
  const { attempts, service, record } = problem as Failure & More
  const reason = reasonOf(words, service?.code ?? record?.status_code)
  const path = orderPath(id)
  const other = (one: string) => at(visit, orderPath(/~\d+$/.test(one) ? one : `${one}~1`))
  const payments = attempts?.map((one, i) => html`<li><a href="${other(one)}">${words.payment(i + 1)}</a></li>`)
  const details = html`<details><summary>${words.order.raw}</summary><p lang="en">${problem.detail}</p></details>`
  return page(visit, {
    status: problem.status,
    title,
    body: html`<div class="card">
<p class="box ${outcome === 'outcome_unknown' ? 'wait' : 'bad'}" role="alert">${body} ${reason}</p>
${outcome === 'paid_twice' && html`<ul>${payments}</ul>`}
${mayRetry && buttonTo(visit, `${path}/${act}/confirm`, words.retry, fields, 'main')}
${lineTo(visit, path, words.back)}
${outcome === 'rejected' && problem.detail && details}</div>`,
  })
}
