// edgetill/server: a shop over its own database, on Node, Deno and Bun.

import type { Hono as App } from 'hono'
import { Hono } from 'hono/tiny'
import { createClient } from '../client/client.ts'
import { MERCHANT, type Merchant, merchantOf } from '../client/merchant.ts'
import type { Fetch } from '../config.ts'
import { ConfigError } from '../errors.ts'
import type { TillDatabase } from '../till/database.ts'
import type { ReceivedEvent } from '../till/queue.ts'
import { type Till, tillOver } from '../till/till.ts'
import { runCron } from './cron.ts'
import { allowsInsecureHttp, basePath, clientConfig, type ShopEnv } from './env.ts'
import { createShop as createEngine, type Shop } from './index.ts'
import { SECRETS, VARIABLES } from './lib/configuration.ts'
import { describeError, logError } from './lib/log.ts'
import { isLoopback } from './lib/loopback.ts'
import type { Role } from './lib/people.ts'
import type { Order } from './lib/shown-order.ts'
import { createUnderWay } from './lib/under-way.ts'
import { type Client, clientOf } from './node-handler.ts'
import { openScope } from './open-scope.ts'
import type { Alert } from './options.ts'
import type { PagesOptions } from './pages/options.ts'
import { carryOver } from './routes/carry-over.ts'
import { type Deps, shopDeps } from './scope.ts'
import { serverHost } from './server-host.ts'

export type { Till } from '../till/till.ts'
export type {
  Alert,
  AlertKind,
  Call,
  Order,
  PagesOptions,
  ReceivedEvent,
  Role,
  Shop,
  ShopEnv,
  Wording,
} from './index.ts'
export type { Client, NodeRequest, NodeResponse } from './node-handler.ts'
export { nodeHandler } from './node-handler.ts'

/** Your code for an event: see `onEvent` of {@link ServerOptions}. */
export type OnEvent = (received: ReceivedEvent, order: Order) => Promise<void> | void

/** Your code for an alert. It is called at most once an hour for the same alert. */
export type OnAlert = (alert: Alert) => Promise<void> | void

/** Options of {@link createShop}. */
export interface ServerOptions {
  /** The shop's database: `sqlite(new DatabaseSync('shop.db'))` or `postgres(sql)` of `edgetill/till`. */
  database: TillDatabase
  /**
   * The settings of the shop, such as `process.env`: those of {@link ShopEnv}, each also with `EDGETILL_` before its
   * name, which comes first. `GET /health` names those that are missing or wrong.
   */
  config: Readonly<Record<string, string | undefined>>
  /**
   * Your code for events of orders: at least once for each event, in any order. While it is absent, events are only
   * stored.
   */
  onEvent?: OnEvent | undefined
  /** Your code for matters that need a person. While it is absent, alerts are only logged. */
  onAlert?: OnAlert | undefined
  /** The pages that customers see. */
  pages?: PagesOptions | undefined
  /** `createConsole` of `edgetill/console`, for pages for the people of the shop at `/console`. */
  console?: ((shop: Shop) => App<{ Bindings: ShopEnv }>) | undefined
  /**
   * The header in which your proxy sends the client's address, such as `x-forwarded-for`, of which the last address
   * counts. Without it, the address of the connection counts. Set it only behind a proxy that writes this header.
   */
  trust?: string | undefined
  /** How the service is reached. Default: the runtime's `fetch`. It must not repeat a request automatically. */
  fetch?: Fetch | undefined
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined
}

/** A shop on a server. */
export interface ServerShop {
  /**
   * Responds to a request: `/webhooks`, `/checkout/…`, `/p/…`, `/return/…`, `/health`, `/api/…`, `/console`. Pass it to
   * `Deno.serve`, `Bun.serve` or Hono, or use {@link nodeHandler}. @param from Where the request comes from, as Deno,
   * Bun and Node pass it.
   */
  fetch: (request: Request, from?: Client) => Promise<Response>
  /**
   * Runs a route of `/api` without the bearer token, for pages of yours: authenticate first.
   * @param by The actor, as the record shows it.
   */
  api: (request: Request, by: string, role: Role) => Promise<Response>
  /** The shop's till, for programs: payments, captures, refunds and voids that happen once. */
  till: Till
  /** Makes the tables, then settles what is due, now and each minute. @throws while the database fails. */
  start(): Promise<void>
  /**
   * Rejects requests, and resolves when those under way have ended, after at most eight seconds. Unfinished work stays
   * due.
   */
  stop(): Promise<void>
}

const MINUTE_MS = 60_000
/** Docker and systemd kill a process some ten seconds after they have asked it to end. */
const STOP_MS = 8_000
/** A pass that takes longer counts as hung, and does not hold up the next one. */
const PASS_MS = 10 * MINUTE_MS

