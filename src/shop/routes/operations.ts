import * as v from 'valibot'
import { COMMENT_LENGTH } from '../../lib/limits.ts'
import type { OperationKind } from '../../money/protocol.ts'
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
import type { WebhookEvent } from '../../webhooks/index.ts'
import { GateError } from '../call-gate.ts'
import { clientConfig } from '../env.ts'
import { describeError, logError } from '../lib/log.ts'
import type { RecordedResponse } from '../lib/money-answers.ts'
import { refundLimit } from '../lib/people.ts'
import { type Problem, ProblemError, problemResponse } from '../lib/problem.ts'
import { act, storeWebhook } from '../order/actions.ts'
import { erasePersonalData } from '../order/erase.ts'
import { moveMoney, outcomeUnknown, settleByHand } from '../order/move-money.ts'
import { cancelOrder } from '../order/open-checkout.ts'
import { attentionDone } from '../order/publish.ts'
import { addNote } from '../order/record.ts'
import { packEvent } from '../order/store-event.ts'
import type { C, Scope } from '../scope.ts'
import { withoutToken } from './orders.ts'
import type { Call } from './results.ts'
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
function operate(c: C, scope: ActorScope, kind: OperationKind, fields: Record<string, unknown>): Promise<Response> {
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
  return act(scope, order_id, moveMoney, request).then(respond, unlessLost(kind, order_id))
}

/** A request that reached the gate may have been done, whatever became of the response. */
function unlessLost(kind: OperationKind | 'cancel', order_id: string): (error: unknown) => Response {
  return (error) => {
    if (!(error instanceof GateError)) throw error
    logError('outcome_unknown', { operation: kind, order_id, ...describeError(error) })
    return problemResponse(outcomeUnknown(kind))
  }
}

/** An unknown outcome is logged where it comes about; other failures are logged like those of any route. */
function respond({ status, body }: RecordedResponse): Response {
  if (status === 200) return Response.json(body)
  const problem = body as Problem
  if (problem.code !== 'outcome_unknown') throw ProblemError.of(problem)
  return problemResponse(problem)
}

/** Has a webhook re-sent, whose response is stored like it. @returns Whether that was of the order. */
export async function resend(
  scope: Scope,
  input: ResendWebhookInput,
): Promise<{ event: WebhookEvent; isStored: boolean }> {
  const event = await resendWebhook(clientConfig(scope.env, scope.fetch), input)
  const [own] = eventOf(input.order_id, event)
  const packed = own && packEvent(own, scope.env)
  if (packed) await act(scope, packed, storeWebhook)
  return { event, isStored: packed !== undefined }
}

const NOTE_LENGTH = 1_000

type OperationRoutes = 'GET /api/balances' | Extract<Call, `${'POST' | 'DELETE'} /api/orders/${string}`>

export const OPERATION_ROUTES: Routes<OperationRoutes> = {
  'POST /api/orders/:order_id/capture': route({
    may: 'all',
    needs: 'operations',
    body: CAPTURE,
    run: (c, scope, { body }) => operate(c, scope, 'capture', body),
  }),
  'POST /api/orders/:order_id/refund': route({
    may: 'refund',
    needs: 'operations',
    body: { ...MONEY, refund_amount: partialAmount('refund') },
    run: (c, scope, { body }) => operate(c, scope, 'refund', body),
  }),
  'POST /api/orders/:order_id/void': route({
    may: 'all',
    needs: 'operations',
    body: MONEY,
    run: (c, scope, { body }) => operate(c, scope, 'void', body),
  }),
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': route({
    may: 'all',
    needs: 'operations',
    body: { executed: v.lazy((value) => (typeof value === 'boolean' ? flag : oneOf(['unknown']))) },
    async run(c, scope, { body: { executed } }) {
      const attempt_id = c.req.param('attempt_id') as string
      const { status, body } = await act(scope, orderIn(c), settleByHand, { attempt_id, executed })
      // "Not executed" is what the person said; any other rejection is the response.
      const isSettled = status === 200 || (executed === false && (body as Problem).code.endsWith('_not_executed'))
      if (!isSettled) return problemResponse(body as Problem)
      return { attempt_id, executed, outcome: body as Record<string, unknown> }
    },
  }),
  'POST /api/orders/:order_id/cancel': route({
    may: 'sell',
    needs: 'operations',
    run(c, scope) {
      const order_id = orderIn(c)
      const cancelled = act(scope, order_id, cancelOrder)
      return cancelled.then((body) => Response.json(withoutToken(body)), unlessLost('cancel', order_id))
    },
  }),
  'POST /api/orders/:order_id/resend': route({
    may: 'all',
    needs: 'operations',
    body: { operation: pathSegment, transactionId: v.optional(orderId()) },
    async run(c, scope, { body }) {
      // `mugs~1` is a name of ours: the service knows `mugs`.
      const order_id = orderIn(c).replace(/~1$/, '')
      const { event } = await resend(scope, { ...body, order_id })
      return withoutToken(recordOf(event))
    },
  }),
  'DELETE /api/orders/:order_id/personal-data': route({
    may: 'all',
    needs: 'orders',
    async run(c, scope) {
      const erased = await act(scope, orderIn(c), erasePersonalData)
      // 202: the rest is removed within minutes.
      return c.json(erased, erased.events_left > 0 ? 202 : 200)
    },
  }),
  'POST /api/orders/:order_id/notes': route({
    may: 'note',
    needs: 'orders',
    status: 201,
    body: { text: textThat(isNote, `be a string of 1 to ${NOTE_LENGTH} characters`) },
    async run(c, scope, { body }) {
      await act(scope, orderIn(c), addNote, body.text.trim())
      return {}
    },
  }),
  // The kind and the flag are those of an item of GET /api/attention.
  'POST /api/orders/:order_id/attention/done': route({
    may: 'all',
    needs: 'orders',
    body: { kind: nonEmptyText, flag: option(text) },
    async run(c, scope, { body }) {
      await act(scope, orderIn(c), attentionDone, body)
      return { order_id: orderIn(c), done: true }
    },
  }),
  'GET /api/balances': route({
    may: 'view',
    needs: 'balances',
    run: async (c, scope) => ({ accounts: await listAccounts(clientConfig(c.env, scope.fetch)) }),
  }),
}

function isNote(text: string): boolean {
  return text.trim() !== '' && text.length <= NOTE_LENGTH
}
