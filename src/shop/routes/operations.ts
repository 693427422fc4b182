import * as v from 'valibot'
import { isOutcomeUnknownError } from '../../errors.ts'
import { hundredths } from '../../lib/decimal.ts'
import { COMMENT_LENGTH } from '../../lib/limits.ts'
import { listAccounts } from '../../operations/list-accounts.ts'
import { type ResendWebhookInput, resendWebhook } from '../../operations/resend-webhook.ts'
import { eventOf } from '../../orders/own-event.ts'
import { option } from '../../schemas/fields.ts'
import {
  currency,
  nonEmptyText,
  oneOf,
  orderId,
  partialAmount,
  pathSegment,
  products,
  textThat,
  textUpTo,
  url,
} from '../../schemas/input.ts'
import { recordOf } from '../../schemas/read.ts'
import { flag, text } from '../../schemas/values.ts'
import type { OperationKind } from '../../till/protocol.ts'
import { readNamed } from '../../till/store.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { attentionDone } from '../engine/attention.ts'
import { erasePersonalData } from '../engine/erase.ts'
import { moveMoney, settleByHand } from '../engine/move-money.ts'
import { cancelOrder } from '../engine/open-checkout.ts'
import { receiveEvent } from '../engine/receive.ts'
import { act, addNote } from '../engine/record.ts'
import { clientConfig } from '../env.ts'
import { describeError, logError } from '../lib/log.ts'
import { outcomeUnknown, type RecordedResponse } from '../lib/money-answers.ts'
import { refundLimit } from '../lib/people.ts'
import { type Problem, ProblemError, problemResponse } from '../lib/problem.ts'
import type { C, Scope } from '../scope.ts'
import type { Call } from './calls.ts'
import { withoutToken } from './orders.ts'
import { type ActorScope, type Routes, route } from './route.ts'

const orderIn = ({ req }: C): string => req.param('order_id') as string

/** The fields that a capture, a refund and a void share. The worker fills in the order and its POS. */
const MONEY = {
  order_currency: v.optional(currency),
  comment: v.optional(textUpTo(COMMENT_LENGTH)),
  server_url: v.optional(url),
}
const CAPTURE = {
  ...MONEY,
  charge_amount: partialAmount('capture'),
  products: v.optional(products),
  f_receipt_delivery: v.optional(oneOf(['email', 'sms', 'viber', 'none'])),
}

/** A money call, with an `Idempotency-Key`. */
async function operate(
  c: C,
  scope: ActorScope,
  kind: OperationKind,
  fields: Record<string, unknown>,
): Promise<Response> {
  const idempotencyKey = c.req.header('idempotency-key') ?? ''
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new ProblemError(
      400,
      'idempotency_key_missing',
      `A ${kind} needs an Idempotency-Key header of 1 to 255 visible characters.`,
      `Generate a new key for each ${kind} and reuse it when you retry that ${kind}.`,
    )
  }
  const order_id = orderIn(c)
  const request = {
    kind,
    idempotencyKey,
    fields,
    version: c.req.header('if-match'),
    limit: refundLimit(scope.role),
  }
  // An Idempotency-Key has one entry in the record.
  const entry = { action: kind, key: idempotencyKey }
  const moved = await act(scope, order_id, entry, () => moveMoney(scope, order_id, request), endOf(fields))
  return respond(moved)
}

/** How a money call ended, for the record. */
const endOf =
  (fields: Readonly<Record<string, unknown>>) =>
  ({ status, body }: RecordedResponse): { result: string; amount?: number } => {
    const { code, record = body } = body as Partial<Problem>
    const { amount = fields.charge_amount ?? fields.refund_amount } = record as Partial<Problem>
    const result = status === 200 ? 'done' : code === 'declined' ? 'rejected' : String(code)
    return typeof amount === 'number' ? { result, amount: hundredths(amount) } : { result }
  }

/** The till logs an unknown outcome; other failures are logged like those of any route. */
function respond({ status, body }: RecordedResponse): Response {
  if (status === 200) return Response.json(body)
  const { code, title, ...members } = body as Problem
  if (code !== 'outcome_unknown') throw new ProblemError(status, code, title, undefined, members)
  return problemResponse(body as Problem)
}

/** Has a webhook sent again, and stores the response as its event, if it belongs to the order. */
export async function resend(
  scope: Scope,
  input: ResendWebhookInput,
): Promise<{ event: WebhookEvent; isStored: boolean }> {
  const event = await resendWebhook(clientConfig(scope.env, scope.fetch), input)
  const [own] = eventOf(input.order_id, event)
  if (own) await receiveEvent(scope, own)
  return { event, isStored: own !== undefined }
}

const NOTE_LENGTH = 1_000

const UNREACHED = ['connection', 'api']
const IN_PROGRESS = ['capture_in_progress', 'refund_in_progress', 'void_in_progress']
const moneyErrors = (kind: OperationKind): string[] => [
  ...['idempotency_key_missing', 'idempotency_key_reused', 'not_found', 'no_server_url', 'not_paid', 'paid_twice'],
  ...['order_changed', 'order_rebuilt', ...IN_PROGRESS, 'capture_unsettled', 'refund_unsettled', 'void_unsettled'],
  ...[`${kind}_not_executed`, ...UNREACHED, 'outcome_unknown', 'declined'],
]

