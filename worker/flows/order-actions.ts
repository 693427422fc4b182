import type { DurableObjectNamespace } from '@cloudflare/workers-types'
import type { Context } from '../context.ts'
import { moneyConfig } from '../env.ts'
import { MisconfiguredError } from '../lib/configuration.ts'
import { note } from '../lib/log.ts'
import { type Problem, ProblemError, problemOf } from '../lib/problem.ts'
import { cancelPayment, type ExpectedPayment, isApiError } from '../sdk.ts'
import type { RecordedResponse } from '../store/attempts.ts'
import { attemptId, baseOrderId, getCheckout, latestAttempt } from '../store/checkouts.ts'
import type { Retry } from '../store/event-progress.ts'
import { ignoreOutage, type KvStore, StorageError } from '../store/kv.ts'
import type { OpenRow } from '../store/open-index.ts'
import { getStatus, type Order, type OrderStatus, readOrder } from '../store/order.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { mayPoll } from '../store/poll-throttle.ts'
import { closeLinks, holdVisits, putRevocation } from '../store/revocations.ts'
import { adoptEvent } from './drain-outbox.ts'
import { erasePersonalData } from './erase-personal-data.ts'
import { type Opening, openCheckout, type Visit } from './open-checkout.ts'
import { type OperationRequest, operate } from './operate.ts'
import { type Arrival, type PackedEvent, receivePacked } from './process-event.ts'
import { adoptOpen } from './reconcile.ts'
import { replay } from './replay.ts'
import { settleByHand } from './settle.ts'

/** What a page shows of an order. */
export interface OrderPage {
  status: OrderStatus | undefined
  /** `purchase` or `auth`, from the checkout. */
  method: string | undefined
  /** What was asked for. */
  expected: ExpectedPayment | undefined
  /** The path of the order's link. */
  link: string | undefined
  /** The language that the link asks for. */
  lang: string | undefined
}

/** An order, and when each of its events was received (milliseconds since 1970). */
export interface ReadOrder {
  order: Order
  received: number[]
  /** The time in the key of the row that the order's gate keeps. */
  listed?: number
}

/** What a gate's queue knows of an event that `onEvent` failed on. */
export type WaitingEvent = Pick<OutboxEntry, 'attempts' | 'next_at' | 'error' | 'given_up'>

/** Everything that is done with one order. One gate serves an order and its further attempts; inside its gate each of `IN_TURN` waits for the one before. */
export interface OrderActions {
  open(visit: Visit): Promise<Opening>
  operate(request: OperationRequest): Promise<RecordedResponse>
  settle(request: { attempt_id: string; executed: boolean }): Promise<RecordedResponse>
  cancel(): Promise<Record<string, unknown>>
  revoke(link: { nonce: string; expiresAt: number }): Promise<{ opened: boolean }>
  erase(before?: number): Promise<{ erased_events: number }>
  receive(received: { packed: PackedEvent; arrival: Arrival }): Promise<void>
  page(): Promise<OrderPage>
  mayPoll(): Promise<boolean>
  read(): Promise<ReadOrder | undefined>
  waiting(event_id: string): Promise<WaitingEvent | undefined>
  replay(event_id: string): Promise<boolean>
  adopt(kept: { open: OpenRow } | { event_id: string; retry: Retry }): Promise<void>
}

export type ActionName = keyof OrderActions
type Implementation<K extends ActionName> = (
  context: Context,
  order_id: string,
  argument: Parameters<OrderActions[K]>[0],
) => ReturnType<OrderActions[K]>

/** Looked at and changed in one step: one after the other. */
export const IN_TURN: ReadonlySet<ActionName> = new Set([
  'open',
  'operate',
  'settle',
  'cancel',
  'revoke',
  'erase',
  'mayPoll',
])

/** The same code with a gate and without one. */
const ACTIONS: { [K in ActionName]: Implementation<K> } = {
  open: (context, _, visit) => openCheckout(context, visit as Visit),
  operate: (context, _, request) => operate(context, request as OperationRequest),
  settle: (context, order_id, request) => {
    const { attempt_id, executed } = request as { attempt_id: string; executed: boolean }
    return settleByHand(context, order_id, attempt_id, executed)
  },
  cancel: cancelOrder,
  async revoke({ store, now }, order_id, link) {
    const { nonce, expiresAt } = link as { nonce: string; expiresAt: number }
    await putRevocation(store, nonce, { at: now(), expiresAt })
    return { opened: (await getCheckout(store, order_id)) !== undefined }
  },
  async erase(context, order_id, before) {
    const whole = before === undefined ? await orderOf(context.store, order_id) : order_id
    const erased = await erasePersonalData(context, whole, before)
    if (before === undefined) note('personal_data_erased', { order_id, ...erased })
    return erased
  },
  receive: (context, _, received) => {
    const { packed, arrival } = received as Parameters<OrderActions['receive']>[0]
    return receivePacked(context, packed, arrival)
  },
  page: readPage,
  mayPoll: (context, order_id) => mayPoll(context.store, order_id, context.now()),
  async read(context, order_id) {
    const { order, events, checkout } = await readOrder(context.store, order_id, context.env.POS_ID)
    if (events.length === 0 && !checkout && order.attempts.length === 0) return undefined
    const listed = await context.rows?.timeOf(order_id)
    return { order, received: events.map(({ received_at }) => received_at), ...(listed !== undefined && { listed }) }
  },
  async waiting({ outbox }, _, event_id) {
    const { attempts, next_at, error, given_up } = (await outbox?.get(event_id as string)) ?? {}
    if (attempts === undefined || next_at === undefined) return undefined
    return { attempts, next_at, ...(error !== undefined && { error }), ...(given_up && { given_up }) }
  },
  replay: (context, order_id, event_id) => replay(context, order_id, event_id as string),
  adopt: (context, _, argument) => {
    const kept = argument as Parameters<OrderActions['adopt']>[0]
    return 'open' in kept ? adoptOpen(context, kept.open) : adoptEvent(context, kept.event_id, kept.retry)
  },
}

