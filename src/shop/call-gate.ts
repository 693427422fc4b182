import type { ShopEnv } from './env.ts'
import { type Problem, ProblemError, problemOf } from './lib/problem.ts'
import { StorageError } from './lib/storage-error.ts'

/** A message to an object of ORDER_GATE: the name of an action and its argument; to an order's, what it is about. */
export interface GateCall {
  name: string
  /** Absent in a call of the shop's objects. */
  order_id?: string
  subject?: unknown
  argument: unknown[]
  /** Who acts, for the record. */
  by?: string | undefined
}

/** Its answer. An error keeps what its receiver needs to know. */
export type GateResult = { value: unknown } | { problem: Problem } | { storage: { message: string; tooSoon: boolean } }

/** The gate could not be called, or its response was lost: it may have done what it was asked. */
export class GateError extends StorageError {}

/**
 * Runs an action in an object of ORDER_GATE: `order/<order_id>` is an order's, `shop` and `shop/2026-11` are the shop's.
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
  throw new StorageError(result.storage.message, result.storage.tooSoon)
}

export async function resultOf(run: () => unknown): Promise<GateResult> {
  try {
    return { value: (await run()) ?? null }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem }
    if (error instanceof StorageError) return { storage: { message: error.message, tooSoon: error.tooSoon } }
    const problem = problemOf(error)
    if (problem) return { problem }
    throw error
  }
}

/** An action is called by its function, and travels by its name. */
export const namesOf = (actions: object): ReadonlyMap<unknown, string> =>
  new Map(Object.entries(actions).map(([name, action]) => [action, name]))
