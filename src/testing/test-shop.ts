import * as v from 'valibot'
import { type CheckoutOrder, createCheckoutLink } from '../checkout-link/index.ts'
import type { Fetch } from '../config.ts'
import { createEmulator, type Emulator } from '../emulator/index.ts'
import { fields, parseInput } from '../emulator/parse-input.ts'
import { type PayOptions, pay } from '../emulator/pay.ts'
import type { ClockSource } from '../emulator/state/clock.ts'
import { addDuration, type Duration, parseDuration } from '../emulator/state/time.ts'
import { ConfigError } from '../errors.ts'
import type { ShopEnv } from '../shop/env.ts'
import type { Order } from '../shop/lib/shown-order.ts'
import type { OnAlert, OnEvent } from '../shop/options.ts'
import type { PagesOptions } from '../shop/pages/options.ts'
import { TEST_DEPS } from '../shop/scope.ts'
import { createKvDouble } from './kv-double.ts'
import { createObjectDouble } from './object-double.ts'
import { bindingsOf, SALE } from './sample-shop.ts'
import { openDatabase } from './sqlite.ts'

/** Options of {@link createTestShop}. Everything is optional. */
export interface TestShopOptions<Env extends ShopEnv = ShopEnv> {
  /** Your code for events of orders. */
  onEvent?: OnEvent<Env> | undefined
  /** Your code for matters that need a person. */
  onAlert?: OnAlert<Env> | undefined
  /** The pages that customers see. */
  pages?: PagesOptions | undefined
  /** Your own bindings, or others than the test's: the `env` of `onEvent`. */
  env?: Partial<Env> | undefined
  /** The emulator's: the same seed and the same calls give the same ids. Default 1. */
  seed?: number | undefined
  /** The source of the time. Default: a clock that stands at 1 March 2026, 10:00 UTC, and moves with the calls. */
  clock?: ClockSource | undefined
}

/** An order that was put up for sale. */
export interface TestSale {
  order_id: string
  /** The address of the checkout page. */
  link: string
}

/** An event that `onEvent` failed on. */
export interface FailingEvent {
  id: string
  order_id: string
  /** How many times `onEvent` failed. */
  attempts: number
  /** Name and message of the last error. */
  error: string
}

/** A shop with its service and its customers, in this process. */
export interface TestShop<Env extends ShopEnv = ShopEnv> {
  /** Makes a checkout link. Omitted fields are filled in: two mugs for 100.50 UAH, with a new `order_id`. */
  link(order?: Partial<CheckoutOrder>): Promise<string>
  /** The same, with the order's id beside the link. */
  sell(order?: Partial<CheckoutOrder>): Promise<TestSale>
  /**
   * Opens the link, pays on the emulator's page, and lets the shop do the rest: its webhooks, `onEvent`.
   *
   * @returns The customer's last page.
   * @throws {Error} when the link does not lead to a page that can be paid on.
   */
  pay(order: TestSale | string, options?: Omit<PayOptions, 'fetch'>): Promise<string>
  /**
   * An order as `GET /api/orders/:order_id` returns it.
   *
   * @throws {Error} when the shop does not know it.
   */
  order(order: TestSale | string): Promise<Order>
  /**
   * Moves the time on, by `{ minutes: 15 }` as `emulator.clock.advance` or by milliseconds, and runs everything that
   * falls due: webhooks, and the cron every minute.
   *
   * @throws {ConfigError} for an unknown unit, a negative number, and anything else.
   */
  advance(time: Duration | number): Promise<void>
  /** Sends a request to the shop. Its origin is `https://pay.shop.example.com`. */
  fetch(request: Request): Promise<Response>
  /** Calls the shop's API at a path such as `/api/orders/A-1/refund`, with its ADMIN_TOKEN. */
  api(path: string, init?: RequestInit): Promise<Response>
  /** The events that `onEvent` failed on. An empty list at the end of a test: it handled everything. */
  failing(): Promise<FailingEvent[]>
  /** The service. */
  readonly emulator: Emulator
  /** The shop's bindings. */
  readonly env: Env
  /** Ends the webhooks that are under way and resets the emulator: `await using shop = await createTestShop()`. */
  [Symbol.asyncDispose](): Promise<void>
}

// A misspelt option would be ignored, and the test would pass.
const OPTIONS = fields('createTestShop option', {
  onEvent: v.optional(v.unknown()),
  onAlert: v.optional(v.unknown()),
  pages: v.optional(v.unknown()),
  env: v.optional(v.unknown()),
  seed: v.optional(v.unknown()),
  clock: v.optional(v.object({ now: v.function('must be a function.') }, 'must be an object with a function now().')),
})

const ORIGIN = 'https://pay.shop.example.com'
const START = Date.UTC(2026, 2, 1, 10)
/** KV takes one write a second of a key: two requests are this far apart. */
const STEP_MS = 2_000
const CRON_MS = 60_000
/** Beyond an hour in one advance, the cron runs each quarter of an hour: later work of the shop needs no minute. */
const [HOUR_MS, LATER_CRON_MS] = [60 * CRON_MS, 15 * CRON_MS]