type OperationRoutes = 'GET /api/balances' | Extract<Call, `${'POST' | 'DELETE'} /api/orders/${string}`>

export const OPERATION_ROUTES: Routes<OperationRoutes> = {
  'POST /api/orders/:order_id/capture': route({
    id: 'captureOrder',
    errors: moneyErrors('capture'),
    may: 'all',
    needs: 'operations',
    body: CAPTURE,
    run: (c, scope, { body }) => operate(c, scope, 'capture', body),
  }),
  'POST /api/orders/:order_id/refund': route({
    id: 'refundOrder',
    errors: [...moneyErrors('refund'), 'over_limit'],
    may: 'refund',
    needs: 'operations',
    body: { ...MONEY, refund_amount: partialAmount('refund') },
    run: (c, scope, { body }) => operate(c, scope, 'refund', body),
  }),
  'POST /api/orders/:order_id/void': route({
    id: 'voidOrder',
    errors: moneyErrors('void'),
    may: 'all',
    needs: 'operations',
    body: MONEY,
    run: (c, scope, { body }) => operate(c, scope, 'void', body),
  }),
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': route({
    id: 'settleAttempt',
    errors: ['not_found', 'already_settled', ...IN_PROGRESS],
    may: 'all',
    needs: 'operations',
    body: { executed: v.lazy((value) => (typeof value === 'boolean' ? flag : oneOf(['unknown']))) },
    async run(c, scope, { body: { executed } }) {
      const attempt_id = c.req.param('attempt_id') as string
      const order_id = orderIn(c)
      const entry = executed === 'unknown' ? { action: 'resend' } : { action: 'settle', text: String(executed) }
      const settle = () => settleByHand(scope, order_id, { attempt_id, executed })
      const { status, body } = await act(scope, order_id, entry, settle)
      // "Not executed" repeats the person's choice; any other rejection is the response.
      const isSettled = status === 200 || (executed === false && (body as Problem).code.endsWith('_not_executed'))
      if (!isSettled) return problemResponse(body as Problem)
      return { attempt_id, executed, outcome: body as Record<string, unknown> }
    },
  }),
  'POST /api/orders/:order_id/cancel': route({
    id: 'cancelOrder',
    errors: ['invalid_input', ...UNREACHED, 'outcome_unknown'],
    may: 'sell',
    needs: 'operations',
    run(c, scope) {
      const order_id = orderIn(c)
      return act(scope, order_id, { action: 'cancel' }, () => cancelOrder(scope, order_id)).then(
        (body) => Response.json(withoutToken(body)),
        (error) => {
          if (!isOutcomeUnknownError(error)) throw error
          logError('outcome_unknown', { operation: 'cancel', order_id, ...describeError(error) })
          return problemResponse(outcomeUnknown('cancel'))
        },
      )
    },
  }),
  'POST /api/orders/:order_id/resend': route({
    id: 'resendOrder',
    errors: [...UNREACHED, 'unexpected_response'],
    may: 'all',
    needs: 'operations',
    body: { operation: pathSegment, transactionId: v.optional(orderId()) },
    async run(c, scope, { body }) {
      // The service knows the attempt `mugs~1` as `mugs`, unless another program has used this id.
      const [{ order_id }] = await readNamed(scope.till, orderIn(c))
      const { event } = await act(scope, order_id, { action: 'resend' }, () => resend(scope, { ...body, order_id }))
      return withoutToken(recordOf(event))
    },
  }),
  'DELETE /api/orders/:order_id/personal-data': route({
    id: 'erasePersonalData',
    statuses: [200, 202],
    may: 'all',
    needs: 'orders',
    async run(c, scope) {
      const order_id = orderIn(c)
      const erased = await act(scope, order_id, { action: 'erase' }, () => erasePersonalData(scope, order_id))
      // 202: the rest is removed within minutes.
      return c.json(erased, erased.events_left > 0 ? 202 : 200)
    },
  }),
  'POST /api/orders/:order_id/notes': route({
    id: 'addNote',
    errors: ['not_found'],
    statuses: [201],
    may: 'note',
    needs: 'orders',
    body: { text: textThat(isNote, `be a string of 1 to ${NOTE_LENGTH} characters`) },
    async run(c, scope, { body }) {
      await addNote(scope, orderIn(c), body.text.trim())
      return {}
    },
  }),
  // The kind and the flag are those of an item of GET /api/attention.
  'POST /api/orders/:order_id/attention/done': route({
    id: 'finishAttention',
    errors: ['not_found'],
    may: 'all',
    needs: 'orders',
    body: { kind: nonEmptyText, flag: option(text) },
    async run(c, scope, { body }) {
      const order_id = orderIn(c)
      const entry = { action: 'attention_done', text: body.flag ?? body.kind }
      await act(scope, order_id, entry, () => attentionDone(scope, order_id, body))
      return { order_id, done: true }
    },
  }),
  'GET /api/balances': route({
    id: 'listBalances',
    errors: [...UNREACHED, 'unexpected_response'],
    may: 'view',
    needs: 'balances',
    run: async (c, scope) => ({ accounts: await listAccounts(clientConfig(c.env, scope.fetch)) }),
  }),
}

function isNote(text: string): boolean {
  return text.trim() !== '' && text.length <= NOTE_LENGTH
}
