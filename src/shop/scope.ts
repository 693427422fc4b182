import type { Context } from 'hono'
import type { TillDatabase } from '../till/database.ts'
import type { TillScope } from '../till/events.ts'
import type { ShopEnv } from './env.ts'
import type { KvStore } from './kv/kv.ts'
import type { Actor, Role } from './lib/people.ts'
import type { Tries } from './lib/tries.ts'
import type { CarryOver, ShopOptions } from './options.ts'
import type { WaitUntil } from './runtime.ts'

/** The shop's options, plus a clock. */
export interface Deps extends ShopOptions {
  now: () => number
  /** Where the shop runs. Default: a Worker of Cloudflare. */
  host?: Host | undefined
  carryOver?: Carrying | undefined
}

/** The part of a shop that moves it to another database. */
export interface Carrying extends CarryOver {
  /** Handles a request while the shop is open, else sends it to the new shop. */
  whileOpen(deps: Deps, c: C, handle: (c: C) => Promise<Response> | Response): Promise<Response> | Response
  isClosed(scope: Scope): Promise<boolean>
}

/** The differences between the places that a shop runs on: one file each. */
export interface Host {
  /** The bindings that the host does without. */
  without(deps: Deps): readonly ('STATE' | 'TILL')[]
  /** @param clock SQL for the time of a test, or of `edgetill dev`. */
  openDatabase(deps: Deps, env: ShopEnv, clock: () => string): TillDatabase
  /** Opens the storage of strays, and of alerts about no order. */
  openKv(scope: Scope): KvStore
  /** Whether events and orders are copied into that storage, for other programs. */
  hasCopies: boolean
  /** The client's address. */
  addressOf(request: Request): string | undefined
  /** SQL of more tables, each statement after a `;`. */
  tables?: string
  createTries(now: () => number): Tries
  /** A problem that `/health` reports to the bearer of ADMIN_TOKEN, though the shop works. */
  warningOf?(request: Request): string | undefined
}

/** The binding of a test shop with its service and clock, for a Worker that the test calls directly. */
export const TEST_DEPS: unique symbol = Symbol.for('edgetill.test-shop')

/** The surroundings of a request. */
export interface Scope extends Deps {
  env: ShopEnv
  /** The strays, and the alerts about no order. On Cloudflare, other locations see a write only after a while. */
  kv: KvStore
  /** The copies of events and orders, for other programs; undefined on a host without them. */
  copies?: KvStore | undefined
  /** The database and the client, for the functions of `src/till`. */
  till: TillScope
  /** Keeps the worker running for work that the response does not wait for. */
  waitUntil?: WaitUntil | undefined
  /** Whether the clock is real: neither a test nor `edgetill dev` moves it. */
  isRealTime: boolean
  /** The actor, for the record: `api` over HTTP. Absent for webhooks, customers and the cron. */
  by?: string | undefined
  /** The actor's role. The route has checked it. */
  role?: Role | undefined
}

export type C = Context<{ Bindings: ShopEnv }>

/** The options of each shop, for its console. */
export const shopDeps: WeakMap<object, Deps> = new WeakMap()

/** The actor of each request that was made inside the Worker. */
const ACTORS = new WeakMap<Request, Actor>()
export const actAs = (request: Request, actor: Actor): unknown => ACTORS.set(request, actor)
export const actorOf = ({ req }: Context): Actor | undefined => ACTORS.get(req.raw)
