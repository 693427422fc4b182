import type { Deps } from '../deps.ts'
import { clientConfig, type Env } from '../env.ts'
import { sha256 } from '../lib/crypto.ts'
import { ProblemError, problemOf } from '../lib/problem.ts'
import {
  type Capture,
  type CapturePaymentInput,
  capturePayment,
  isApiError,
  isConfigError,
  isConnectionError,
  isInvalidInputError,
} from '../sdk.ts'
import {
  type AttemptState,
  type CaptureAttempt,
  getResponse,
  isOpen,
  listAttempts,
  putAttempt,
  putOutcome,
  type RecordedResponse,
} from '../store/capture-attempts.ts'
import { orderKeyOf } from '../store/event-log.ts'
import { type KvStore, StorageError } from '../store/kv.ts'
import { readOrder } from '../store/read-order.ts'
import { settle } from './settle-capture.ts'

/** A capture as it came to `/api`. */
export interface CaptureRequest {
  order_id: string
  idempotencyKey: string
  /** The fields of `capturePayment` without `order_id`; `order_currency` defaults to the order's. */
  fields: Record<string, unknown>
  /** Where its webhooks go unless the fields say so: without it the service would send none. */
  server_url: string
}

/**
 * Captures once for each Idempotency-Key: the attempt is written before the call, and its outcome after it. While the
 * outcome of one capture is unknown, no other one of the order is made.
 *
 * What KV cannot exclude: two captures that begin in two places within KV's propagation (60 seconds and more) do not
 * see each other. See worker/README.md.
 *
 * @throws {ProblemError} when it is not made, or was refused.
 */
export async function capture(
  deps: Deps,
  env: Env,
  state: KvStore,
  request: CaptureRequest,
): Promise<RecordedResponse> {
  const { order_id, idempotencyKey, fields, server_url } = request
  const [orderKey, keyHash, fingerprint] = await Promise.all([
    orderKeyOf(order_id),
    sha256(idempotencyKey),
    sha256(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))),
  ])
  const [{ order }, attempts] = await Promise.all([readOrder(state, order_id), listAttempts(state, orderKey)])
  const mine = attempts.find((attempt) => attempt.keyHash === keyHash && attempt.outcome !== 'not_sent')
  if (mine && mine.request !== fingerprint) {
    throw new ProblemError(422, 'idempotency_key_reused', 'This Idempotency-Key belongs to another request.')
  }
  if (mine && !isOpen(mine)) return recorded(state, mine)
  for (const open of attempts.filter(isOpen)) {
    const settled = await settle(deps, env, state, order_id, open)
    if (!settled) throw blocked(open)
    if (open === mine) return settled
  }
  const attempt = await putAttempt(
    state,
    orderKey,
    idempotencyKey,
    { started_at: deps.now(), request: fingerprint },
    {
      charge_amount: typeof fields.charge_amount === 'number' ? fields.charge_amount : null,
      known: [
        ...order.operations.filter(({ method }) => method === 'capture').map(({ id }) => id),
        // Those whose webhook has not come yet must not be taken for this one either.
        ...attempts.flatMap(({ operation_id }) => operation_id ?? []),
      ],
    },
  )
  try {
    await yieldToOthers(state, orderKey, attempt, attempts)
  } catch (error) {
    // Nothing was sent yet: said so, the next attempt need not wait until that is known.
    await putOutcome(state, attempt, 'not_sent').catch(() => undefined)
    throw error
  }
  const input = { order_currency: order.currency, server_url, ...fields, order_id } as CapturePaymentInput
  return execute(deps, env, state, attempt, input)
}

/** Of two captures that were written down at once, each sees the other here, and neither goes on. */
async function yieldToOthers(
  state: KvStore,
  orderKey: string,
  mine: CaptureAttempt,
  seenBefore: readonly CaptureAttempt[],
): Promise<void> {
  const rivals = (await listAttempts(state, orderKey)).filter(
    ({ key, outcome }) => key !== mine.key && outcome !== 'not_sent' && !seenBefore.some((seen) => seen.key === key),
  )
  if (rivals.length === 0) return
  throw new ProblemError(
    409,
    'capture_in_progress',
    'Another capture of this order began at the same moment; this one was not made.',
    'Read the order, then try again.',
  )
}

async function execute(
  deps: Deps,
  env: Env,
  state: KvStore,
  attempt: CaptureAttempt,
  input: CapturePaymentInput,
): Promise<RecordedResponse> {
  let made: Capture
  try {
    made = await capturePayment(clientConfig(env, deps.fetch), input)
  } catch (error) {
    const problem = problemOf(error)
    if (!problem) throw error
    const answer = { status: problem.status, body: problem }
    await record(state, attempt, outcomeOf(error), answer)
    return answer
  }
  const answer = { status: 200, body: made }
  await record(state, attempt, 'done', answer, made.operation_id)
  return answer
}

function outcomeOf(error: unknown): AttemptState {
  if (isConnectionError(error) || isConfigError(error) || (isApiError(error) && error.retryable)) return 'not_sent'
  return isApiError(error) || isInvalidInputError(error) ? 'refused' : 'unknown'
}

/** The caller gets its answer even when it cannot be recorded: the open attempt then blocks further captures until settled. */
async function record(...outcome: Parameters<typeof putOutcome>): Promise<void> {
  try {
    await putOutcome(...outcome)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    console.error('The outcome of a capture was not recorded; it is settled before the next one.', error)
  }
}

async function recorded(state: KvStore, attempt: CaptureAttempt): Promise<RecordedResponse> {
  const answer = await getResponse(state, attempt)
  if (answer) return answer
  throw new ProblemError(503, 'state', 'The recorded answer cannot be read at this moment; try again.')
}

function blocked(attempt: CaptureAttempt): ProblemError {
  return attempt.outcome === 'unknown'
    ? new ProblemError(
        409,
        'capture_unsettled',
        'It is not known whether an earlier capture of this order was executed.',
        'It is settled by its webhook, or by POST …/resend with {"operation":"capture"}; then try again.',
      )
    : new ProblemError(
        409,
        'capture_in_progress',
        'Another capture of this order is under way, or died on the way.',
        'Try again in a few minutes: it is settled then by asking the service.',
      )
}