/**
 * Opens a shop for a test: the engine of `edgetill/worker`, an emulator of the service, and doubles of Workers KV and
 * of the Durable Object, as strict as the originals. Everything runs in this process, on one clock, without a network.
 *
 * @throws {ConfigError} when the package `hono` is not installed: the engine needs it.
 * @throws {ConfigError} where the runtime has no `node:sqlite`: before Node 22.5, Deno 2.9 and Bun 1.4, and inside
 *   workerd.
 * @throws {ConfigError} for an unknown option.
 * @example
 * import { createTestShop } from 'edgetill/testing'
 * const paid: string[] = []
 * const shop = await createTestShop({ onEvent: (_, order) => void paid.push(order.order_id) })
 * const order = await shop.sell({ amount: 100.5 })
 * await shop.pay(order)
 * const { status, totals } = await shop.order(order) // 'success', totals.captured_minor 10050
 * const failing = await shop.failing() // []
 */
export async function createTestShop<Env extends ShopEnv = ShopEnv>(
  options: TestShopOptions<Env> = {},
): Promise<TestShop<Env>> {
  parseInput(OPTIONS, options)
  const { onEvent, onAlert, pages, seed, clock = { now: () => START } } = options
  const { carryOver, createShop } = await importEngine()
  // Fail here without node:sqlite, rather than in the first request.
  openDatabase()
  let moved = 0
  const now = (): number => clock.now() + moved
  let cronAt = now() + CRON_MS
  let sold = 0

  const background: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  const emulator = createEmulator({
    ...(seed !== undefined && { seed }),
    clock: { now },
    // The service's webhooks go to the shop.
    fetch: (input, init) => fetch(new Request(input, init)),
  })
  const worker = createShop<Env>({ onEvent, onAlert, pages, now, carryOver, fetch: emulator.fetch })
  const object = createObjectDouble({ ShopObject: worker.ShopObject })
  const env = {
    STATE: createKvDouble({ now }).at(),
    TILL: object.namespace(() => env),
    MODE: 'test',
    PUBLIC_ORIGIN: ORIGIN,
    ...bindingsOf(emulator.credentials),
    [TEST_DEPS]: { now, fetch: emulator.fetch },
    ...options.env,
  } as unknown as Env

  async function fetch(request: Request): Promise<Response> {
    moved += STEP_MS
    return worker.fetch(request, env, { waitUntil, passThroughOnException: () => {}, props: {} })
  }

  /** Everything that is due now, and its consequences. */
  async function settle(): Promise<void> {
    if (now() >= cronAt) {
      cronAt = now() + CRON_MS
      worker.scheduled(undefined, env, { waitUntil })
    }
    await idle()
  }

  /** Lets the service and the shop finish their work, and the work that follows from it. */
  async function idle(): Promise<void> {
    do {
      await emulator.clock.advance({})
      await emulator.deliveries.idle()
      await Promise.allSettled(background.splice(0))
    } while (background.length > 0)
  }

  const api = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${env.ADMIN_TOKEN}`)
    return fetch(new Request(new URL(path, ORIGIN), { ...init, headers }))
  }

  async function json<T>(path: string): Promise<T> {
    const response = await api(path)
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path} of the shop responded with ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }

  const shop: TestShop<Env> = {
    link: async (order) => (await shop.sell(order)).link,
    async sell(order = {}) {
      const whole = { ...SALE, order_id: `order-${++sold}`, ...order } as CheckoutOrder
      const link = await createCheckoutLink({ origin: ORIGIN, linkSecret: env.LINK_SECRET, order: whole, now })
      return { order_id: whole.order_id, link }
    },
    async pay(order, how = {}) {
      const route: Fetch = (input, init) => {
        const request = new Request(input, init)
        return new URL(request.url).origin === ORIGIN ? fetch(request) : emulator.fetch(request)
      }
      const page = await pay(typeof order === 'string' ? order : order.link, { ...how, fetch: route })
      await settle()
      return page
    },
    order: (order) => json(`/api/orders/${encodeURIComponent(typeof order === 'string' ? order : order.order_id)}`),
    async advance(time) {
      const length = parseDuration(typeof time === 'number' ? { ms: time } : time)
      const end = addDuration(now(), length) - clock.now()
      for (const began = now(); moved < end; ) {
        if (now() - began > HOUR_MS) cronAt = Math.max(cronAt, now() - CRON_MS + LATER_CRON_MS)
        moved = Math.min(Math.max(cronAt - clock.now(), moved), end)
        await settle()
      }
    },
    fetch,
    api,
    failing: async () => (await json<{ events: FailingEvent[] }>('/api/events?failing=true')).events,
    emulator,
    env,
    [Symbol.asyncDispose]: async () => emulator.reset(),
  }
  return shop
}

/** The engine needs a package that the rest of the kit does not. */
async function importEngine(): Promise<typeof import('../shop/index.ts')> {
  try {
    return await import('../shop/index.ts')
  } catch (error) {
    if (!String(error).includes('hono')) throw error
    const text =
      'createTestShop runs the engine of edgetill/worker, which needs the package "hono". Run: npm install hono'
    throw new ConfigError('hono', text, error)
  }
}
