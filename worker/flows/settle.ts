import type { Context } from '../context.ts'
import { describeError, report } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import { type CallOptions, foldOrder, isFinal, type OrderOperation } from '../sdk.ts'
import {
  type Attempt,
  type AttemptDetails,
  getAttemptDetails,
  getResponse,
  isOpen,
  listAttempts,
  type OperationKind,
  putSettled,
  type RecordedResponse,
} from '../store/attempts.ts'
import { orderKeyOf } from '../store/event-log.ts'
import type { KvStore } from '../store/kv.ts'
import { readOrder } from '../store/order.ts'
import { askService, ONE_LOOK } from './ask-service.ts'
import { unwatch } from './schedule.ts'

/** An attempt that the store holds up for longer is not sent. */
export const SEND_MS = 30_000
/** A call ends within the SDK's 30 seconds after that: an attempt without an outcome after that is one whose worker died. */
const CALL_MS = 60_000
/**
 * When the service still knows of no operation after this long, there is none. An ASSUMPTION: the API document does not
 * say how long a request may take inside the service.
 */
const NEVER_MS = 120_000

/** The SDK's function of each kind. */
export const CALLS: Record<OperationKind, string> = {
  capture: 'capturePayment',
  refund: 'refundPayment',
  void: 'voidPayment',
}

/**
 * Finds out what became of an attempt whose outcome is unknown: from the webhooks that arrived since, else by asking the
 * service (`resolveOutcome`). The one operation of its kind and amount that was not known before it began is taken to be it.
 *
 * @param options `false`: from the webhooks alone; else those of the look-up.
 * @returns The response to give to its caller; undefined while it cannot be known.
 */
export async function settle(
  context: Context,
  order_id: string,
  attempt: Attempt,
  options: CallOptions | false = {},
): Promise<RecordedResponse | undefined> {
  const { store, env, now } = context
  const { kind, amount, started_at, outcome } = attempt
  const details = await getAttemptDetails(store, attempt)
  // Without it an earlier operation could be taken for this one.
  if (!details) return undefined
  let { known } = details
  let own = attempt
  /**
   * Another request may have settled it since this one read it: what is found now may have been made after that.
   * @param shown What the service shows: the store may not have it yet.
   */
  const settleFrom = async (shown?: OrderOperation): Promise<RecordedResponse | 'none' | undefined> => {
    const operations = shown ? [] : (await readOrder(store, order_id, env.POS_ID, false)).order.operations
    // After the events: what an attempt became is written before the response to it counts as one.
    const newest = await listAttempts(store, await orderKeyOf(order_id))
    own = newest.find(({ id }) => id === attempt.id) ?? attempt
    if (own.outcome === 'done' || own.outcome === 'rejected') return recorded(store, own)
    const others = newest.filter((other) => other !== own)
    // What another attempt became is not this one.
    known = details.known.concat(others.flatMap(({ operation_id }) => operation_id ?? []))
    const found = matching(operations, attempt, { ...details, known })
    if (shown && !known.includes(shown.id)) found.push(shown)
    const [first] = found
    if (!first) return 'none'
    // Two that match, or two that it may be: which is which cannot be known.
    if (found.length > 1 || (await isOfRival(context, attempt, first, others))) return undefined
    return executed(context, order_id, own, first)
  }
  const settled = await settleFrom()
  if (settled !== 'none') return settled
  if (!options || !(outcome === 'unknown' || now() - started_at > CALL_MS)) return undefined
  const call = { operation: CALLS[kind], order_id, amount: amount ?? undefined, sent_at: started_at }
  const resolved = await askService(context, call, { ...options, known, settleAfterMs: NEVER_MS })
  // The response itself counts, not what the store shows of it: the place that is read may be a minute behind.
  const [shown] = resolved.outcome === 'executed' ? foldOrder([resolved.record]).operations : []
  const since = await settleFrom(shown)
  if (since !== 'none') return since
  return resolved.outcome === 'not_executed' ? notExecuted(context, order_id, own) : undefined
}

/**
 * Whether an operation may be that of another attempt under another key: of one that a person has settled, or of one that
 * began at once. Over KV alone two may: one gives way, and may die before it says so.
 */
