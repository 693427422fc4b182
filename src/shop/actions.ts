import { auditOfMonth, moneyOfMonth, totalsOfMonth } from './books/days.ts'
import { addLink, eraseLinks, linksOfShop, markRevoked, statusesOfMonth, tokenOfShort } from './books/links.ts'
import {
  addMonth,
  attentionOfMonth,
  awaitOrder,
  countFailing,
  failingOfMonth,
  keepOrder,
  lateOfMonth,
  monthsOfShop,
  onceAnHour,
  ordersOfMonth,
  periodOfMonth,
  progressOf,
  putInBooks,
  putInList,
  startRun,
} from './books/orders.ts'
import { callGate, type GateCall, type GateResult, shopObject } from './call-gate.ts'
import type { ShopEnv } from './env.ts'
import { baseOrderId } from './lib/attempt-id.ts'
import { MisconfiguredError } from './lib/configuration.ts'
import { ProblemError, problemOf } from './lib/problem.ts'
import { StorageError } from './lib/storage-error.ts'
import { revokeLink } from './order/checkout-records.ts'
import { replayEvent, replaySoon, waitingEvent } from './order/deliver-events.ts'
import { erasePersonalData, eraseSoon } from './order/erase.ts'
import { moveMoney, settleByHand } from './order/move-money.ts'
import { cancelOrder, openCheckout } from './order/open-checkout.ts'
import { mayPoll, showOrder, showPage } from './order/order-page.ts'
import { attentionDone } from './order/publish.ts'
import { touch } from './order/published.ts'
import { addNote, noteLink, withRecord } from './order/record.ts'
import { relist } from './order/relist.ts'
import type { OrderScope } from './order/scope.ts'
import { type PackedEvent, storeEvent } from './order/store-event.ts'
import type { Scope } from './scope.ts'

/** An action of an order's gate. Its argument and its result are plain data: they cross from the worker to the gate. */
type Action<A extends unknown[], R> = (scope: OrderScope, order_id: string, ...argument: A) => Promise<R>

/** Stores one webhook. */
export const storeWebhook = (scope: OrderScope, _: string, packed: PackedEvent): Promise<void> =>
  storeEvent(scope, packed)

const AWAKE = 'awake'
/** Any call has the gate set its alarm again, should it have been lost; this one has the order published too. */
export async function wake({ store, now }: OrderScope, order_id: string): Promise<'awake'> {
  // The list may have another time of what is due.
  if (order_id !== '') await store.writeDue(now(), () => touch(store, order_id, now(), { create: false }))
  return AWAKE
}

/** These read and change the order in one step: each waits for the one before. */
const ONE_BY_ONE = {
  attentionDone,
  cancelOrder,
  erasePersonalData,
  mayPoll,
  moveMoney,
  openCheckout,
  revokeLink,
  settleByHand,
}

/** Every action of a gate, and of the shop's objects. */
const ACTIONS: Readonly<Record<string, Action<never[], unknown>>> = {
  ...ONE_BY_ONE,
  addLink,
  addMonth,
  addNote,
  attentionOfMonth,
  auditOfMonth,
  awaitOrder,
  countFailing,
  eraseLinks,
  eraseSoon,
  failingOfMonth,
  keepOrder,
  lateOfMonth,
  linksOfShop,
  markRevoked,
  moneyOfMonth,
  monthsOfShop,
  noteLink,
  onceAnHour,
  ordersOfMonth,
  periodOfMonth,
  progressOf,
  putInBooks,
  putInList,
  relist,
  replayEvent,
  replaySoon,
  showOrder,
  showPage,
  startRun,
  statusesOfMonth,
  storeWebhook,
  tokenOfShort,
  totalsOfMonth,
  waitingEvent,
  wake,
}

export const isInTurn = (name: string): boolean => Object.hasOwn(ONE_BY_ONE, name)

/** Runs an action inside its order's gate. */
export async function runAction(scope: OrderScope, { name, order_id, argument, by }: GateCall): Promise<GateResult> {
  try {
    const action = ACTIONS[name] as Action<unknown[], unknown>
    const acting = { ...scope, by }
    const value = await withRecord(acting, order_id, { name, argument }, () => action(acting, order_id, argument))
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

const NAMES: ReadonlyMap<unknown, string> = /* @__PURE__ */ new Map(
  Object.entries(ACTIONS).map(([name, action]) => [action, name]),
)

async function actIn<A extends unknown[], R>(
  { env, by }: Scope,
  object: string,
  order_id: string,
  action: Action<A, R>,
  [argument]: A,
): Promise<R> {
  return (await callGate(env, object, { name: NAMES.get(action) as string, order_id, argument, by })) as R
}

/** Runs an action in the gate of its order, as {@link callGate} does. An order and its further attempts share one gate. */
export const act = <A extends unknown[], R>(
  scope: Scope,
  order_id: string,
  action: Action<A, R>,
  ...argument: A
): Promise<R> => actIn(scope, `order/${baseOrderId(order_id)}`, order_id, action, argument)

/** Runs an action in the shop's object of a month, or in the one without a month. */
export const actShop = <A extends unknown[], R>(
  scope: Scope,
  month: string | undefined,
  action: Action<A, R>,
  ...argument: A
): Promise<R> => actIn(scope, shopObject(month), '', action, argument)

/** Whether ORDER_GATE leads to a gate of this shop: a namespace may be of another program's class. */
export async function isGateThere(env: ShopEnv): Promise<boolean> {
  const call = { name: 'wake', order_id: '', argument: undefined }
  return callGate(env, 'health', call).then(
    (value) => value === AWAKE,
    () => false,
  )
}
