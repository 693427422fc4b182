import type { ShopEnv } from './env.ts'
import { MisconfiguredError } from './lib/configuration.ts'
import { type Problem, ProblemError } from './lib/problem.ts'
import { StorageError } from './lib/storage-error.ts'

/** What is sent to an object of ORDER_GATE: the name of an action, its order where it has one, and its argument. */
export interface GateCall {
  name: string
  order_id: string
  argument: unknown
  /** Who acts, for the record. */
  by?: string | undefined
}

/** What comes back. An error keeps what its receiver needs to know. */
export type GateResult =
  | { value: unknown }
  | { problem: Problem }
  | { storage: { message: string; tooSoon: boolean } }
  | { misconfigured: MisconfiguredError['problems'] }

/** The gate could not be called, or its response was lost: it may have done what it was asked. */
export class GateError extends StorageError {}

/**
 * Runs an action in an object of ORDER_GATE: `order/<order_id>` is an order's gate, `shop` and `shop/2026-11` are the shop's.
 *
 * @throws {ProblemError} when the action rejects the request.
 * @throws {GateError} when the gate itself failed. @throws {StorageError} when its storage did.
 */
export async function callGate({ ORDER_GATE: gates }: ShopEnv, object: string, call: GateCall): Promise<unknown> {
  let result: GateResult
  try {
    const gate = gates.get(gates.idFromName(object) as never)
    const response = await gate.fetch('https://order-gate/', { method: 'POST', body: JSON.stringify(call) })
    result = (await response.json()) as GateResult
  } catch (error) {
    throw new GateError('The order’s gate failed.', false, error)
  }
  if ('value' in result) return result.value ?? undefined
  if ('problem' in result) throw ProblemError.of(result.problem)
  if ('misconfigured' in result) throw new MisconfiguredError(result.misconfigured)
  throw new StorageError(result.storage.message, result.storage.tooSoon)
}

/** The name of the shop's object of a month; without one, of the object that knows the months. */
export const shopObject = (month?: string): string => (month === undefined ? 'shop' : `shop/${month}`)
