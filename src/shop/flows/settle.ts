import { type CallOptions, foldOrder, isFinal, type OrderOperation } from '../../index.ts'
import { describeError, logError } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import type { OrderScope } from '../scope.ts'
import { orderKeyOf } from '../store/event-log.ts'
import {
  getOperationDetails,
  isOpen,
  listOperations,
  type MoneyOperation,
  type OperationDetails,
  type OperationKind,
  putOutcome,
  type RecordedResponse,
} from '../store/money-operations.ts'
import { readOrder } from '../store/order.ts'
import { askService, ONE_LOOK } from './ask-service.ts'
import { unwatch } from './schedule.ts'

/** An operation that the storage holds up for longer is not sent. */
export const SEND_MS = 30_000
/** A call ends within the SDK's 30 seconds after that: later, an operation without an outcome is one whose worker died. */
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
 * Finds out whether an operation with an unknown outcome was executed: from the webhooks that arrived since, else by asking
 * the service (`resolveOutcome`). It is taken to be the one operation of its kind and amount that was not known before.
 *
 * @param options `false`: from the webhooks alone; else those of the look-up.
 * @returns The response to give to its caller; undefined while it cannot be known.
 */
export async function settle(
  scope: OrderScope,
  order_id: string,
  operation: MoneyOperation,
  options: CallOptions | false = {},
): Promise<RecordedResponse | undefined> {
  const { store, env, now } = scope
  const { kind, amount, started_at, outcome } = operation
  const details = await getOperationDetails(store, operation)
  const others = (await listOperations(store, await orderKeyOf(order_id))).filter(({ id }) => id !== operation.id)
  // Exclude the operations of the service that are already matched to other requests.
  const known = details.known.concat(others.flatMap(({ operation_id }) => operation_id ?? []))
  const settleFrom = async (found: readonly OrderOperation[]): Promise<RecordedResponse | 'none' | undefined> => {
    const [first] = found
    if (!first) return 'none'
    // Two that match, or one that may be of two requests: which is which cannot be known.
    if (found.length > 1 || (await isOfOther(scope, operation, first, others))) return undefined
    return executed(scope, order_id, operation, first)
  }
  const match = async () => {
    const { order } = await readOrder(store, order_id, env.POS_ID)
    return matching(order.operations, operation, { ...details, known })
  }
  const settled = await settleFrom(await match())
  if (settled !== 'none') return settled
  if (!options || !(outcome === 'unknown' || now() - started_at > CALL_MS)) return undefined
  const call = { operation: CALLS[kind], order_id, amount: amount ?? undefined, sent_at: started_at }
  const resolved = await askService(scope, call, { ...options, known, settleAfterMs: NEVER_MS })
  // The response itself counts: its record may be of an odd shape, which is stored but not added up.
  const shown = resolved.outcome === 'executed' ? foldOrder([resolved.record]).operations.slice(0, 1) : []
  const since = await settleFrom(shown.length > 0 ? shown.filter(({ id }) => !known.includes(id)) : await match())
  if (since !== 'none') return since
  return resolved.outcome === 'not_executed' ? notExecuted(scope, order_id, operation) : undefined
}

/**
 * Whether an operation of the service may belong to a request that a person has settled: that one names no operation, and
 * the service may show it at any time.
 */
async function isOfOther(
  { store }: OrderScope,
  { kind, keyHash }: MoneyOperation,
  found: OrderOperation,
  others: readonly MoneyOperation[],
): Promise<boolean> {
  for (const other of others) {
    const isByHand = other.outcome === 'done' && other.operation_id === undefined
    if (!isByHand || other.kind !== kind || other.keyHash === keyHash) continue
    if (matching([found], other, await getOperationDetails(store, other)).length > 0) return true
  }
  return false
}

/** Settles an operation manually when its outcome cannot be determined. */
export async function settleByHand(
  scope: OrderScope,
  order_id: string,
  { attempt_id, executed }: { attempt_id: string; executed: boolean },
): Promise<RecordedResponse> {
  const operation = await openOperation(scope, order_id, attempt_id)
  const { kind, amount, started_at } = operation
  logError('operation_settled_by_hand', { attempt_id, operation: kind, order_id, executed })
  if (!executed) return notExecuted(scope, order_id, operation)
  // Its webhook may never arrive, or with an unknown status: the operations that the service lists count in the totals.
  // Before it is settled: a later request must know its operation, and not take it for its own.
  const call = { operation: CALLS[kind], order_id, sent_at: started_at }
  await askService(scope, call, { ...ONE_LOOK, known: [] }).catch((error: unknown) => {
    logError('reconciliation_failed', { order_id, ...describeError(error) })
  })
  const response = { status: 200, body: { order_id, method: kind, amount, settled_by_hand: true } }
  await putOutcome(scope.store, operation, 'done', response)
  await unwatch(scope, order_id, operation)
  return response
}

async function openOperation({ store, now }: OrderScope, order_id: string, id: string): Promise<MoneyOperation> {
  const operations = await listOperations(store, await orderKeyOf(order_id))
  const operation = operations.find((one) => one.id === id)
  if (!operation) throw new ProblemError(404, 'not_found', 'No such attempt.')
  if (!isOpen(operation))
    throw new ProblemError(409, 'already_settled', 'The outcome of this attempt is known already.')
  const { kind, outcome, started_at } = operation
  if (outcome === undefined && now() - started_at <= CALL_MS) {
    throw new ProblemError(409, `${kind}_in_progress`, 'Its call may still be in progress.', 'Try again in a minute.')
  }
  return operation
}

async function executed(
  scope: OrderScope,
  order_id: string,
  operation: MoneyOperation,
  found: OrderOperation,
): Promise<RecordedResponse> {
  const { id: operation_id, ...fields } = found
  const response = { status: 200, body: { operation_id, order_id, ...fields } }
  await putOutcome(scope.store, operation, 'done', response, operation_id)
  if (isFinal(String(found.status))) await unwatch(scope, order_id, operation)
  return response
}

async function notExecuted(scope: OrderScope, order_id: string, operation: MoneyOperation): Promise<RecordedResponse> {
  const { kind } = operation
  const body = {
    status: 409,
    code: `${kind}_not_executed`,
    title: `The ${kind} was not executed: the service does not know it.`,
    detail: 'Send it again with a new Idempotency-Key.',
  }
  const response = { status: body.status, body }
  await putOutcome(scope.store, operation, 'rejected', response)
  await unwatch(scope, order_id, operation)
  return response
}

/** The operations of the service that may be this one: every new void, and those of the amount, where that is known. */
function matching(
  operations: readonly OrderOperation[],
  { kind }: MoneyOperation,
  { known, expected }: OperationDetails,
): OrderOperation[] {
  return operations.filter(
    ({ method, id, amount }) =>
      method === kind &&
      !known.includes(id) &&
      (kind === 'void' || (amount !== null && Math.round(amount * 100) === expected)),
  )
}