async function isOfRival(
  { store }: Context,
  { kind, keyHash, started_at }: Attempt,
  found: OrderOperation,
  others: readonly Attempt[],
): Promise<boolean> {
  for (const other of others) {
    // What a person has settled names no operation: the service may show it at any time.
    const isByHand = other.outcome === 'done' && other.operation_id === undefined
    const isAtOnce = isOpen(other) && Math.abs(other.started_at - started_at) <= CALL_MS
    if (!(isByHand || isAtOnce) || other.kind !== kind || other.keyHash === keyHash) continue
    const details = await getAttemptDetails(store, other)
    if (!details || matching([found], other, details).length > 0) return true
  }
  return false
}

/** Ends an attempt by the word of a person who knows, where it cannot be found out. */
export async function settleByHand(
  context: Context,
  order_id: string,
  attempt_id: string,
  wasExecuted: boolean,
): Promise<RecordedResponse> {
  const attempt = await openAttempt(context, order_id, attempt_id)
  const { kind, amount, started_at } = attempt
  report('attempt_settled_by_hand', { attempt_id, operation: kind, order_id, executed: wasExecuted })
  if (!wasExecuted) return notExecuted(context, order_id, attempt)
  // Its webhook may never arrive, or with an unknown status: what the service lists counts in the totals. Before it is
  // settled: an attempt that begins after that must know its operation, and not take it for its own.
  const call = { operation: CALLS[kind], order_id, sent_at: started_at }
  await askService(context, call, { ...ONE_LOOK, known: [] }).catch((error: unknown) => {
    report('reconciliation_failed', { order_id, ...describeError(error) })
  })
  await openAttempt(context, order_id, attempt_id)
  const response = { status: 200, body: { order_id, method: kind, amount, settled_by_hand: true } }
  await putSettled(context.store, attempt, 'done', response)
  await unwatch(context, order_id, attempt)
  return response
}

async function openAttempt({ store, now }: Context, order_id: string, attempt_id: string): Promise<Attempt> {
  const attempts = await listAttempts(store, await orderKeyOf(order_id))
  const attempt = attempts.find(({ id }) => id === attempt_id)
  if (!attempt) throw new ProblemError(404, 'not_found', 'No such attempt.')
  if (!isOpen(attempt)) throw new ProblemError(409, 'already_settled', 'The outcome of this attempt is known already.')
  if (attempt.outcome === undefined && now() - attempt.started_at <= CALL_MS) {
    throw new ProblemError(
      409,
      `${attempt.kind}_in_progress`,
      'Its call may still be in progress.',
      'Try again in a minute.',
    )
  }
  return attempt
}

async function executed(
  context: Context,
  order_id: string,
  attempt: Attempt,
  found: OrderOperation,
): Promise<RecordedResponse> {
  const { id: operation_id, ...fields } = found
  const response = { status: 200, body: { operation_id, order_id, ...fields } }
  await putSettled(context.store, attempt, 'done', response, operation_id)
  if (isFinal(String(found.status))) await unwatch(context, order_id, attempt)
  return response
}

async function notExecuted(context: Context, order_id: string, attempt: Attempt): Promise<RecordedResponse> {
  const { kind } = attempt
  const body = {
    status: 409,
    code: `${kind}_not_executed`,
    title: `The ${kind} was not executed: the service does not know it.`,
    detail: 'Send it again with a new Idempotency-Key.',
  }
  const response = { status: body.status, body }
  await putSettled(context.store, attempt, 'rejected', response)
  await unwatch(context, order_id, attempt)
  return response
}

/** The response that an attempt ended with. */
export async function recorded(store: KvStore, attempt: Attempt): Promise<RecordedResponse> {
  const response = await getResponse(store, attempt)
  if (response) return response
  throw new ProblemError(503, 'state', 'The recorded response cannot be read now; try again.')
}

/** The operations that may be this attempt: every new void, and what has the amount, where that is known. */
function matching(
  operations: readonly OrderOperation[],
  { kind }: Attempt,
  { known, expected }: AttemptDetails,
): OrderOperation[] {
  return operations.filter(
    ({ method, id, amount }) =>
      method === kind &&
      !known.includes(id) &&
      (kind === 'void' || (amount !== null && Math.round(amount * 100) === expected)),
  )
}
