import type { OperationKind } from '../../money/protocol.ts'
import { listAccounts } from '../../operations/list-accounts.ts'
import { type ResendWebhookInput, resendWebhook } from '../../operations/resend-webhook.ts'
import { eventOf } from '../../outcome/look-up.ts'
import { recordOf } from '../../schemas/read.ts'
import { GateError } from '../call-gate.ts'
import { clientConfig } from '../env.ts'
import { jsonBody } from '../lib/json-body.ts'
import { describeError, logError } from '../lib/log.ts'
import type { RecordedResponse } from '../lib/money-answers.ts'
import { type Problem, ProblemError, problemResponse } from '../lib/problem.ts'
import { act, storeWebhook } from '../order/actions.ts'
import { erasePersonalData } from '../order/erase.ts'
import { moveMoney, outcomeUnknown, settleByHand } from '../order/move-money.ts'
import { cancelOrder } from '../order/open-checkout.ts'
import { attentionDone } from '../order/publish.ts'
import { addNote } from '../order/record.ts'
import { packEvent } from '../order/store-event.ts'
import { actorOf, type C, type Handler } from '../scope.ts'
import { withoutToken } from './orders.ts'

/** `POST /api/orders/:order_id/capture`, `/refund` and `/void`, with an `Idempotency-Key` and the call's fields as JSON. */
export const postOperation =
  (kind: OperationKind): Handler =>
  async (c, scope) => {
    const idempotencyKey = c.req.header('idempotency-key') ?? ''
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw new ProblemError(
        400,
        'idempotency_key_missing',
        `A ${kind} needs an Idempotency-Key header of 1 to 255 visible characters.`,
        `Generate a new key for each ${kind} and reuse it when you retry that ${kind}.`,
      )
    }
    const fields = await fieldsFor(c)
    // Outcomes are looked up under this worker's POS; one under another POS could never be found.
    if (fields.pos_id !== undefined && String(fields.pos_id).toLowerCase() !== c.env.POS_ID.toLowerCase()) {
      throw new ProblemError(400, 'invalid_input', 'pos_id must be left out: it is the worker’s POS_ID.')
    }
    const order_id = orderIn(c)
    const request = { kind, idempotencyKey, fields, version: c.req.header('if-match'), limit: actorOf(c)?.limit }
    return respond(await act(scope, order_id, moveMoney, request).catch(unlessLost(kind, order_id)))
  }

/** A request that reached the gate may have been done, whatever became of the response. */
function unlessLost(kind: OperationKind | 'cancel', order_id: string): (error: unknown) => RecordedResponse {
  return (error) => {
    if (!(error instanceof GateError)) throw error
    logError('outcome_unknown', { operation: kind, order_id, ...describeError(error) })
    const body = outcomeUnknown(kind)
    return { status: body.status, body }
  }
}

/** `POST /api/orders/:order_id/attempts/:attempt_id/settle`, with `{ "executed": true | false | "unknown" }`. */
export const settleAttempt: Handler = async (c, scope) => {
  const { executed } = await jsonBody(c.req.raw)
  if (typeof executed !== 'boolean' && executed !== 'unknown') {
    throw new ProblemError(
      400,
      'invalid_input',
      'executed must be true, false, or "unknown": then the service is asked.',
      'Look the operation up in the portal.',
    )
  }
  const attempt_id = c.req.param('attempt_id') ?? ''
  const { status, body } = await act(scope, orderIn(c), settleByHand, { attempt_id, executed })
  // "Not executed" is what the person said; any other rejection is the response.
  const isSettled = status === 200 || (executed === false && (body as Problem).code.endsWith('_not_executed'))
  if (!isSettled) return problemResponse(body as Problem)
  return Response.json({ attempt_id, executed, outcome: body })
}

/** `POST /api/orders/:order_id/cancel` */
export const postCancel: Handler = async (c, scope) => {
  const order_id = orderIn(c)
  const cancelled = act(scope, order_id, cancelOrder).then((body) => ({ status: 200, body: withoutToken(body) }))
  return respond(await cancelled.catch(unlessLost('cancel', order_id)))
}

/** `POST /api/orders/:order_id/resend`, with `{ "operation": "purchase" }`; what it returns is stored like the webhook. */
export const resendOrder: Handler = async (c, scope) => {
  const fields = await fieldsFor(c)
  // `mugs~1` is a name of ours: the service knows `mugs`.
  const input = { ...fields, order_id: orderIn(c).replace(/~1$/, '') } as ResendWebhookInput
  const event = await resendWebhook(clientConfig(c.env, scope.fetch), input)
  const [own] = eventOf(input.order_id, event)
  const packed = own && packEvent(own, c.env)
  if (packed) await act(scope, packed, storeWebhook)
  return Response.json(withoutToken(recordOf(event)))
}

/** `DELETE /api/orders/:order_id/personal-data` */
export const deletePersonalData: Handler = async (c, scope) => {
  const erased = await act(scope, orderIn(c), erasePersonalData)
  // 202: the rest is removed within minutes.
  return Response.json(erased, { status: erased.events_left > 0 ? 202 : 200 })
}

const NOTE_LENGTH = 1_000

/** `POST /api/orders/:order_id/notes`, with `{ "text": … }` */
export const postNote: Handler = async (c, scope) => {
  const { text } = await jsonBody(c.req.raw)
  if (typeof text !== 'string' || text.trim() === '' || text.length > NOTE_LENGTH) {
    throw new ProblemError(400, 'invalid_input', `text must be 1 to ${NOTE_LENGTH} characters.`)
  }
  await act(scope, orderIn(c), addNote, text.trim())
  return Response.json({}, { status: 201 })
}

/** `POST /api/orders/:order_id/attention/done`, with `{ "kind": …, "flag": … }` */
export const finishAttention: Handler = async (c, scope) => {
  const { kind, flag } = await jsonBody(c.req.raw)
  if (typeof kind !== 'string' || (flag != null && typeof flag !== 'string')) {
    throw new ProblemError(400, 'invalid_input', 'kind and flag must be those of an item of GET /api/attention.')
  }
  await act(scope, orderIn(c), attentionDone, { kind, flag: flag ?? undefined })
  return Response.json({ order_id: orderIn(c), done: true })
}

/** `GET /api/balances` */
export const balances: Handler = async (c, scope) => {
  return Response.json({ accounts: await listAccounts(clientConfig(c.env, scope.fetch)) })
}

/** The body's fields: an `order_id` among them must be the path's. */
async function fieldsFor(c: C): Promise<Record<string, unknown>> {
  const fields = await jsonBody(c.req.raw)
  if (fields.order_id === undefined || fields.order_id === orderIn(c)) return fields
  throw new ProblemError(400, 'invalid_input', 'order_id must be left out: the order is the one in the address.')
}

const orderIn = (c: C): string => c.req.param('order_id') ?? ''

/** An unknown outcome is logged where it comes about; other failures are logged like those of any route. */
function respond({ status, body }: RecordedResponse): Response {
  if (status === 200) return Response.json(body)
  const problem = body as Problem
  if (status >= 500 && problem.code !== 'outcome_unknown') throw ProblemError.of(problem)
  return problemResponse(problem)
}
