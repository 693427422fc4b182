import type { Context } from '../context.ts'
import { clientConfig } from '../env.ts'
import { describeError, report } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import {
  isApiError,
  listOrderOperations,
  type OrderOperation,
  resendWebhook,
  summarizeEvent,
  type WebhookEvent,
} from '../sdk.ts'
import {
  type Attempt,
  type AttemptDetails,
  getAttemptDetails,
  isOpen,
  listAttempts,
  putOutcome,
  type RecordedResponse,
} from '../store/attempts.ts'
import { orderKeyOf } from '../store/event-log.ts'
import { readOrder } from '../store/order.ts'
import { receiveResent } from './process-event.ts'

/** A call ends within the SDK's 30 seconds: an attempt without an outcome after that is one whose worker died. */
const CALL_MS = 60_000
/**
 * When the service still knows of no operation after this long, there is none. An ASSUMPTION: the API document does not
 * say how long a request may take inside the service.
 */
const NEVER_MS = 120_000

type Candidate = Pick<
  OrderOperation,
  'id' | 'method' | 'amount' | 'status' | 'status_code' | 'created_at' | 'processed_at'
>

/**
 * Finds out what became of an attempt whose outcome is unknown: from the webhooks that arrived since, else by asking the
 * service. The one operation of its kind and amount that was not known before it began is taken to be it.
 *
 * @returns The response to give to its caller; undefined while it cannot be known.
 */
export async function settle(
  context: Context,
  order_id: string,
  attempt: Attempt,
): Promise<RecordedResponse | undefined> {
  const { store, env, now } = context
  const details = await getAttemptDetails(store, attempt)
  // Without it an earlier operation could be taken for this one.
  if (!details) return undefined
  const inEvents = async () =>
    matching((await readOrder(store, order_id, env.POS_ID)).order.operations, attempt, details)
  let matches = await inEvents()
  const age = now() - attempt.started_at
  if (matches.length === 0 && (attempt.outcome === 'unknown' || age > CALL_MS)) {
    const shown = await askService(context, order_id, attempt)
    if (!shown) return undefined
    // The answer itself counts, not what the store shows of it: the place that is read may be a minute behind.
    matches = matching(shown.operations, attempt, details)
    if (matches.length === 0) matches = await inEvents()
    const fresh = shown.operations.filter(({ id }) => !details.known.includes(id))
    // Without an amount, or where one cannot be read, any other new operation may be this one.
    const isNone = attempt.amount === null || fresh.some(({ amount }) => amount === null) ? fresh.length === 0 : true
    if (matches.length === 0 && shown.complete && isNone && age > NEVER_MS) return notExecuted(context, attempt)
  }
  const [found] = matches
  // Two that match: which one it is cannot be known.
  if (!found || matches.length > 1) return undefined
  return executed(context, order_id, attempt, found)
}

/** Ends an attempt by the word of a person who knows, where it cannot be found out. */
export async function settleByHand(
  context: Context,
  order_id: string,
  attempt_id: string,
  wasExecuted: boolean,
): Promise<RecordedResponse> {
  const attempts = await listAttempts(context.store, await orderKeyOf(order_id))
  const attempt = attempts.find(({ id }) => id === attempt_id)
  if (!attempt) throw new ProblemError(404, 'not_found', 'No such attempt.')
  if (!isOpen(attempt)) throw new ProblemError(409, 'already_settled', 'The outcome of this attempt is known already.')
  if (attempt.outcome === undefined && context.now() - attempt.started_at <= CALL_MS) {
    throw new ProblemError(
      409,
      `${attempt.kind}_in_progress`,
      'Its call may still be in progress.',
      'Try again in a minute.',
    )
  }
  report('attempt_settled_by_hand', { attempt_id, operation: attempt.kind, order_id, executed: wasExecuted })
  if (!wasExecuted) return notExecuted(context, attempt)
  const { kind, amount } = attempt
  const response = { status: 200, body: { order_id, method: kind, amount, settled_by_hand: true } }
  await putOutcome(context.store, attempt, 'done', response)
  return response
}

async function executed(
  context: Context,
  order_id: string,
  attempt: Attempt,
  found: Candidate,
): Promise<RecordedResponse> {
  const { id: operation_id, ...fields } = found
  const response = { status: 200, body: { operation_id, order_id, ...fields } }
  await putOutcome(context.store, attempt, 'done', response, operation_id)
  return response
}

async function notExecuted({ store }: Context, attempt: Attempt): Promise<RecordedResponse> {
  const { kind } = attempt
  const body = {
    status: 409,
    code: `${kind}_not_executed`,
    title: `The ${kind} was not executed: the service does not know it.`,
    detail: 'Send it again with a new Idempotency-Key.',
  }
  await putOutcome(store, attempt, 'rejected', { status: 409, body })
  return { status: 409, body }
}

/** The operations that may be this attempt. Where the amount is not known, none is. */
function matching(
  operations: readonly Candidate[],
  { kind }: Attempt,
  { known, expected }: AttemptDetails,
): Candidate[] {
  return operations.filter(
    ({ method, id, amount }) =>
      method === kind && !known.includes(id) && amount !== null && Math.round(amount * 100) === expected,
  )
}

/**
 * @returns The order's operations of this kind, and whether these are all of them; undefined when the service did not
 * say. A re-sent webhook shows one operation only, the newest (an ASSUMPTION: the API document says so for recurring
 * transactions alone).
 */
async function askService(
  context: Context,
  order_id: string,
  { kind }: Attempt,
): Promise<{ operations: Candidate[]; complete: boolean } | undefined> {
  const config = clientConfig(context.env, context.fetch)
  try {
    const all = await unlessNotFound(listOrderOperations(config, { order_id }))
    if (all) return { operations: await takeIn(context, all, kind), complete: all.every(isReadable) }
    const newest = await unlessNotFound(resendWebhook(config, { order_id, operation: kind }))
    if (newest) return { operations: await takeIn(context, [newest], kind), complete: false }
    // "No such operation" (404, an assumption) counts only when the service knows the order: a wrong address is a 404 too.
    const isKnown =
      (await unlessNotFound(resendWebhook(config, { order_id, operation: 'auth' }))) ??
      (await unlessNotFound(resendWebhook(config, { order_id, operation: 'purchase' })))
    if (isKnown) return { operations: [], complete: true }
    report('order_not_known_to_service', { order_id, operation: kind })
  } catch (error) {
    report('service_not_asked', { order_id, operation: kind, ...describeError(error) })
  }
  return undefined
}

/** Whether it can be told which operation an element is. */
function isReadable(event: WebhookEvent): boolean {
  const { method, operation_id, payment_id } = summarizeEvent(event)
  return method !== undefined && (operation_id ?? payment_id) !== undefined
}

async function takeIn(context: Context, events: readonly WebhookEvent[], kind: string): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const event of events) {
    const { method, operation_id, status, status_code, amount, created_at, processed_at } = summarizeEvent(event)
    if (method !== kind || operation_id === undefined) continue
    await receiveResent(context, event)
    found.push({
      id: operation_id,
      method,
      amount: amount ?? null,
      status: status ?? null,
      status_code: status_code ?? null,
      created_at: created_at ?? null,
      processed_at: processed_at ?? null,
    })
  }
  return found
}

async function unlessNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (isApiError(error) && error.status === 404) return undefined
    throw error
  }
}
