import { ConfigError } from '../../errors.ts'
import { isObject } from '../../lib/kind.ts'
import type { Answer } from './answer.ts'
import type { Judgement } from './judgement.ts'
import type { Undocumented } from './undocumented.ts'

/** An order that a run made, written down before it was sent. */
export interface MadeOrder {
  order_id: string
  /** `checkout`: hosted, never paid. The others are paid with the test card. */
  what: 'checkout' | 'authorization' | 'purchase'
  /** The amount that is sent, in the currency's unit. */
  amount: number
  currency: string
  at: number
  /** Sent with a card, and not rejected: it may have taken money until the service reports its failure. */
  sent?: true
  /** Its end; undefined while it has not been looked at. */
  now?: string
  /** Whether a person has to look at it. */
  open?: true
}

/** The state from which an interrupted run goes on, without credentials, cards or responses of the service. */
export interface RunState {
  version: 1
  /** A digest of the project: another project's state is rejected. */
  project: string
  /** Which authentication works, by the first story. */
  authentication?: 'per-endpoint' | 'plain'
  /** The result of a hosted payment with every documented field, if it was made: others are compared with it. */
  hosted?: Answer['verdict']
  done: Record<string, Judgement[]>
  made: MadeOrder[]
  undocumented: Undocumented
}

export interface StateStore {
  load(): Promise<unknown>
  /** Resolves when it is safe; undefined removes it. */
  save(state: RunState | undefined): Promise<void>
}

/** Nothing was tried yet. `made` has the orders of earlier runs that are still open. */
export const newState = (project: string, made: MadeOrder[] = []): RunState => {
  return { version: 1, project, done: {}, made, undocumented: { fields: [], values: [] } }
}

/** Goes on from a stored state, or begins. @throws {ConfigError} for the state of another project. */
export function readState(stored: unknown, project: string): RunState {
  if (stored === undefined) return newState(project)
  const state = stored as RunState
  const isState = isObject(stored) && state.version === 1 && isObject(state.done) && Array.isArray(state.made)
  if (!isState) throw new ConfigError('state', 'The state file is not one of doctor --conform.')
  if (state.project !== project) {
    throw new ConfigError('state', 'The state file belongs to another project: name another one with --state.')
  }
  return state
}
