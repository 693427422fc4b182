import type { Context } from '../context.ts'
import { retentionMs } from '../env.ts'
import { MisconfiguredError, requireBindings } from '../lib/configuration.ts'
import { describeError, note, report } from '../lib/log.ts'
import type { Alert } from '../on-alert.ts'
import { isFinal } from '../sdk.ts'
import { type Attempt, isOpen, listAttempts } from '../store/attempts.ts'
import { getCheckout, putCheckout } from '../store/checkouts.ts'
import { orderKeyOf } from '../store/event-log.ts'
import { ignoreOutage } from '../store/kv.ts'
import { type OpenRow, openIndexOver } from '../store/open-index.ts'
import { getStatus, readOrder } from '../store/order.ts'
import { askService, ONE_LOOK } from './ask-service.ts'
import { raiseAlert } from './raise-alert.ts'
import { afterTurn, alertAfterMs, isAskDue } from './schedule.ts'
import { CALLS, settle } from './settle.ts'
import { isSpent, sweep } from './sweep.ts'

/** How many rows one run looks at, the longest due first: the service is asked about no more, mostly with one request each. */
const ROWS_OF_A_RUN = 20

/** Until a row is looked at again when the storage failed: the next run of the cron, or a gate's alarm about then. */
const FAILED_MS = 10 * 60_000

type State =
  /** It has its end. */
  | 'ended'
  /** The service calls the payment `init`, or does not know it. */
  | 'unpaid'
  /** The service has it, and it is not final. */
  | 'pending'
  /** The service was not or could not be asked, or its response does not say. */
  | 'unknown'

/**
 * Asks the service about what has been open for long and takes in its responses like webhooks: in an order's gate about
 * that order, over KV alone about every order. What fails is tried again at the next time of the schedule.
 */
export async function reconcileOpen(context: Context): Promise<void> {
  const { open, now, env } = context
  try {
    const due = (await open.list()).filter(({ next_at }) => next_at <= now())
    if (due.length === 0) return
    requireBindings(env, 'reconciliation')
    if (!(await open.beginRun(now()))) return
    due.sort((a, b) => a.next_at - b.next_at)
    for (const row of due.slice(0, ROWS_OF_A_RUN)) if (!isSpent(context)) await reconcile(context, row)
  } catch (error) {
    if (error instanceof MisconfiguredError) {
      const misconfigured = error.problems.map(({ binding, problem }) => `${binding}: ${problem}`)
      raiseAlert(context, { kind: 'configuration', order_id: null, misconfigured })
    } else report('reconciliation_failed', { order_id: null, ...describeError(error) })
  }
}

async function reconcile(context: Context, row: OpenRow): Promise<void> {
  const { open, now } = context
  const { order_id, attempt_id } = row
  try {
    const attempt = await attemptOf(context, row)
    const isOld = now() - row.since >= alertAfterMs(row, attempt !== undefined && !isOpen(attempt))
    let state = await look(context, row, attempt)
    const isAsked = state !== 'ended' && isAskDue(row, now())
    if (isAsked) state = await ask(context, row, attempt)
    const next = afterTurn(row, isAsked)
    const isAbandoned = state === 'unpaid' && isOld
    if (isAbandoned) note('checkout_abandoned', { order_id })
    const isAlert = isOld && !row.alerted && (state === 'pending' || state === 'unknown')
    if (isAlert) raiseAlert(context, alertOf(row, state))
    // One write: a second one to the same key within a second would be rejected.
    if (state === 'ended' || isAbandoned || next === undefined) {
      if (state !== 'ended') await forgetUnpaid(context, row)
      else if (context.onEvent && row.kind === 'checkout') await sweep(context, order_id)
      await open.remove(order_id, attempt_id)
    } else await open.put({ ...next, ...(isAlert && { alerted: true, listed: true }) })
  } catch (error) {
    report('reconciliation_failed', { order_id, ...describeError(error) })
    // A gate's next alarm may be a second away.
    await open.put({ ...row, next_at: now() + FAILED_MS }).catch(ignoreOutage)
  }
}