/**
 * Makes a shop over a database of yours: checkout links, webhooks, captures and refunds, a small API, and a console.
 * Several processes may serve one database. It opens nothing and listens to no signal. `guides/server.md` shows a whole
 * server. Needs the package `hono`.
 *
 * @throws {ConfigError} if `database` is not a till's database, and for `SENDER_CHECK: 'enforce'` without `trust`.
 * @example
 * import { createConsole } from 'edgetill/console'
 * import { createShop, nodeHandler } from 'edgetill/server'
 * import type { TillDatabase } from 'edgetill/till'
 *
 * export async function open(database: TillDatabase, config: Record<string, string | undefined>) {
 *   const shop = createShop({ database, config, console: createConsole, onEvent: ({ id }) => console.log(id) })
 *   await shop.start()
 *   return { shop, handler: nodeHandler(shop) } // createServer(handler).listen(3000) of node:http, and at the end shop.stop()
 * }
 */
export function createShop(options: ServerOptions): ServerShop {
  const { database, config, onEvent, onAlert, pages, console: pagesOf, trust, fetch, now } = options
  if (typeof database?.run !== 'function') {
    throw new ConfigError('database', 'database must be sqlite(…) or postgres(…) of edgetill/till, or your own.')
  }
  const names = [...VARIABLES, ...SECRETS]
  const values = names.map((name) => [name, config[`EDGETILL_${name}`] || config[name] || ''])
  const env = Object.fromEntries(values) as unknown as ShopEnv
  if (env.SENDER_CHECK === 'enforce' && trust === undefined) {
    throw new ConfigError('trust', 'SENDER_CHECK is enforce, which needs trust: the header with the sender’s address.')
  }
  const { keep, ended } = createUnderWay()
  const context = { waitUntil: keep, passThroughOnException: () => {}, props: {} }
  const host = serverHost(database, trust, () => openScope(deps, env, keep))
  const engine = createEngine({ onEvent, onAlert, pages, fetch, now, host, carryOver } as Parameters<
    typeof createEngine
  >[0])
  const deps = shopDeps.get(engine) as Deps
  const base = basePath(env)
  const app = new Hono<{ Bindings: ShopEnv }>().notFound(engine.notFound).route(base || '/', engine.app)
  if (pagesOf) app.route(`${base}/console`, pagesOf(engine))
  const { till } = openScope(deps, env, keep)
  // The rows of `/api` check the engine's inputs. The client checks the inputs of a program.
  const check: Merchant['check'] = async (name, input) =>
    merchantOf(createClient(clientConfig(env, fetch))).check(name, input)
  const client = { ...till.client, [MERCHANT]: { ...merchantOf(till.client), check } } as typeof till.client
  let isStopped = false
  let timer: ReturnType<typeof setInterval> | undefined
  let passSince: number | undefined

  async function pass(): Promise<void> {
    if (isStopped || (passSince !== undefined && Date.now() - passSince < PASS_MS)) return
    const since = Date.now()
    passSince = since
    await runCron(deps, env, keep).catch((error: unknown) => logError('cron_failed', describeError(error)))
    if (passSince === since) passSince = undefined
  }

  async function respond(request: Request, from: Client = {}): Promise<Response> {
    if (isStopped) return new Response('The server is stopping.', { status: 503, headers: { 'retry-after': '5' } })
    if (from.base !== undefined && from.base !== base) {
      return new Response(`PUBLIC_ORIGIN must end in ${from.base}, where the shop is mounted.`, { status: 500 })
    }
    const url = new URL(request.url)
    const isPlain = url.protocol === 'http:' && !isLoopback(request.url) && !allowsInsecureHttp(env)
    if (env.PUBLIC_ORIGIN === '' && isPlain && url.pathname !== '/health') {
      return new Response('PUBLIC_ORIGIN is missing: http is only for loopback.', { status: 500 })
    }
    // Behind a proxy, the public address differs from the connection's.
    const publicUrl = env.PUBLIC_ORIGIN ? new URL(url.pathname + url.search, env.PUBLIC_ORIGIN) : url
    const publicRequest = publicUrl.href === url.href ? request : new Request(publicUrl, request)
    host.note(publicRequest, clientOf(request, from))
    return await app.fetch(publicRequest, env, context)
  }

  return {
    fetch(request, from) {
      const response = respond(request, from)
      keep(response)
      return response
    },
    api: (request, by, role) => engine.api(request, env, context, by, role),
    till: tillOver({ ...till, client }),
    async start() {
      // Any statement makes the tables first.
      await till.database.run('SELECT version FROM edgetill_version', [])
      timer ??= setInterval(() => keep(pass()), MINUTE_MS)
      keep(pass())
    },
    stop() {
      isStopped = true
      clearInterval(timer)
      return ended(STOP_MS)
    },
  }
}
