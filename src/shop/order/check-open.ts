import { isFinal } from '../../helpers/status.ts'
import { isOpen, type MoneyOperation } from '../../money/protocol.ts'
import { hasEnded } from '../../money/unsettled.ts'
import { requireBindings } from '../lib/configuration.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import type { RaisedAlert } from '../options.ts'
import { askService, ONE_LOOK } from './ask-service.ts'
import { checkOperation, listAtService } from './move-money.ts'
import { cancelBeside, cancelOrder } from './open-checkout.ts'
import { isPaidBeside, listOperations, readOrder } from './order.ts'
import { ABANDONED_MS } from './protocol-checkout.ts'
import { raiseAlert, raiseMisconfigured } from './raise-alert.ts'
import type { OrderScope } from './scope.ts'
import { afterTurn, alertAfterMs, isAskDue, listWatched, unwatch, type WatchedRow, watch } from './watchlist.ts'

/** How many rows one alarm looks at, the longest due first. Most need one request to the service. */
const ROWS_OF_AN_ALARM = 20

/** Until a row is looked at again when the storage failed. */
const FAILED_MS = 10 * 60_000

/** `unpaid`: the service calls the payment `init`, or does not know it. `unknown`: it was not asked, or does not say. */
type State = 'ended' | 'unpaid' | 'pending' | 'unknown'

/**
 * Asks the service about what an order's gate has watched for long, and stores its responses like webhooks. A look-up that
 * fails is repeated at the next time of the schedule.
 */
export async function checkOpen(scope: OrderScope): Promise<void> {
  const { store, now, env } = scope
  try {
    const due = listWatched(store).filter((row) => row.next_at <= now() || isAnswered(scope, row))
    if (due.length === 0) return
    requireBindings(env, 'reconciliation')
    for (const row of due.slice(0, ROWS_OF_AN_ALARM)) await check(scope, row)
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problem : undefined
    if (problem?.misconfigured) raiseMisconfigured(scope, problem.misconfigured as string[])
    else logError('reconciliation_failed', { order_id: null, ...describeError(error) })
  }
}

/** Whether an event says what became of an operation that is open, or how a settled one has ended. */
function isAnswered(scope: OrderScope, row: WatchedRow): boolean {
  const operation = operationOf(scope, row)
  if (!operation) return false
  const { attempts, operations } = readOrder(scope, row.order_id).order
  return isOpen(operation) ? attempts.every(({ id }) => id !== operation.id) : hasEnded(operation, operations)
}

async function check(scope: OrderScope, row: WatchedRow): Promise<void> {
  const { store, now } = scope
  const { order_id, attempt_id } = row
  try {
    // An order that holds money takes no second payment.
    const isBeside = row.kind === 'checkout' && isPaidBeside(store, order_id)
    const isToEnd = isBeside || row.closed
    let state = await look(scope, row)
    const isDue = isAskDue(row, now())
    if (state !== 'ended' && (isToEnd || isDue)) state = await ask(scope, row)
    const operation = operationOf(scope, row)
    const isOld = now() - row.since >= alertAfterMs(row, operation !== undefined && !isOpen(operation))
    if (isBeside && state === 'unpaid' && (await cancelBeside(scope, order_id))) state = 'ended'
    // How that ends is said by its webhook, or by the service at the next look.
    else if (row.closed && state === 'unpaid') await cancelOrder(scope, order_id)
    const next = afterTurn(row, isDue) ?? (isBeside ? { ...row, next_at: now() + ABANDONED_MS } : undefined)
    const isAbandoned = state === 'unpaid' && isOld && !isBeside
    if (isAbandoned) logInfo('checkout_abandoned', { order_id })
    const isAlert = !row.alerted && state !== 'ended' && (isBeside || (isOld && state !== 'unpaid'))
    if (isAlert) raiseAlert(scope, alertOf(row, state))
    if (state === 'ended' || isAbandoned || next === undefined) await unwatch(store, order_id, attempt_id)
    else await watch(store, { ...next, ...(isAlert && { alerted: true, listed: true }) })
  } catch (error) {
    logError('reconciliation_failed', { order_id, ...describeError(error) })
    // The next alarm may be a second away.
    await watch(store, { ...row, next_at: now() + FAILED_MS }).catch(ignoreOutage)
  }
}

export function alertOf(row: WatchedRow, state?: State): RaisedAlert {
  const { kind, order_id, attempt_id, since } = row
  const details = { order_id, ...(state && { state }), since: new Date(since).toISOString() }
  return attempt_id === undefined
    ? { kind: 'checkout_open', ...details }
    : { kind: 'operation_unsettled', ...details, operation: kind, attempt_id }
}

const operationOf = ({ store }: OrderScope, { order_id, attempt_id }: WatchedRow): MoneyOperation | undefined =>
  listOperations(store, order_id).find(({ id }) => id === attempt_id)

/** The state without asking the service. An event that settles an operation may have a status that is not final. */
async function look(scope: OrderScope, row: WatchedRow): Promise<State> {
  const { order_id, kind, attempt_id } = row
  if (kind === 'checkout') return isFinal(readOrder(scope, order_id).order.status ?? '') ? 'ended' : 'unknown'
  await checkOperation(scope, order_id, attempt_id as string, false)
  const operation = operationOf(scope, row)
  // Nothing was sent of an operation that was never written.
  if (!operation || operation.outcome === 'not_sent' || operation.outcome === 'rejected') return 'ended'
  if (isOpen(operation)) return 'unknown'
  return hasEnded(operation, readOrder(scope, order_id).order.operations) ? 'ended' : 'pending'
}

async function ask(scope: OrderScope, row: WatchedRow): Promise<State> {
  const { order_id, kind, since } = row
  const operation = operationOf(scope, row)
  if (kind !== 'checkout') {
    if (operation && isOpen(operation)) await checkOperation(scope, order_id, operation.id, true)
    else if (operation) await listAtService(scope, operation, order_id)
    return look(scope, row)
  }
  const call = { operation: 'createPayment', order_id, sent_at: since }
  const resolved = await askService(scope, call, { ...ONE_LOOK, settleAfterMs: 0 })
  if (resolved.outcome === 'not_executed') return 'unpaid'
  // An event of an odd shape counts where the fields that decide are right.
  if (resolved.outcome === 'unknown') return look(scope, row)
  const { status } = resolved.record
  return isFinal(status) ? 'ended' : status === 'init' ? 'unpaid' : 'pending'
}
