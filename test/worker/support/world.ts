import { AsyncLocalStorage } from 'node:async_hooks'
import type { KVNamespace } from '@cloudflare/workers-types'
import { expect, onTestFinished, vi } from 'vitest'
import { type CheckoutOrder, createCheckoutLink } from '../../../src/checkout-link/index.ts'
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type TestCardName,
  testCard,
} from '../../../src/emulator/index.ts'
import type { ShownOrder as Order } from '../../../src/shop/engine/show.ts'
import type { ShopEnv as Env } from '../../../src/shop/env.ts'
import {
  carryOver,
  createShop,
  type OnAlert,
  type OnEvent,
  type PagesOptions,
  type Shop,
} from '../../../src/shop/index.ts'
import { objectDatabase } from '../../../src/shop/object.ts'
import { openScope } from '../../../src/shop/open-scope.ts'
import type { WaitUntil } from '../../../src/shop/runtime.ts'
import type { Carrying, Deps } from '../../../src/shop/scope.ts'
import { type ServerHost, serverHost } from '../../../src/shop/server-host.ts'
import { createKvDouble, type KvDouble } from '../../../src/testing/index.ts'
import { bindingsOf, SALE } from '../../../src/testing/sample-shop.ts'
import { signWebhook } from '../../../src/webhooks/index.ts'
import { hostOfRun } from '../../support/environment.ts'
import { createKill, type Kill, throughCall } from './kill.ts'
import { createShopObjectDouble, type ObjectDouble } from './object-double.ts'
import { createRandom, seedOfRun } from './random.ts'

export const ORIGIN = 'https://pay.shop.example.com'
export const { LINK_SECRET, ADMIN_TOKEN } = bindingsOf({} as Emulator['credentials'])
const START = Date.parse('2026-03-01T10:00:00Z')
const LOCATIONS = ['FRA', 'WAW', 'KBP']
const MINUTE_MS = 60_000
/** Runs of the cron, of all in which something is due, while the time is moved on once. */
const MAX_RUNS = 30
/** What is given up is due so late. */
const NEVER = 8_000_000_000_000_000

/** How KV is: with the real one's limits, or also stale, lagging, failing, and seen from three locations at random. */
export type Kind = 'strict' | 'hostile'
export const KINDS: readonly Kind[] = ['strict', 'hostile']

/** How often a webhook is sent: `together` is twice at the same moment. */
export type Sends = 'once' | 'twice' | 'together'

/** The log of the worker. Failures are part of these tests: they must not bury the reporter's lines. */
export const log: unknown[][] = []
/** The lines of one piece of work. A worker that another test left behind writes to `log` too, up to ten seconds later. */
export const ownLog = new AsyncLocalStorage<unknown[][]>()
function keepLog(): void {
  for (const level of ['error', 'warn'] as const) {
    if (vi.isMockFunction(console[level])) continue
    vi.spyOn(console, level).mockImplementation((...parts) => {
      log.push(parts)
      ownLog.getStore()?.push(parts)
    })
  }
}
keepLog()

/** Events that the hostile worlds of the running test have met. */
const met = { test: '', worlds: 0, faults: 0 }

/** From now on a storage fails: each write of a key that begins so, or of a row with such a value, but the first few; without it each call. */
export const failing =
  (of?: string, spared = 0) =>
  (action: string, key: string): void => {
    if ((of === undefined || (action === 'put' && `/${key}`.includes(`/${of}`))) && spared-- <= 0)
      throw new Error('The storage failed: 500')
  }

const failKv = () => Promise.reject(new Error('KV failed: 500'))

function countFault(error: unknown): never {
  if (/failed: 500/.test(String(error))) met.faults++
  throw error
}

/** The seed of a test's next world: each has other faults, and each run with the same seed the same ones. */
function seedOfWorld(isHostile: boolean): number {
  const { currentTestName: test = '', testPath = '' } = expect.getState()
  if (met.test !== testPath + test) Object.assign(met, { test: testPath + test, worlds: 0, faults: 0 })
  if (isHostile && met.worlds === 0) {
    onTestFinished(() => {
      console.log(`${met.faults} faults of KV: ${test}`)
      expect(met.faults, 'the hostile KV was not hostile').toBeGreaterThan(0)
    })
  }
  let seed = seedOfRun() ^ met.worlds++
  for (const letter of test) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x01000193)
  return seed
}

