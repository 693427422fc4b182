import type { Context } from '../context.ts'
import { moneyConfig } from '../env.ts'
import { sha256 } from '../lib/crypto.ts'
import { operationAddress } from '../lib/links.ts'
import { describeError, report } from '../lib/log.ts'
import { ProblemError, problemOf } from '../lib/problem.ts'
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
  readEvent,
  refundPayment,
  type VoidPaymentInput,
  voidPayment,
} from '../sdk.ts'
import {
  type Attempt,
  type AttemptState,
  isOpen,
  listAttempts,
  type OperationKind,
  putAttempt,
  putOutcome,
  type RecordedResponse,
} from '../store/attempts.ts'
import { orderKeyOf } from '../store/event-log.ts'
import { readOrder } from '../store/order.ts'
import { receiveResent } from './process-event.ts'
import { unwatch, watch, watchUnknown } from './schedule.ts'
import { recorded, SEND_MS, settle } from './settle.ts'

/** A capture, refund or void as it came to `/api`. */
export interface OperationRequest {
  kind: OperationKind
  order_id: string
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
    call: (context: Context, input: Record<string, unknown>) => Promise<object>
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
 * Makes a capture, refund or void once for each Idempotency-Key: the attempt is written before the call, and its outcome
 * after it. While the outcome of one is unknown, no other one of the order is made.
 *
 * Inside an order's gate this holds always. Over KV alone, two that begin in two places within KV's propagation (60
 * seconds and more) do not see each other. See worker/README.md.
 *
 * @throws {ProblemError} when it is not made.
 */
export async function operate(context: Context, request: OperationRequest): Promise<RecordedResponse> {
  const { store, env } = context
  const { kind, order_id, idempotencyKey, fields } = request
  const names = Object.keys(fields).sort()
  const [orderKey, keyHash, fingerprint] = await Promise.all([
    orderKeyOf(order_id),
    sha256(idempotencyKey),
    sha256(JSON.stringify([kind, ...names.map((name) => [name, fields[name]])])),
  ])
  const before = await listAttempts(store, orderKey)
  const mine = before.filter((attempt) => attempt.keyHash === keyHash && attempt.outcome !== 'not_sent')
  if (mine.some(({ request }) => request !== fingerprint)) {
    throw new ProblemError(422, 'idempotency_key_reused', 'This Idempotency-Key belongs to another request.')
  }
  // Over KV alone two of one key may have begun at once, and one of them was not sent: the other one is the answer.
  const open = mine.filter(isOpen).at(-1)
  const closed = mine.find(({ outcome }) => outcome === 'done') ?? (open ? undefined : mine[0])
  if (closed) return recorded(store, closed)
  for (const attempt of before.filter(isOpen)) {
    const settled = await settle(context, order_id, attempt)
    if (!settled) throw blocked(attempt)
    if (attempt === open || (mine.includes(attempt) && settled.status === 200)) return settled
  }

  // Read after the settling: what was learnt there is known from now on.
  const [{ order, events, checkout }, attempts] = await Promise.all([
    readOrder(store, order_id, env.POS_ID),
    listAttempts(store, orderKey),
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
  const [id, started_at] = [crypto.randomUUID(), context.now()]
  // Before the attempt: one that is not watched would block the others until the next request for its order.
  await watch(context, { kind, order_id, attempt_id: id, since: started_at })
  const attempt = await putAttempt(
    store,
    orderKey,
    keyHash,
    { id, kind, amount, started_at, request: fingerprint },
    {
      expected: amount === null ? left(order.totals) : Math.round(amount * 100),
      known: [
        ...events.flatMap(({ operation_id }) => operation_id ?? []),
        // One without an operation_id has another id in the order.
        ...order.operations.flatMap(({ id, method }) => (method === kind ? id : [])),
        // Those whose webhook has not arrived yet must not be taken for this one either.
        ...attempts.flatMap(({ operation_id }) => operation_id ?? []),
      ],
    },
  )
  // Those of the first look are settled; one that was written since may be in progress.
  if (!context.outbox) await yieldToOthers(context, orderKey, attempt, before, order_id)
  // Where the store was slow, another request may count it as not executed by now: it stays so.
  if (context.now() - started_at > SEND_MS) throw blocked(attempt)
  return execute(context, attempt, { order_currency: order.currency, server_url, ...fields, order_id })
}

/** Over KV alone: of two attempts that were written at once, each sees the other here, and neither continues. */
async function yieldToOthers(
  context: Context,
  orderKey: string,
  mine: Attempt,
  seenBefore: readonly Attempt[],
  order_id: string,
): Promise<void> {
  const { store, now } = context
  try {
    const rivals = (await listAttempts(store, orderKey)).filter(
      ({ key, outcome }) => key !== mine.key && outcome !== 'not_sent' && !seenBefore.some((seen) => seen.key === key),
    )
    if (rivals.length === 0) return
    throw new ProblemError(
      409,
      `${mine.kind}_in_progress`,
      `Another operation of this order began at the same time; this ${mine.kind} was not made.`,
      'Read the order, then try again.',
    )
  } catch (error) {
    // Nothing was sent yet: once this is recorded, the next attempt need not wait until it is settled, as it may be by now.
    if (now() - mine.started_at <= SEND_MS) {
      await putOutcome(store, mine, 'not_sent').catch(() => undefined)
      await unwatch(context, order_id, mine)
    }
    throw error
  }
}

async function execute(context: Context, attempt: Attempt, input: Record<string, unknown>): Promise<RecordedResponse> {
  const order_id = String(input.order_id)
  let made: object
  try {
    made = await OPERATIONS[attempt.kind].call(context, input)
  } catch (error) {
    const problem = problemOf(error)
    if (!problem) throw error
    const outcome = outcomeOf(error)
    const body = outcome === 'unknown' ? { ...problem, ...outcomeUnknown(attempt) } : problem
    const response = { status: body.status, body }
    await record(context, attempt, outcome, response)
    if (outcome === 'unknown') {
      report('outcome_unknown', attemptFields(attempt, order_id))
      await watchUnknown(context, order_id, attempt)
    } else {
      await unwatch(context, order_id, attempt)
    }
    return response
  }
  const { cc_token, ...body } = made as Record<string, unknown>
  const response = { status: 200, body }
  await record(context, attempt, 'done', response, String(body.operation_id))
  // Like an event, so that the order is right before the webhook arrives; `onEvent` gets the webhook.
  const event = readEvent({ ...body, method: attempt.kind })
  try {
    await receiveResent(context, event, { notify: false })
    // Without its final state it is asked about, in case that its webhook does not arrive.
    if (isFinal(String(body.status))) await unwatch(context, order_id, attempt)
  } catch (error) {
    report('operation_not_logged', { ...attemptFields(attempt, order_id), ...describeError(error) })
  }
  return response
}

const attemptFields = ({ id, kind }: Attempt, order_id: string) => ({ attempt_id: id, operation: kind, order_id })

const outcomeUnknown = ({ kind }: Attempt) => ({
  status: 502,
  code: 'outcome_unknown',
  title: 'It may have been executed.',
  detail: `Send the same request again with the same Idempotency-Key: it finds out, and never makes a second ${kind}. Or have the webhook re-sent with POST …/resend and {"operation":"${kind}"}.`,
})

function outcomeOf(error: unknown): AttemptState {
  if (isConnectionError(error) || isConfigError(error)) return 'not_sent'
  if (isInvalidInputError(error)) return 'rejected'
  // Statuses that may have been processed never make an ApiError. A proxy may say 425 although the service has executed the request.
  if (!isApiError(error) || error.status === 425) return 'unknown'
  return error.retryable ? 'not_sent' : 'rejected'
}

/** The caller gets the response even when it cannot be recorded: the open attempt then blocks others until it is settled. */
async function record(
  { store }: Context,
  attempt: Attempt,
  outcome: AttemptState,
  response: RecordedResponse,
  operation_id?: string,
): Promise<void> {
  try {
    await putOutcome(store, attempt, outcome, response, operation_id)
  } catch (error) {
    report('outcome_not_recorded', { attempt_id: attempt.id, operation: attempt.kind, ...describeError(error) })
  }
}

function blocked({ id, kind, outcome }: Attempt): ProblemError {
  const byHand = `A person who knows can settle it: POST …/attempts/${id}/settle with {"executed": true} or {"executed": false}.`
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
