import type { Env } from './env.ts'
import type { OnEvent } from './on-event.ts'
import { type KvStore, openKvStore } from './store/kv.ts'
import type { Outbox } from './store/outbox.ts'

/** What the worker takes from outside, so that tests can put something else in its place. */
export interface Deps {
  /** How the service is reached. Default: the runtime's fetch. */
  fetch?: typeof globalThis.fetch | undefined
  /** The clock. */
  now: () => number
  /** The merchant's code. */
  onEvent?: OnEvent | undefined
}

/** What every flow works with. */
export interface Context extends Deps {
  env: Env
  store: KvStore
  /** Present inside an order's gate: there calls come in turn, the store is consistent, and `onEvent` has a queue. */
  outbox?: Outbox
}

export const contextOf = (deps: Deps, env: Env): Context => ({ ...deps, env, store: openKvStore(env.STATE) })