/** A Worker with its object and KV, or a server over SQLite, which has everything in its database. */
export type HostName = 'worker' | 'server'

export interface WorldOptions {
  kind?: Kind
  onEvent?: OnEvent
  onAlert?: OnAlert
  pages?: PagesOptions
  env?: Partial<Env>
  emulator?: EmulatorOptions
  /** How often each webhook of {@link World.deliver} and {@link World.answers} is sent. */
  sends?: Sends
  /** How often a call of the hostile KV fails. */
  failures?: number
  /** Where the shop runs. Default: that of `EDGETILL_HOST`, or a Worker. */
  host?: HostName
  /** Whether it can be carried to another database. */
  canMove?: boolean
  /** Replaces the emulator. */
  fetch?: typeof fetch
}

/** The variables and secrets of a worker that uses this emulator. */
export const bindings = (credentials: Emulator['credentials']): Omit<Env, 'STATE' | 'TILL'> => ({
  ...bindingsOf(credentials),
  ...{ MODE: 'test', ALLOW_INSECURE_HTTP: '', SENDER_CHECK: 'off', SENDER_IP: '35.187.74.148', PUBLIC_ORIGIN: ORIGIN },
  ...{ SHOP_NAME: '', SHOP_URL: '', SHOP_TZ: '', RETENTION_DAYS: '', KEEP_CARD_TOKEN: 'true' },
})

/** Pays at the service's checkout page; answers where the customer is sent. */
export async function payAt(emulator: Emulator, checkoutUrl: string, card: TestCardName): Promise<string | null> {
  const form = { cc_number: testCard(card), exp_month: '12', exp_year: '30', card_cvv: '123' }
  const body = new URLSearchParams(form)
  const response = await emulator.fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
  return response.headers.get('location')
}

/** The response of the API. */
export interface Answer {
  status: number
  body: Record<string, unknown>
}

/**
 * The host of a server over the database of the object, as a file of SQLite. The rest is the same. What differs: strays and
 * alerts are in the database, nothing is copied to KV, wrong tokens count for all processes, and an operation that the
 * service does not list counts as not made after ten minutes.
 */
export function serverOver(env: () => Env, deps: Deps, clock: () => string, waitUntil?: WaitUntil): ServerHost {
  const database = Object.create(objectDatabase(env(), clock), { absentAfterMs: { value: undefined } })
  return serverHost(database, undefined, () => openScope(deps, env(), waitUntil))
}

/** A worker with its state and the service, on one clock. */
export class World {
  time = START
  readonly kv: KvDouble
  readonly kind: Kind
  readonly emulator: Emulator
  readonly random: () => number
  shop!: Shop
  readonly object: ObjectDouble
  readonly options: WorldOptions
  /** Responds in place of the service, as long as it is set; undefined where it does not. */
  intercept: ((url: string, init?: RequestInit) => Response | Promise<Response> | undefined) | undefined
  /** Each call of the worker that runs goes through it. */
  private kill!: Kill
  private deps!: Deps
  /** On a server. */
  private host: ServerHost | undefined
  /** Calls of KV before one that fails for certain. */
  private untilFault = Number.POSITIVE_INFINITY
  private readonly background = new Set<Promise<unknown>>()
  private cronAt = START + MINUTE_MS

  constructor(options: WorldOptions = {}) {
    // In each world: another file of the same run may have given the console back.
    keepLog()
    this.options = { ...options }
    this.kind = options.kind ?? 'strict'
    const hostile = this.kind === 'hostile'
    this.random = createRandom(seedOfWorld(hostile))
    // Chance alone may spare a short test.
    if (hostile) this.untilFault = Math.floor(this.random() * 2)
    this.kv = createKvDouble({
      now: () => this.time,
      random: this.random,
      lagMs: hostile ? 60_000 : 0,
      failures: options.failures ?? (hostile ? 0.1 : 0),
      emptyPages: hostile ? 0.3 : 0,
    })
    this.emulator = createEmulator({
      seed: 7,
      clock: { now: () => this.time },
      fetch: (input, init) => this.kill.answer(this.fetch(new Request(input, init))),
      ...options.emulator,
    })
    this.object = createShopObjectDouble({ now: () => this.time })
    this.begin()
  }

