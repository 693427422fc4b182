import { callGate, type GateCall, namesOf } from '../call-gate.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import type { Scope } from '../scope.ts'
import { mayPoll, revokeLink } from './checkouts.ts'
import { replayEvent, replaySoon, waitingEvent } from './deliver-events.ts'
import { erasePersonalData, eraseSoon } from './erase.ts'
import { moveMoney, settleByHand } from './move-money.ts'
import { cancelOrder, openCheckout } from './open-checkout.ts'
import { showOrder, showPage } from './order-page.ts'
import { attentionDone } from './publish.ts'
import { touch } from './published.ts'
import { takeStock } from './rebuild.ts'
import { addNote, noteLink, withRecord } from './record.ts'
import { relist } from './relist.ts'
import type { OrderScope } from './scope.ts'
import { type PackedEvent, storeEvent } from './store-event.ts'

/** The subject of an action: an order, or something that names its order. */
type Subject = string | { order_id: string }

/** An action of an order's object. What it takes and returns is plain data: it crosses from the Worker to the object. */
type Action<S extends Subject, A extends unknown[], R> = (
  scope: OrderScope,
  subject: S,
  ...argument: A
) => R | Promise<R>

export const storeWebhook = (scope: OrderScope, packed: PackedEvent): Promise<void> => storeEvent(scope, packed)

/** Every call re-arms a lost alarm; this one also republishes the order, and rebuilds it. */
export async function wake(scope: OrderScope, order_id: string): Promise<void> {
  const { store, now } = scope
  // The list may have another time of what is due.
  await store.writeDue(now(), () => touch(store, order_id, { create: false }))
  await takeStock(scope, order_id)
}

/** These read and change the order in one step: each waits for the one before. */
const ONE_BY_ONE = {
  attentionDone,
  cancelOrder,
  erasePersonalData,
  moveMoney,
  openCheckout,
  relist,
  revokeLink,
  settleByHand,
}

const ACTIONS: Readonly<Record<string, Action<never, never[], unknown>>> = {
  ...ONE_BY_ONE,
  addNote,
  eraseSoon,
  mayPoll,
  noteLink,
  replayEvent,
  replaySoon,
  showOrder,
  showPage,
  storeWebhook,
  waitingEvent,
  wake,
}

const NAMES = /* @__PURE__ */ namesOf(ACTIONS)

export const isInTurn = (name: string): boolean => Object.hasOwn(ONE_BY_ONE, name)

/** Runs an action inside its order's object. */
export function runAction(scope: OrderScope, { name, order_id = '', subject, argument, by }: GateCall): unknown {
  const action = ACTIONS[name] as Action<Subject, unknown[], unknown>
  const acting = { ...scope, by }
  const run = async () => action(acting, subject as Subject, ...argument)
  return withRecord(acting, order_id, { name, argument: argument[0] }, run)
}

/** Runs an action in the object of its order, as {@link callGate} does. An order and its further attempts share one. */
export async function act<S extends Subject, A extends unknown[], R>(
  { env, by }: Pick<Scope, 'env' | 'by'>,
  subject: S,
  action: Action<S, A, R>,
  ...argument: A
): Promise<R> {
  const order_id = typeof subject === 'string' ? subject : subject.order_id
  const call = { name: NAMES.get(action) as string, order_id, subject, argument, by }
  return (await callGate(env, `order/${baseOrderId(order_id)}`, call)) as R
}
