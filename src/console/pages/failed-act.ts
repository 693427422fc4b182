import { html } from 'hono/html'
import { form, page } from '../layout.ts'
import { hidden } from '../parts.ts'
import type { Act } from '../roles.ts'
import { at, type Failure, isOutage, orderPath, type Said, type SignedVisit, saidByCode } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import { reasonOf } from './order.ts'

/** The known facts of an act that was not confirmed. Whatever is not named is unknown: money may have moved. */
function saidOf(problem: Failure): Said {
  const { code, status, service } = problem
  const known = code === 'api' ? undefined : saidByCode(code)
  if (known) return known
  if (code === 'api' || service !== undefined) return status === 503 ? 'not_sent' : 'rejected'
  return isOutage(problem) ? 'outcome_unknown' : 'forbidden'
}

/** The page of an act that failed: what is known, what is not, and what to do. "Try again" sends the same key. */
export function failedAct(
  visit: SignedVisit,
  id: string,
  act: Act,
  fields: Record<string, string>,
  problem: Failure,
): Promise<Response> {
  const { words } = visit
  // Of a replay: the shop's program failed again.
  const failed = problem.code === undefined && words.attention
  const said = failed ? 'rejected' : saidOf(problem)
  const { title, body } = failed
    ? { title: wordFor(failed.kinds, 'on_event_given_up'), body: failed.says.on_event_given_up }
    : words.problems[said]
  const mayRetry = said === 'outcome_unknown' || said === 'not_sent'
  const { attempts, service } = problem as Failure & { attempts?: string[]; service?: { code?: string } }
  const path = orderPath(id)
  const other = (one: string) => at(visit, orderPath(/~\d+$/.test(one) ? one : `${one}~1`))
  const reason = reasonOf(words, service?.code)
  return page(visit, {
    status: problem.status,
    title,
    body: html`<div class="card">
<p class="box ${said === 'outcome_unknown' ? 'wait' : 'bad'}" role="alert">${body} ${reason}</p>
${
  said === 'paid_twice'
    ? html`<ul>${attempts?.map((one, i) => html`<li><a href="${other(one)}">${words.payment(i + 1)}</a></li>`)}</ul>`
    : ''
}
${
  mayRetry
    ? form(visit, `${path}/${act}/confirm`, html`${hidden(fields)}<button class="main">${words.retry}</button>`)
    : ''
}
<p><a href="${at(visit, path)}">${words.back}</a></p>
${
  said === 'rejected' && problem.detail
    ? html`<details><summary>${words.order.raw}</summary><p lang="en">${problem.detail}</p></details>`
    : ''
}</div>`,
  })
}