/**
 * Cancels the payment that is open: that of the order's latest attempt. Closes the order's link, also where there is
 * nothing to cancel: the service does not know the order, or the attempt was declined.
 *
 * @param named The order, or a further attempt at it.
 */
async function cancelOrder(context: Context, named: string): Promise<Record<string, unknown>> {
  const { store, env, fetch, now, outbox } = context
  const order_id = await orderOf(store, named)
  // A visit that does not see this has written which attempt is the latest.
  if (!outbox) await holdVisits(store, order_id, now()).catch(ignoreOutage)
  const checkout = await getCheckout(store, order_id).catch(ignoreOutage)
  const first = checkout?.attempts ?? 1
  let unread: unknown
  const latest = await latestAttempt(store, order_id, first).catch((error: unknown) => {
    ignoreOutage(error)
    unread = error
    return first
  })
  const wasOpened = checkout !== undefined || latest > 1
  for (let attempt = latest; ; attempt--) {
    const open_id = attemptId(order_id, attempt)
    // The next attempt was announced, and never created: a visit may still create it.
    const isFollowed = attempt < latest
    try {
      const cancelled = { ...(await cancelPayment(moneyConfig(env, fetch), { order_id: open_id })) }
      const closing = closeLinks(store, order_id, now())
      // Where nothing follows, the payment's webhook says it too: a write that fails here changes nothing for long.
      await (isFollowed ? closing : closing.catch(ignoreOutage))
      return cancelled
    } catch (error) {
      if (!wasOpened || !isApiError(error)) throw error
      if (error.status === 404 && attempt > first) continue
      const { status, cancelled } = (await getStatus(store, open_id)) ?? {}
      if (status === 'success') throw error
      // A cancellation by this worker, not by the shop, is followed by another attempt.
      const leadsOn = !cancelled || isFollowed || checkout?.expired === true
      const isOver = error.status === 404 || (status === 'failure' && leadsOn)
      if (!isOver && !isFollowed) throw error
      // No webhook will say it: without this write the link would still lead to a payment.
      await closeLinks(store, order_id, now())
      if (!isOver) throw error
      // A further attempt may be open.
      if (unread) throw unread
      await context.open.remove(open_id).catch(ignoreOutage)
      return { order_id: open_id, link: 'closed' }
    }
  }
}

/** The order that is meant by the id of one of its attempts. */
async function orderOf(store: KvStore, named: string): Promise<string> {
  return baseOrderId(named) === named ? named : ((await getCheckout(store, named))?.replaces ?? named)
}

async function readPage({ store, outbox }: Context, order_id: string): Promise<OrderPage> {
  const known = getStatus(store, order_id)
  // A gate asks KV too, for an order of an earlier worker: a KV that fails must not break the page of any other.
  const [status, checkout] = await Promise.all([
    outbox ? known.catch(ignoreOutage) : known,
    getCheckout(store, order_id),
  ])
  const expected = checkout && { amount: checkout.amount, currency: checkout.currency }
  const { method, link, lang } = checkout ?? {}
  return { status, method, expected, link, lang }
}

/** What crosses from a gate to the worker: plain data. An error keeps what its receiver needs to know. */
export type Crossing =
  | { value: unknown }
  | { problem: Problem }
  | { storage: { message: string; tooSoon: boolean } }
  | { misconfigured: MisconfiguredError['problems'] }

/** Runs an action where its order's state is. */
export async function runAction(
  context: Context,
  name: ActionName,
  order_id: string,
  argument: unknown,
): Promise<Crossing> {
  try {
    const value: unknown = await (ACTIONS[name] as Implementation<ActionName>)(context, order_id, argument as never)
    return { value: value ?? null }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem }
    if (error instanceof MisconfiguredError) return { misconfigured: error.problems }
    if (error instanceof StorageError) return { storage: { message: error.message, tooSoon: error.tooSoon } }
    const problem = problemOf(error)
    if (problem) return { problem }
    throw error
  }
}

/** The other end of {@link runAction}. */
function received(crossing: Crossing): unknown {
  if ('value' in crossing) return crossing.value ?? undefined
  if ('problem' in crossing) throw new ProblemError(crossing.problem)
  if ('misconfigured' in crossing) throw new MisconfiguredError(crossing.misconfigured)
  throw new StorageError(crossing.storage.message, crossing.storage.tooSoon)
}

/** The actions of an order: in its gate where there is one, else here, over KV alone. */
export function actionsOf(context: Context, order_id: string): OrderActions {
  const gates = context.env.ORDER_GATE
  const run = async (name: ActionName, argument: unknown): Promise<unknown> => {
    if (!gates) return received(await runAction(context, name, order_id, argument))
    return received(await callGate(gates, { name, order_id, argument }))
  }
  return new Proxy({} as OrderActions, { get: (_, name) => (argument: unknown) => run(name as ActionName, argument) })
}

/** What is sent to an order's gate. */
export interface GateCall {
  name: ActionName
  order_id: string
  argument: unknown
}

async function callGate(gates: DurableObjectNamespace, call: GateCall): Promise<Crossing> {
  try {
    const gate = gates.get(gates.idFromName(baseOrderId(call.order_id)))
    const response = await gate.fetch('https://order-gate/', { method: 'POST', body: JSON.stringify(call) })
    return (await response.json()) as Crossing
  } catch (error) {
    throw new StorageError('The order’s gate failed.', false, error)
  }
}
