import type { Context as HonoContext } from 'hono'
import type { Env } from './env.ts'
import type { OnAlert } from './on-alert.ts'
import type { OnEvent } from './on-event.ts'
import type { GateRows } from './store/gate-rows.ts'
import type { GateTasks } from './store/gate-tasks.ts'
import { type KvStore, openKvStore } from './store/kv.ts'
import { type OpenIndex, openIndexOver } from './store/open-index.ts'
import type { Outbox } from './store/outbox.ts'

/** What the worker takes from outside, so that tests can put something else in its place. */
export interface Deps {
  /** How the service is reached. Default: the runtime's fetch. */
  fetch?: typeof globalThis.fetch | undefined
  /** The clock. */
  now: () => number
  /** The merchant's code. */
  onEvent?: OnEvent | undefined
  /** The merchant's code for what a person should look at. */
  onAlert?: OnAlert | undefined
}

/** What every flow works with. */
export interface Context extends Deps {
  env: Env
  store: KvStore
  /** What has no end yet, and is asked about on a schedule. */
  open: OpenIndex
  /** Present inside an order's gate: there calls come in turn, the store is consistent, and `onEvent` has a queue. */
  outbox?: Outbox
  /** Present inside an order's gate: keeps the order's row in the index of orders. */
  rows?: GateRows
  /** Present inside an order's gate: what it does later. */
  tasks?: GateTasks
  /** Present inside an order's gate: takes in one event after the other. */
  eventsInTurn?: Turn
  /** Keeps the worker running for work that the response does not wait for. A gate runs on while there is some. */
  waitUntil?: WaitUntil | undefined
}

/** Runs one piece of work after the other. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

type WaitUntil = (work: Promise<unknown>) => void

export function contextOf(deps: Deps, env: Env, waitUntil?: WaitUntil): Context {
  const store = openKvStore(env.STATE)
  return { ...deps, env, store, open: openIndexOver(store), waitUntil }
}

/** What a route passes to {@link contextOf}; undefined where the app runs without an execution context, as in tests. */
export function waitUntilOf(c: HonoContext): WaitUntil | undefined {
  try {
    const { executionCtx } = c
    return (work) => executionCtx.waitUntil(work)
  } catch {
    return undefined
  }
}