  /**
   * The worker begins anew; the storage stays. What the one before had begun goes on through that one's `kill`: of one that
   * died no further call is made, whenever what it waited for is there.
   */
  begin(kill: Kill = createKill(Number.POSITIVE_INFINITY, 'dies before')): void {
    const { onEvent, onAlert, pages } = this.options
    const { fetch = (input, init) => this.emulator.fetch(input as string, init) } = this.options
    this.kill = kill
    // Work under way would go on beside the next test, with its lines and timers.
    try {
      onTestFinished(() => kill.end())
    } catch {
      // It was made outside a test, for several.
    }
    this.deps = {
      fetch: ((input, init) =>
        kill.call(async () => this.intercept?.(String(input), init) ?? fetch(input, init))) as typeof globalThis.fetch,
      now: () => this.time,
      ...(this.options.canMove && { carryOver: carryOver as Carrying }),
      ...(onEvent && { onEvent: (...parts) => kill.call(async () => onEvent(...parts)) }),
      ...(onAlert && { onAlert }),
      ...(pages && { pages }),
    }
    if ((this.options.host ?? hostOfRun) === 'server') {
      const clock = () => `${this.time}`
      this.host = serverOver(() => this.env(LOCATIONS[0]), this.deps, clock, this.waitUntil)
      this.deps.host = this.host
    }
    this.shop = createShop(this.deps)
    // What a call of the object does is one write, or none.
    const { answer } = kill
    const isDead = () => kill.isDead
    this.object.restart({ deps: this.deps, kill: { call: (work) => work(), answer, isDead } })
  }

  /** Bindings as some location has them. */
  env(location = LOCATIONS[Math.floor(this.random() * LOCATIONS.length)] as string): Env {
    return {
      ...bindings(this.emulator.credentials),
      STATE: throughCall(this.kv.at<KVNamespace>(location), (work) =>
        this.kill.call(() => (this.untilFault-- === 0 ? failKv() : work())).catch(countFault),
      ),
      // The object stays at one place.
      TILL: this.object.namespace(() => this.env(LOCATIONS[0]), this.kill.call),
      ...this.options.env,
    }
  }

  /** The keys that are really stored under a prefix, whatever any location sees. */
  async keys(prefix: string): Promise<string[]> {
    return [...this.kv.dump().keys()].filter((key) => key.startsWith(prefix))
  }

  /** The stored entries under a prefix: keys and parsed values. */
  async stored(prefix: string): Promise<Map<string, unknown>> {
    const rows = [...this.kv.dump()].filter(([key]) => key.startsWith(prefix))
    return new Map(rows.map(([key, { value }]) => [key, JSON.parse(value)]))
  }

  async fetch(request: Request, env: Env = this.env()): Promise<Response> {
    this.host?.note(request, request.headers.get('cf-connecting-ip') ?? undefined)
    return this.shop.fetch(request, env, { waitUntil: this.waitUntil, passThroughOnException: () => {}, props: {} })
  }

  /** Of a worker that dies nothing is waited for. */
  private readonly waitUntil = (work: Promise<unknown>): void => {
    const own: Promise<unknown> = this.kill
      .answer(work)
      .catch(() => {})
      .finally(() => this.background.delete(own))
    this.background.add(own)
  }

  /** Everything that no response waited for has ended. */
  async idle(): Promise<void> {
    while (this.background.size > 0) await Promise.all(this.background)
  }

