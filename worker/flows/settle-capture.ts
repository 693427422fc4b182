import type { Deps } from '../deps.ts'
import { clientConfig, type Env } from '../env.ts'
import { isApiError, type OrderOperation as Operation, resendWebhook } from '../sdk.ts'
import {
  type AttemptDetails,
  type CaptureAttempt,
  getAttemptDetails,
  putOutcome,
  type RecordedResponse,
} from '../store/capture-attempts.ts'
import type { KvStore } from '../store/kv.ts'
import { readOrder } from '../store/read-order.ts'
import { receiveResent } from './process-event.ts'

/** A call ends within the SDK's 30 seconds: an attempt without an outcome after that is one whose worker died. */
const CALL_MS = 60_000
/**
 * When the service still knows of no capture after this long, there is none. An ASSUMPTION: the document does not say how
 * long a request may take inside the service.
 */
const NEVER_MS = 120_000

/**
 * Finds out what became of a capture whose outcome is unknown: from the webhooks that came since, else by asking the
 * service. A capture that was not known before it began, of the same amount, is taken to be it.
 *
 * @returns The answer to give to its caller; undefined while nobody knows.
 */
export async function settle(
  deps: Deps,
  env: Env,
  state: KvStore,
  order_id: string,
  attempt: CaptureAttempt,
): Promise<RecordedResponse | undefined> {
  const details = await getAttemptDetails(state, attempt)
  const age = deps.now() - attempt.started_at
  let found = await newCapture(state, order_id, details)
  if (!found && (attempt.outcome === 'unknown' || age > CALL_MS)) {
    const told = await ask(deps, env, state, order_id)
    if (!told) return undefined
    // The answer itself counts, not what KV shows of it: the place that is read may be a minute behind.
    found = told.capture && isNew(told.capture, details) ? told.capture : await newCapture(state, order_id, details)
    const none = !told.capture || details.known.includes(told.capture.id)
    if (!found && none && age > NEVER_MS) {
      const body = {
        status: 409,
        code: 'capture_not_executed',
        title: 'The capture was not executed: the service does not know it.',
        detail: 'Send it again with a new Idempotency-Key.',
      }
      await putOutcome(state, attempt, 'refused', { status: 409, body })
      return { status: 409, body }
    }
  }
  if (!found) return undefined
  const { id: operation_id, ...fields } = found
  const answer = { status: 200, body: { operation_id, order_id, ...fields } }
  await putOutcome(state, attempt, 'done', answer, operation_id)
  return answer
}

async function newCapture(state: KvStore, order_id: string, details: AttemptDetails): Promise<Operation | undefined> {
  const { order } = await readOrder(state, order_id)
  return order.operations.find((operation) => isNew(operation, details))
}

function isNew({ method, id, amount }: Operation, { known, charge_amount }: AttemptDetails): boolean {
  if (method !== 'capture' || known.includes(id)) return false
  return charge_amount === null || amount === null || Math.abs(amount - charge_amount) < 0.005
}

/**
 * @returns The newest capture that the service knows, or that it knows none; undefined when it did not answer. "No such
 * capture" (404, an assumption) is an answer only when the service knows the order's payment: a wrong address is answered
 * with 404 too.
 */
async function ask(
  deps: Deps,
  env: Env,
  state: KvStore,
  order_id: string,
): Promise<{ capture?: Operation } | undefined> {
  const config = clientConfig(env, deps.fetch)
  try {
    const event = await resendWebhook(config, { order_id, operation: 'capture' })
    await receiveResent(deps, env, state, event)
    if (event.kind !== 'capture') return undefined
    const {
      method,
      operation_id: id,
      status,
      status_code = null,
      amount,
      created_at = null,
      processed_at = null,
    } = event
    return { capture: { method, id, status, status_code, amount, created_at, processed_at } }
  } catch (error) {
    if (!(isApiError(error) && error.status === 404)) {
      console.error('The service could not be asked for a capture.', error)
      return undefined
    }
  }
  try {
    await resendWebhook(config, { order_id, operation: 'auth' })
    return {}
  } catch (error) {
    console.error('The service does not know the order of a capture.', error)
    return undefined
  }
}
