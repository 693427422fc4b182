import type { Context } from 'hono'
import { clockAhead, type ShopEnv } from './env.ts'
import { type KvStore, openKvStore } from './kv/kv.ts'
import type { Actor, Role } from './lib/people.ts'
import type { ShopOptions } from './options.ts'
import type { WaitUntil } from './runtime.ts'

/** The shop's options, plus a clock. */
export interface Deps extends ShopOptions {
  now: () => number
  /** Orders that a book takes: a test's alone. */
  bookSize?: number | undefined
}

/** The surroundings of a request. */
export interface Scope extends Deps {
  env: ShopEnv
  /** The state that every place sees, a while later. */
  kv: KvStore
  /** Keeps the worker running for work that the response does not wait for. */
  waitUntil?: WaitUntil | undefined
  /** Who acts, for the record: `api` over HTTP. Absent where nobody of the shop does: a webhook, a customer, an alarm. */
  by?: string | undefined
  /** The role of whoever acts: `act` does not ask for it, the route did. */
  role?: Role | undefined
}

export type C = Context<{ Bindings: ShopEnv }>

/** Runs one piece of work after the other. `goesFirst`: before those that wait. */
export type Turn = <T>(work: () => Promise<T>, goesFirst?: boolean) => Promise<T>

export function openScope(deps: Deps, env: ShopEnv, waitUntil?: WaitUntil): Scope {
  const ahead = clockAhead(env)
  return { ...deps, now: () => deps.now() + ahead, env, kv: openKvStore(env.STATE), waitUntil }
}

/** Requests that were made inside the Worker, and who acts. */
const ACTORS = new WeakMap<Request, Actor>()
export const actAs = (request: Request, actor: Actor): unknown => ACTORS.set(request, actor)
export const actorOf = ({ req }: Context): Actor | undefined => ACTORS.get(req.raw)

/** The scope of a request. An app that tests call has no execution context. */
export function scopeOf(deps: Deps, c: C): Scope {
  return openScope(deps, c.env, waitUntilOf(c))
}

function waitUntilOf(c: Context): WaitUntil | undefined {
  try {
    const { executionCtx } = c
    return (work) => executionCtx.waitUntil(work)
  } catch {
    return undefined
  }
}