  /** Until nothing goes on any more, or nothing but what hangs. */
  private async goOn(): Promise<void> {
    let isIdle = false
    void this.idle().then(() => {
      isIdle = true
    })
    // A timer takes a millisecond at least; most runs need none.
    const soon = (globalThis as { setImmediate?: (done: () => void) => unknown }).setImmediate ?? setTimeout
    for (let turn = 0; turn < 400 && !isIdle; turn++)
      await new Promise<void>((done) => void (turn < 100 ? soon(done) : setTimeout(done)))
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(new Request(new URL(path, ORIGIN), { headers, redirect: 'manual' }))
  }

  /** Moves the time on; the emulator does what falls due, and the shop what is due in a minute of its cron. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms
    for (let left = MAX_RUNS; ; left--) {
      const next = left > 0 ? Math.max(this.due() ?? end, this.cronAt) : end
      this.time = Math.max(Math.min(next, end), this.time)
      await this.emulator.clock.advance({})
      await this.goOn()
      if (this.time >= this.cronAt) {
        this.startCron()
        await this.goOn()
      }
      if (this.time >= end) return
    }
  }

  /** Sends one form body, once, as it is. */
  post(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(webhookOf(body, headers))
  }

  /** The form body of a genuine webhook. */
  signed(payload: object | string, secret = this.emulator.credentials.apiSecret): string {
    return signWebhook(payload, secret).body
  }

  /** Sends a webhook as often as `sends` says; every answer. */
  async answers(webhook: BodyInit | (() => Request), headers: Record<string, string> = {}): Promise<Response[]> {
    const send = () => this.fetch(typeof webhook === 'function' ? webhook() : webhookOf(webhook, headers))
    if (this.options.sends === 'together') return Promise.all([send(), send()])
    return this.options.sends === 'twice' ? [await send(), await send()] : [await send()]
  }

  /** Delivers a genuine webhook as a service does: again, a while later, until it is acknowledged. */
  async deliver(payload: object | string, secret = this.emulator.credentials.apiSecret): Promise<void> {
    const body = this.signed(payload, secret)
    const { sends = 'once' } = this.options
    await this.advance(2_000)
    if (sends === 'together') {
      const statuses = (await Promise.all([this.post(body), this.post(body)])).map(({ status }) => status)
      if (statuses.includes(200)) return
    }
    await this.deliverBody(body)
    if (sends === 'twice') await this.deliverBody(body)
  }

