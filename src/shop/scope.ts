import type { Context } from 'hono'
import type { TillScope } from '../till/events.ts'
import type { ShopEnv } from './env.ts'
import type { KvStore } from './kv/kv.ts'
import type { Actor, Role } from './lib/people.ts'
import type { ShopOptions } from './options.ts'
import type { WaitUntil } from './runtime.ts'

/** The shop's options, plus a clock. */
export interface Deps extends ShopOptions {
  now: () => number
}

/** Among the bindings of a test shop: its service and its clock, for a Worker that the test calls by itself. */
export const TEST_DEPS: unique symbol = Symbol.for('edgetill.test-shop')

/** The surroundings of a request. */
export interface Scope extends Deps {
  env: ShopEnv
  /** The state that every place sees, a while later. */
  kv: KvStore
  /** The database and the client, for the functions of `src/till`. */
  till: TillScope
  /** Keeps the worker running for work that the response does not wait for. */
  waitUntil?: WaitUntil | undefined
  /** Nothing but time itself moves the clock. */
  isRealTime: boolean
  /** The actor, for the record: `api` over HTTP. Absent for webhooks, customers and the cron. */
  by?: string | undefined
  /** The actor's role. The route has checked it. */
  role?: Role | undefined
}

export type C = Context<{ Bindings: ShopEnv }>

/** The options of each shop, for its console. */
export const shopDeps: WeakMap<object, Deps> = new WeakMap()

/** Requests that were made inside the Worker, and who acts. */
const ACTORS = new WeakMap<Request, Actor>()
export const actAs = (request: Request, actor: Actor): unknown => ACTORS.set(request, actor)
export const actorOf = ({ req }: Context): Actor | undefined => ACTORS.get(req.raw)
