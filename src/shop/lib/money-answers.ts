import { fromMinorUnits } from '../../helpers/amount.ts'
import type { MoneyAnswer, OperationKind } from '../../till/protocol.ts'
import type { Problem } from './problem.ts'

/** The response to a caller, to be given again under the same key. */
export interface RecordedResponse {
  status: number
  body: unknown
}

/** The answers without facts. */
const FIXED = {
  already_settled: { title: 'The outcome of this attempt is known already.' },
  key_reused: {
    status: 422,
    code: 'idempotency_key_reused',
    title: 'This Idempotency-Key belongs to another request.',
  },
  no_server_url: {
    title: 'It is not known where the webhooks of this operation should go.',
    detail: 'Set PUBLIC_ORIGIN, or send a server_url.',
  },
  not_paid: { title: 'No attempt at paying this order holds money.' },
  order_changed: { status: 412, title: 'The order has changed since this version; nothing was sent.' },
  order_rebuilt: {
    title: 'The state of this order was lost.',
    detail: 'Try again in a minute: the service is asked then for its earlier operations.',
  },
  unknown_operation: { status: 404, code: 'not_found', title: 'No such attempt.' },
  unknown_order: {
    ...{ status: 404, code: 'not_found', title: 'No such order.' },
    detail: 'If it was not made by this worker, send order_currency too.',
  },
} satisfies Readonly<Record<string, Words>>

/** 409 and the code of the answer by default. */
type Words = Partial<Problem> & Pick<Problem, 'title'>

/** The status and the words that `/api` has for an answer of `till/protocol.ts`. */
export function responseTo(answer: MoneyAnswer): RecordedResponse {
  if (answer.code === 'executed') {
    const { record } = answer
    const isDeclined = 'status' in record && record.status === 'failure'
    return isDeclined ? { status: 409, body: { ...DECLINED, record } } : { status: 200, body: record }
  }
  if (answer.code === 'recorded') return answer.response as RecordedResponse
  const body = { status: 409, code: answer.code, ...wordsOf(answer) }
  return { status: body.status, body }
}

const DECLINED = {
  ...{ status: 409, code: 'declined', title: 'The bank declined it: no money moved.' },
  detail: 'The record says why. To try again, send it with a new Idempotency-Key.',
}

const SETTLES = 'Its webhook settles it, or the next request once the service knows.'
const ASKS = 'Try again in a few minutes: the service is asked then.'
const settle = (id: string) => `POST …/attempts/${id}/settle with {"executed": true} or {"executed": false}.`

function wordsOf(answer: Exclude<MoneyAnswer, { code: 'executed' | 'recorded' }>): Words {
  switch (answer.code) {
    case 'not_executed': {
      const { kind } = answer
      const title = `The ${kind} was not executed.`
      return { code: `${kind}_not_executed`, title, detail: 'Send it again with a new Idempotency-Key.' }
    }
    case 'in_progress':
    case 'unsettled': {
      const { code, id, kind } = answer
      const [title = '', next] = {
        unsettled: [`It is not known whether an earlier ${kind} was executed.`, SETTLES],
        in_progress: [`Another ${kind} of this order is in progress, or its worker died.`, ASKS],
      }[code]
      const detail = `${next} If you know the outcome, settle it manually: ${settle(id)}`
      return { code: `${kind}_${code}`, title, detail, attempt_id: id }
    }
    case 'still_in_progress': {
      const title = 'Its call may still be in progress.'
      return { code: `${answer.kind}_in_progress`, title, detail: 'Try again in a minute.' }
    }
    case 'contradicted': {
      const { id, kind, record } = answer
      const title = `The ${kind} was settled by hand, and the service reports another outcome: check the order.`
      const detail = `Settle which outcome counts: ${settle(id)}`
      return { status: 502, code: 'outcome_unknown', title, detail, attempt_id: id, ...(record && { record }) }
    }
    case 'unexplained': {
      const { id, kind, operation_id } = answer
      const title = `The service shows a ${kind} that may be this one: the state of this order was lost.`
      const detail = `Nothing is sent under this key. Say whether it is this one: ${settle(id)}`
      return { code: 'outcome_unknown', title, detail, attempt_id: id, operation_id }
    }
    case 'pending': {
      const { kind, left } = answer
      const title = 'An earlier operation of this order is not final; nothing was sent.'
      const detail = `Try again when it is. Until then at most ${fromMinorUnits(left)} can be asked for, as an amount.`
      return { code: `${kind}_in_progress`, title, detail, left_minor: left }
    }
    case 'over_limit': {
      const { limit } = answer
      const title = `Nothing was sent: your role may refund ${fromMinorUnits(limit)} of one order, earlier refunds included. Name an amount.`
      return { status: 403, title, limit_minor: limit }
    }
    case 'paid_twice': {
      const attempts = answer.order_ids.map((id) => (/~\d+$/.test(id) ? id : `${id}~1`))
      const title = 'Several attempts at paying this order hold money.'
      return { title, detail: `Name the one that is meant: ${attempts.join(' or ')}.`, attempts }
    }
    default:
      return FIXED[answer.code]
  }
}

export const outcomeUnknown = (kind: OperationKind | 'cancel'): Problem => ({
  status: 502,
  code: 'outcome_unknown',
  title: 'It may have been executed.',
  detail:
    kind === 'cancel'
      ? 'Send it again: a cancelled payment stays cancelled.'
      : `Send it again with the same Idempotency-Key: that finds out, and makes no second ${kind}. Or POST …/resend {"operation":"${kind}"}.`,
})
