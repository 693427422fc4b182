import {
  type CapturePaymentInput,
  capturePayment,
  isApiError,
  isConfigError,
  isConnectionError,
  isFinal,
  isInvalidInputError,
  type OrderTotals,
  type RefundPaymentInput,
  refundPayment,
  type VoidPaymentInput,
  voidPayment,
} from '../../index.ts'
import { readEvent } from '../../webhooks/index.ts'
import { moneyConfig } from '../env.ts'
import { sha256 } from '../lib/crypto.ts'
import { operationAddress } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { type Problem, ProblemError, problemOf } from '../lib/problem.ts'
import type { OrderScope } from '../scope.ts'
import { orderKeyOf } from '../store/event-log.ts'
import {
  getResponse,
  isOpen,
  listOperations,
  type MoneyOperation,
  type OperationKind,
  type OperationState,
  putOperation,
  putOutcome,
  type RecordedResponse,
} from '../store/money-operations.ts'
import { readOrder } from '../store/order.ts'
import { unwatch, watch, watchUnknown } from './schedule.ts'
import { SEND_MS, settle } from './settle.ts'
import { storeShown } from './store-event.ts'

/** A capture, refund or void as it came to `/api`. */
export interface MoneyRequest {
  kind: OperationKind
  idempotencyKey: string
  /** The fields of the SDK's input without `order_id`; `order_currency` defaults to the order's. */
  fields: Record<string, unknown>
}

/** What tells the three apart. */
const OPERATIONS: Record<
  OperationKind,
  {
    amountField?: string
    /** What is left of the order for an operation without an amount, in minor units. */
    left: (totals: OrderTotals) => number
    call: (scope: OrderScope, input: Record<string, unknown>) => Promise<object>
  }
> = {
  capture: {
    amountField: 'charge_amount',
    left: ({ authorized, captured, voided }) => authorized - voided - captured,
    call: ({ env, fetch }, input) => capturePayment(moneyConfig(env, fetch), input as unknown as CapturePaymentInput),
  },
  refund: {
    amountField: 'refund_amount',
    left: ({ captured, refunded }) => captured - refunded,
    call: ({ env, fetch }, input) => refundPayment(moneyConfig(env, fetch), input as unknown as RefundPaymentInput),
  },
  void: {
    left: ({ authorized }) => authorized,
    call: ({ env, fetch }, input) => voidPayment(moneyConfig(env, fetch), input as unknown as VoidPaymentInput),
  },
}

/**
 * Makes a capture, refund or void once for each Idempotency-Key: the operation is recorded before the call, and its outcome
 * after it. While the outcome of one is unknown, no other one of the order is made.
 *
 * @throws {ProblemError} when it is not made.
 */
export async function moveMoney(scope: OrderScope, order_id: string, request: MoneyRequest): Promise<RecordedResponse> {
  const { store, env } = scope
  const { kind, idempotencyKey, fields } = request
  const names = Object.keys(fields).sort()
  const [orderKey, keyHash, fingerprint] = await Promise.all([
    orderKeyOf(order_id),
    sha256(idempotencyKey),
    sha256(JSON.stringify([kind, ...names.map((name) => [name, fields[name]])])),
  ])
  const before = await listOperations(store, orderKey)
  const mine = before.filter((operation) => operation.keyHash === keyHash && operation.outcome !== 'not_sent')
  if (mine.some(({ request }) => request !== fingerprint)) {
    throw new ProblemError(422, 'idempotency_key_reused', 'This Idempotency-Key belongs to another request.')
  }
  const closed = mine.find((operation) => !isOpen(operation))
  if (closed) return getResponse(store, closed)
  for (const operation of before.filter(isOpen)) {
    const settled = await settle(scope, order_id, operation)
    if (!settled) throw blocked(operation)
    if (mine.includes(operation)) return settled
  }

  // Read after the settling: what was learnt there is known from now on.
  const [{ order, events, checkout }, operations] = await Promise.all([
    readOrder(store, order_id, env.POS_ID),
    listOperations(store, orderKey),
  ])
  if (events.length === 0 && !checkout && fields.order_currency === undefined) {
    throw new ProblemError(
      404,
      'not_found',
      'No such order.',
      'If it was not made by this worker, send order_currency too.',
    )
  }
  const expected = events.find((event) => event.expected)?.expected ?? checkout
  const server_url = fields.server_url ?? (await operationAddress(env, order_id, checkout?.origin, expected))
  const { amountField, left } = OPERATIONS[kind]
  const asked = amountField === undefined ? undefined : fields[amountField]
  const amount = typeof asked === 'number' ? asked : null
  const [id, started_at] = [crypto.randomUUID(), scope.now()]
  // Before the operation: one that is not watched would block the others until the next request for its order.
  await watch(scope, { kind, order_id, attempt_id: id, since: started_at })
  const operation = await putOperation(
    store,
    orderKey,
    { id, kind, amount, keyHash, started_at, request: fingerprint },
    {
      expected: amount === null ? left(order.totals) : Math.round(amount * 100),
      known: [
        ...events.flatMap(({ operation_id }) => operation_id ?? []),
        // One without an operation_id has another id in the order.
        ...order.operations.flatMap(({ id, method }) => (method === kind ? id : [])),
        // Those whose webhook has not arrived yet must not be taken for this one either.
        ...operations.flatMap(({ operation_id }) => operation_id ?? []),
      ],
    },
  )
  // Where the storage was slow, another request may count it as not executed by now: it stays so.
  if (scope.now() - started_at > SEND_MS) throw blocked(operation)
  return execute(scope, operation, { order_currency: order.currency, server_url, ...fields, order_id })
}

