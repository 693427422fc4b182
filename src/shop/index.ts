// edgetill/worker: the shop's engine.

import type { Hono as App } from 'hono'
import { Hono as TinyApp } from 'hono/tiny'
import { createApp, createNotFound } from './app.ts'
import { runCron } from './cron.ts'
import type { ShopEnv } from './env.ts'
import { may, type Role } from './lib/people.ts'
import { createShopObject, type ShopObjectClass } from './object.ts'
import { makeShop } from './open-scope.ts'
import type { ShopOptions } from './options.ts'
import { API } from './routes/api.ts'
import type { Call } from './routes/calls.ts'
import type { WaitUntil } from './runtime.ts'
import { actAs, type Deps, shopDeps } from './scope.ts'

export type { TillOperation } from '../orders/day-sums.ts'
export type { OperationKind } from '../till/protocol.ts'
export type { ReceivedEvent } from '../till/queue.ts'
export type { UnsettledOperation } from '../till/unsettled.ts'
export type { AttentionItem, AttentionList } from './engine/attention.ts'
export type { Erased } from './engine/erase.ts'
export type { LinkState } from './engine/links.ts'
export type { RecordEntry } from './engine/record.ts'
export type { ShownOrder } from './engine/show.ts'
export type { ShopEnv } from './env.ts'
export type { Stray } from './kv/strays.ts'
export type { Role } from './lib/people.ts'
export type { Order } from './lib/shown-order.ts'
export type { ShopObjectClass, ShopObjectInstance } from './object.ts'
export type { Alert, AlertKind, CarryOver, OnAlert, OnEvent, ShopOptions } from './options.ts'
export { english } from './pages/en.ts'
export type { PagesOptions, Wording } from './pages/options.ts'
export { ukrainian } from './pages/uk.ts'
export type {
  Call,
  Entry as AuditEntry,
  EventRecord,
  FailingEvent,
  Link,
  ListedOrder,
  MadeLink,
  Operation as DayOperation,
  Page,
  Replayed,
  Returns,
  ReusableLink,
  ShopDay,
  StoredEvent,
} from './routes/calls.ts'
export { carryOver } from './routes/carry-over.ts'
export type { KvNamespace, ObjectNamespace, ObjectState, WaitUntil } from './runtime.ts'

/** A shop's engine: the exports of its Worker, and the app that it mounts. */
export interface Shop<Env extends ShopEnv = ShopEnv> {
  /**
   * The routes, for `app.route('/', shop.app)` in an app of yours: `/webhooks`, `/checkout/:token`, `/p/:short`,
   * `/return/:order_id`, `/health` and `/api/…`. They touch no other route of that app.
   */
  app: App<{ Bindings: Env }>
  /** The response to an unknown path, for `app.notFound(shop.notFound)`. */
  notFound: Parameters<App<{ Bindings: Env }>['notFound']>[0]
  /** The whole Worker, for a shop without routes beside these. */
  fetch: App<{ Bindings: Env }>['fetch']
  /**
   * Runs a route of `/api` inside the Worker, without the bearer token: for pages of yours with their own sign-in.
   * Every caller gets the role that you pass: authenticate first.
   *
   * @param request Its path is `/api/…`; its origin is that of the request in hand, or any other.
   * @param by The actor, as the record of the order shows it. Over HTTP that is `api`.
   * @param role Their rights: else 403 `forbidden`, or `over_limit` for a larger refund of an order, all attempts at
   *   paying it together. A missing role has no right.
   * @example
   * import type { Shop, ShopEnv } from 'edgetill/worker'
   *
   * const countOrders = async (shop: Shop, origin: string, env: ShopEnv, context: Parameters<Shop['api']>[2]) => {
   *   const response = await shop.api(new Request(`${origin}/api/orders`), env, context, 'olena@shop.example.com', 'view')
   *   return ((await response.json()) as { orders: unknown[] }).orders.length
   * }
   */
  api: (request: Request, env: Env, context: { waitUntil: WaitUntil }, by: string, role: Role) => Promise<Response>
  /**
   * Whether a role may make a call of `/api`: `shop.may('sell', 'POST /api/links')`. How much it may refund is up to
   * its limit.
   */
  may: (role: Role, call: Exclude<Call, `${string}/api/log${string}` | 'POST /api/recover'>) => boolean
  /** The Worker's cron. */
  scheduled: (controller: unknown, env: Env, context: { waitUntil: WaitUntil }) => void
  /** The Durable Object class that wrangler.toml binds as TILL: it has the shop's database. */
  ShopObject: ShopObjectClass
}

/**
 * Makes a shop's engine: checkout links, webhooks, captures and refunds, and a small API, on a Cloudflare Worker with
 * KV and one Durable Object, which has the shop's database. `guides/shop-reference.md` describes its routes, bindings
 * and promises.
 *
 * Nothing is checked here, because a Worker has no bindings when its module loads: a wrong or missing binding is named
 * by `GET /health`, in the log, and by each route that needs it (500 `config`). Needs the package `hono`.
 *
 * @param options Everything is optional: `createShop({})` receives and stores webhooks.
 * @example
 * import { Hono } from 'hono/tiny'
 * import { createShop, type ShopEnv } from 'edgetill/worker'
 *
 * interface Env extends ShopEnv {
 *   SHOP_TOKEN: string
 * }
 * const shop = createShop<Env>({
 *   async onEvent({ id, event }, order, env) {
 *     console.log(id, event.kind, order.status, env.SHOP_TOKEN.length)
 *   },
 * })
 * export const ShopObject = shop.ShopObject
 * const app = new Hono<{ Bindings: Env }>()
 * app.route('/', shop.app)
 * app.notFound(shop.notFound)
 * export default { fetch: app.fetch, scheduled: shop.scheduled }
 */
export function createShop<Env extends ShopEnv = ShopEnv>(options: ShopOptions<Env> = {}): Shop<Env> {
  // The engine passes the bindings on as it got them.
  const deps = { ...options, now: options?.now ?? Date.now } as unknown as Deps
  const app = createApp(deps) as unknown as App<{ Bindings: Env }>
  const notFound = createNotFound(deps) as unknown as Shop<Env>['notFound']
  let whole: TinyApp<{ Bindings: Env }> | undefined
  const fetch: Shop<Env>['fetch'] = (request, env, context) => {
    whole ??= new TinyApp<{ Bindings: Env }>().notFound(notFound).route('/', app)
    return whole.fetch(request, env, context)
  }
  const shop: Shop<Env> = {
    app,
    notFound,
    fetch,
    async api(request, env, context, by, role) {
      actAs(request, { by, role })
      return await fetch(request, env, context as Parameters<typeof fetch>[2])
    },
    may: (role, call) => may(role, API[call].may),
    scheduled: (_, env, context) => context.waitUntil(runCron(deps, env, (work) => context.waitUntil(work))),
    ShopObject: createShopObject((database, env) => makeShop(deps, env, database)),
  }
  shopDeps.set(shop, deps)
  return shop
}