  private async deliverBody(body: string): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const { status } = await this.post(body)
      if (status === 200) return
      if (status !== 503) throw new Error(`A genuine webhook was answered with ${status}.`)
      await this.advance(5_000)
    }
    throw new Error('A genuine webhook was never acknowledged.')
  }

  /** An order as the API answers it when everything that was written can be seen; undefined for 404. */
  async order(order_id: string): Promise<Order | undefined> {
    const response = await this.settled(`/api/orders/${encodeURIComponent(order_id)}`)
    return response.status === 404 ? undefined : ((await response.json()) as Order)
  }

  /** A request to the API, repeated while KV fails, after everything that was written can be seen. */
  async settled(path: string, init: RequestInit = {}): Promise<Response> {
    await this.advance(121_000)
    for (;;) {
      const response = await this.api(path, init)
      if (response.status !== 503) return response
      await this.advance(2_000)
    }
  }

  api(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${ADMIN_TOKEN}`)
    return this.fetch(new Request(new URL(path, ORIGIN), { ...init, headers }))
  }

  /** A request with an Idempotency-Key. */
  async send(path: string, body: object = {}, key: string = path): Promise<Answer> {
    const init = { method: 'POST', headers: { 'idempotency-key': key }, body: JSON.stringify(body) }
    const response = await this.api(path, init)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  link(
    order: Partial<CheckoutOrder> & { order_id: string },
    expiresAt?: number,
    fields: { reference?: string; landing?: boolean; longOrderId?: boolean } = {},
  ): Promise<string> {
    const whole = { ...ORDER, ...order } as CheckoutOrder
    const now = () => this.time
    return createCheckoutLink({
      ...{ origin: ORIGIN, linkSecret: this.env().LINK_SECRET, order: whole, now },
      ...(expiresAt !== undefined && { expiresAt }),
      ...fields,
    })
  }

  /** Opens a link as a patient customer does: looks again, or tries again, until it leads somewhere. */
  async open(link: string): Promise<string> {
    let url = link
    for (let attempt = 0; attempt < 60; attempt++) {
      const response = await this.get(url)
      const text = await response.text()
      if (response.status === 303) return response.headers.get('location') ?? ''
      if (response.status !== 503) throw new Error(`The link was answered with ${response.status}: ${text}`)
      url = /<a href="([^"]+)">/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      await this.advance(11_000)
    }
    throw new Error('The link never led anywhere.')
  }

  /** Pays at the service's checkout page; answers where the customer is sent. */
  async pay(checkoutUrl: string, card: TestCardName = 'success'): Promise<string | null> {
    const location = await payAt(this.emulator, checkoutUrl, card)
    await this.emulator.deliveries.idle()
    return location
  }

  /** The payments that the customer could still pay, of an order and its further attempts. */
  payable(order_id: string): string[] {
    return this.emulator.orders
      .list()
      .filter((order) => order.order_id.startsWith(order_id) && order.payments[0]?.status === 'init')
      .map((order) => order.order_id)
  }

  /** The rows of the shop's database under their table and primary key; those of an order and its further attempts. */
  rows(order_id?: string): Map<string, Record<string, unknown>> {
    const rows = new Map<string, Record<string, unknown>>()
    for (const { name } of this.object.rows("SELECT name FROM sqlite_master WHERE type = 'table'")) {
      const names = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk'
      const columns = this.object.rows(names, String(name)).map((column) => String(column.name))
      for (const row of this.object.rows(`SELECT * FROM ${name}`)) {
        if (order_id !== undefined && String(row.order_id).replace(/~\d+$/, '') !== order_id) continue
        rows.set([name, ...columns.map((column) => row[column])].join('/'), row)
      }
    }
    return rows
  }

  /** When something is due the next time. */
  due(): number | undefined {
    // Without onEvent events wait.
    const waits = (name: unknown) => (name === 'edgetill_log' && !this.options.onEvent ? "AND kind <> 'event'" : '')
    const columns = this.object.rows(
      `SELECT m.name AS name, p.name AS its FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' AND p.name IN ('next_at', 'due_at')`,
    )
    const times = columns.flatMap(({ name, its }) =>
      this.object
        .rows(`SELECT min(${its}) AS at FROM ${name} WHERE ${its} < ${NEVER} ${waits(name)}`)
        .flatMap(({ at }) => at ?? []),
    )
    return times.length === 0 ? undefined : Math.min(...(times as number[]))
  }

  /** The events that wait for `onEvent`. */
  waiting(): string[] {
    const isDue = ({ kind, next_at }: Record<string, unknown>) =>
      kind === 'event' && typeof next_at === 'number' && next_at < NEVER
    return [...this.rows()].flatMap(([key, row]) => (isDue(row) ? [key] : []))
  }

  /** Moves the time on to the next run of the cron in which something is due. */
  async untilDue(): Promise<void> {
    await this.advance(Math.max(this.due() ?? 0, this.cronAt) - this.time)
  }

  /** A run of the cron, and everything else that no response waits for. */
  async cron(): Promise<void> {
    this.startCron()
    await this.idle()
  }

  private startCron(): void {
    this.cronAt = this.time + MINUTE_MS
    this.shop.scheduled(undefined, this.env(), { waitUntil: this.waitUntil })
  }

  /** Runs the cron until no event waits for `onEvent`. */
  async untilHandled(): Promise<void> {
    for (let run = 0; run < 200; run++) {
      await this.idle()
      if (this.waiting().length === 0) return
      await this.advance(15 * MINUTE_MS)
    }
    throw new Error('Some event was never handled.')
  }
}

function webhookOf(body: BodyInit, headers: Record<string, string>): Request {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return new Request(`${ORIGIN}/webhooks`, { method: 'POST', body, headers: { ...type, ...headers } })
}

export const ORDER = SALE

let counter = 0
/** An order_id that no other test uses. */
export const newOrderId = (name = 'order'): string => `${name}-${++counter}`