/** Watches in its order's gate what was open before there was a gate; KV shows it on. */
export async function adoptOpen({ open, store }: Context, { gated: _, ...row }: OpenRow): Promise<void> {
  const isSame = (own: OpenRow) => own.order_id === row.order_id && own.attempt_id === row.attempt_id
  const own = (await open.list()).find(isSame)
  if (!own) await open.put({ ...row, listed: true })
  // It was adopted before, and the mark in KV was not written.
  else await openIndexOver(store, true).put(own)
}

/** Over KV alone a checkout without an event stands in no index that the cron could find it by when its data is due. */
async function forgetUnpaid({ store, env, tasks }: Context, { kind, order_id }: OpenRow): Promise<void> {
  const retention = retentionMs(env)
  if (retention === undefined || tasks || kind !== 'checkout') return
  const checkout = await getCheckout(store, order_id)
  if (checkout) await putCheckout(store, order_id, checkout, { ttlSeconds: retention / 1000 })
}

function alertOf(row: OpenRow, state: State): Alert {
  const { kind, order_id, attempt_id, since } = row
  const details = { order_id, state, since: new Date(since).toISOString() }
  return attempt_id === undefined
    ? { kind: 'checkout_open', ...details }
    : { kind: 'attempt_unsettled', ...details, operation: kind, attempt_id }
}

async function attemptOf({ store }: Context, { order_id, attempt_id }: OpenRow): Promise<Attempt | undefined> {
  if (attempt_id === undefined) return undefined
  return (await listAttempts(store, await orderKeyOf(order_id))).find(({ id }) => id === attempt_id)
}

/** What is known without asking. */
async function look(context: Context, row: OpenRow, attempt: Attempt | undefined): Promise<State> {
  const { store, env } = context
  const { order_id, kind } = row
  if (kind === 'checkout') {
    // The page's status is written a moment before the event: it alone proves nothing.
    if (!isFinal((await getStatus(store, order_id))?.status ?? '')) return 'unknown'
    return isFinal((await readOrder(store, order_id, env.POS_ID, false)).order.status ?? '') ? 'ended' : 'unknown'
  }
  // Nothing was sent of an attempt that was never written.
  if (!attempt || attempt.outcome === 'not_sent' || attempt.outcome === 'rejected') return 'ended'
  if (isOpen(attempt)) return (await settle(context, order_id, attempt, false)) ? 'ended' : 'unknown'
  // Settled by hand: it is not known which operation it became.
  if (attempt.operation_id === undefined) return 'ended'
  const { order } = await readOrder(store, order_id, env.POS_ID, false)
  const operation = order.operations.find(({ id, method }) => id === attempt.operation_id && method === kind)
  return isFinal(operation?.status ?? '') ? 'ended' : 'pending'
}

async function ask(context: Context, row: OpenRow, attempt: Attempt | undefined): Promise<State> {
  const { order_id, kind, since } = row
  if (kind !== 'checkout') {
    if (attempt && isOpen(attempt)) await settle(context, order_id, attempt, ONE_LOOK)
    else await askService(context, { operation: CALLS[kind], order_id, sent_at: since }, { ...ONE_LOOK, known: [] })
    return look(context, row, await attemptOf(context, row))
  }
  const call = { operation: 'createPayment', order_id, sent_at: since }
  const resolved = await askService(context, call, { ...ONE_LOOK, settleAfterMs: 0 })
  if (resolved.outcome === 'not_executed') return 'unpaid'
  // An event of an odd shape counts where the fields that decide are right.
  if (resolved.outcome === 'unknown') return look(context, row, undefined)
  const { status } = resolved.record
  return isFinal(status) ? 'ended' : status === 'init' ? 'unpaid' : 'pending'
}
