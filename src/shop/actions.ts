import type { ShopEnv } from './env.ts'
import { revokeLink } from './flows/checkout-records.ts'
import { replayEvent, replaySoon, waitingEvent } from './flows/deliver-events.ts'
import { erasePersonalData, eraseSoon } from './flows/erase-personal-data.ts'
import { moveMoney, settleByHand } from './flows/move-money.ts'
import { cancelOrder, openCheckout } from './flows/open-checkout.ts'
import { mayPoll, showOrder, showPage } from './flows/order-page.ts'
import { type PackedEvent, storeEvent } from './flows/store-event.ts'
import { MisconfiguredError } from './lib/configuration.ts'
import { type Problem, ProblemError, problemOf } from './lib/problem.ts'
import type { OrderScope, Scope } from './scope.ts'
import { baseOrderId } from './store/checkouts.ts'
import { StorageError } from './store/kv.ts'

/** An action of an order's gate. Its argument and its result are plain data: they cross from the worker to the gate. */
type Action<A, R> = (scope: OrderScope, order_id: string, argument: A) => Promise<R>

/** Stores one webhook. */
export const storeWebhook = (scope: OrderScope, _: string, packed: PackedEvent): Promise<void> =>
  storeEvent(scope, packed)

const AWAKE = 'awake'
/** Any call has the gate set its alarm again, should it have been lost; this one does nothing else. */
export const wake = async (): Promise<'awake'> => AWAKE

/** Every action of a gate. `act` takes one of these functions. */
interface Actions {
  cancelOrder: typeof cancelOrder
  erasePersonalData: typeof erasePersonalData
  eraseSoon: typeof eraseSoon
  mayPoll: typeof mayPoll
  moveMoney: typeof moveMoney
  openCheckout: typeof openCheckout
  replayEvent: typeof replayEvent
  replaySoon: typeof replaySoon
  revokeLink: typeof revokeLink
  settleByHand: typeof settleByHand
  showOrder: typeof showOrder
  showPage: typeof showPage
  storeWebhook: typeof storeWebhook
  waitingEvent: typeof waitingEvent
  wake: typeof wake
}

export type ActionName = keyof Actions

const ACTIONS: Actions = {
  cancelOrder,
  erasePersonalData,
  eraseSoon,
  mayPoll,
  moveMoney,
  openCheckout,
  replayEvent,
  replaySoon,
  revokeLink,
  settleByHand,
  showOrder,
  showPage,
  storeWebhook,
  waitingEvent,
  wake,
}

/** These read and change the order in one step: each waits for the one before. */
export const IN_TURN: ReadonlySet<ActionName> = new Set([
  'cancelOrder',
  'erasePersonalData',
  'mayPoll',
  'moveMoney',
  'openCheckout',
  'revokeLink',
  'settleByHand',
])

/** What is sent to an order's gate. */
export interface GateCall {
  name: ActionName
  order_id: string
  argument: unknown
}

/** What comes back. An error keeps what its receiver needs to know. */
export type GateResult =
  | { value: unknown }
  | { problem: Problem }
  | { storage: { message: string; tooSoon: boolean } }
  | { misconfigured: MisconfiguredError['problems'] }

/** Runs an action inside its order's gate. */
export async function runAction(scope: OrderScope, { name, order_id, argument }: GateCall): Promise<GateResult> {
  try {
    const action = ACTIONS[name] as Action<unknown, unknown>
    return { value: (await action(scope, order_id, argument)) ?? null }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem }
    if (error instanceof MisconfiguredError) return { misconfigured: error.problems }
    if (error instanceof StorageError) return { storage: { message: error.message, tooSoon: error.tooSoon } }
    const problem = problemOf(error)
    if (problem) return { problem }
    throw error
  }
}

const NAMES: ReadonlyMap<unknown, ActionName> = /* @__PURE__ */ new Map(
  Object.entries(ACTIONS).map(([name, action]) => [action, name as ActionName]),
)

/** The parameters of an action after the scope and the order. */
type Rest<F extends Actions[ActionName]> = Parameters<F> extends [unknown, unknown, ...infer R] ? R : []

/** The gate could not be called, or its response was lost: it may have done what it was asked. */
export class GateError extends StorageError {}

/**
 * Runs an action in the gate of its order. An order and its further attempts share one gate.
 *
 * @throws {ProblemError} when the action rejects the request.
 * @throws {GateError} when the gate itself failed. @throws {StorageError} when its storage did.
 */
export async function act<F extends Actions[ActionName]>(
  { env }: Scope,
  order_id: string,
  action: F,
  ...[argument]: Rest<F>
): Promise<Awaited<ReturnType<F>>> {
  const call: GateCall = { name: NAMES.get(action) as ActionName, order_id, argument }
  const result = await callGate(env, `order/${baseOrderId(order_id)}`, call)
  if ('value' in result) return (result.value ?? undefined) as Awaited<ReturnType<F>>
  if ('problem' in result) throw ProblemError.of(result.problem)
  if ('misconfigured' in result) throw new MisconfiguredError(result.misconfigured)
  throw new StorageError(result.storage.message, result.storage.tooSoon)
}

/** Whether ORDER_GATE leads to a gate of this shop: a namespace may be of another program's class. */
export async function isGateThere(env: ShopEnv): Promise<boolean> {
  try {
    const result = await callGate(env, 'health', { name: 'wake', order_id: '', argument: undefined })
    return 'value' in result && result.value === AWAKE
  } catch {
    return false
  }
}

async function callGate({ ORDER_GATE: gates }: ShopEnv, name: string, call: GateCall): Promise<GateResult> {
  try {
    const gate = gates.get(gates.idFromName(name) as never)
    const response = await gate.fetch('https://order-gate/', { method: 'POST', body: JSON.stringify(call) })
    return (await response.json()) as GateResult
  } catch (error) {
    throw new GateError('The order’s gate failed.', false, error)
  }
}