async function execute(
  scope: OrderScope,
  operation: MoneyOperation,
  input: Record<string, unknown>,
): Promise<RecordedResponse> {
  const order_id = String(input.order_id)
  let made: object
  try {
    made = await OPERATIONS[operation.kind].call(scope, input)
  } catch (error) {
    const problem = problemOf(error)
    if (!problem) throw error
    const outcome = outcomeOf(error)
    const body = outcome === 'unknown' ? { ...problem, ...outcomeUnknown(operation.kind) } : problem
    const response = { status: body.status, body }
    await record(scope, operation, outcome, response)
    if (outcome === 'unknown') {
      logError('outcome_unknown', operationFields(operation, order_id))
      await watchUnknown(scope, order_id, operation)
    } else {
      await unwatch(scope, order_id, operation)
    }
    return response
  }
  const { cc_token, ...body } = made as Record<string, unknown>
  const response = { status: 200, body }
  await record(scope, operation, 'done', response, String(body.operation_id))
  // Like an event, so that the order is right before the webhook arrives; `onEvent` gets the webhook.
  const event = readEvent({ ...body, method: operation.kind })
  try {
    await storeShown(scope, event, { notify: false })
    // Without its final state it is asked about, in case that its webhook does not arrive.
    if (isFinal(String(body.status))) await unwatch(scope, order_id, operation)
  } catch (error) {
    logError('operation_not_logged', { ...operationFields(operation, order_id), ...describeError(error) })
  }
  return response
}

const operationFields = ({ id, kind }: MoneyOperation, order_id: string) => ({
  attempt_id: id,
  operation: kind,
  order_id,
})

export const outcomeUnknown = (kind: OperationKind): Problem => ({
  status: 502,
  code: 'outcome_unknown',
  title: 'It may have been executed.',
  detail: `Send the same request again with the same Idempotency-Key: it finds out, and never makes a second ${kind}. Or have the webhook re-sent with POST …/resend and {"operation":"${kind}"}.`,
})

function outcomeOf(error: unknown): OperationState {
  if (isConnectionError(error) || isConfigError(error)) return 'not_sent'
  if (isInvalidInputError(error)) return 'rejected'
  // Statuses that may have been processed never make an ApiError. A proxy may say 425 although the service has executed the request.
  if (!isApiError(error) || error.status === 425) return 'unknown'
  return error.retryable ? 'not_sent' : 'rejected'
}

/** The caller gets the response even when it cannot be recorded: the operation then blocks others until it is settled. */
async function record(
  { store }: OrderScope,
  operation: MoneyOperation,
  outcome: OperationState,
  response: RecordedResponse,
  operation_id?: string,
): Promise<void> {
  try {
    await putOutcome(store, operation, outcome, response, operation_id)
  } catch (error) {
    logError('outcome_not_recorded', { attempt_id: operation.id, operation: operation.kind, ...describeError(error) })
  }
}

function blocked({ id, kind, outcome }: MoneyOperation): ProblemError {
  const byHand = `If you know the outcome, settle it manually: POST …/attempts/${id}/settle with {"executed": true} or {"executed": false}.`
  return outcome === 'unknown'
    ? new ProblemError(
        409,
        `${kind}_unsettled`,
        `It is not known whether an earlier ${kind} was executed.`,
        `Its webhook settles it, or the next request once the service knows. ${byHand}`,
        { attempt_id: id },
      )
    : new ProblemError(
        409,
        `${kind}_in_progress`,
        `Another ${kind} of this order is in progress, or its worker died.`,
        `Try again in a few minutes: the service is asked then. ${byHand}`,
        { attempt_id: id },
      )
}
