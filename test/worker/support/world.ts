import type { KVNamespace } from '@cloudflare/workers-types'
import { vi } from 'vitest'
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type TestCardName,
  testCard,
} from '../../../src/emulator/index.ts'
import { createApp } from '../../../worker/app.ts'
import { type CheckoutOrder, createCheckoutLink } from '../../../worker/checkout-link.ts'
import { runCron } from '../../../worker/cron.ts'
import type { Env } from '../../../worker/env.ts'
import type { OnEvent } from '../../../worker/on-event.ts'
import { signWebhook } from '../../../worker/sdk.ts'
import type { Order } from '../../../worker/store/order.ts'
import { createKvDouble, type KvDouble } from './kv-double.ts'
import { createRandom, seedOfRun } from './random.ts'

export const ORIGIN = 'https://pay.shop.example.com'
const START = Date.parse('2026-03-01T10:00:00Z')
const LOCATIONS = ['FRA', 'WAW', 'KBP']

/**
 * `strict`: the double with the real one's limits. `hostile`: stale, lagging, failing, seen from three locations at random.
 * `real`: the runtime's own KV, where there is one.
 */
export type Kind = 'strict' | 'hostile' | 'real'

const runtimeKv = await findRuntimeKv()

/** The kinds of KV that exist on this runtime. */
export const KINDS: Kind[] = runtimeKv ? ['strict', 'hostile', 'real'] : ['strict', 'hostile']

/** What the worker wrote to its log. Failures are part of these tests: they must not bury the reporter's lines. */
export const log: unknown[][] = []
for (const level of ['error', 'warn'] as const)
  vi.spyOn(console, level).mockImplementation((...parts) => void log.push(parts))

async function findRuntimeKv(): Promise<KVNamespace | undefined> {
  if (globalThis.navigator?.userAgent !== 'Cloudflare-Workers') return undefined
  // A name that bundlers do not resolve: no other runtime has this module.
  const name = 'cloudflare:workers'
  const { env } = (await import(/* @vite-ignore */ name)) as { env: { STATE: KVNamespace } }
  return env.STATE
}

export interface WorldOptions {
  kind?: Kind
  onEvent?: OnEvent
  env?: Partial<Env>
  emulator?: EmulatorOptions
  /** How often each webhook of {@link World.deliver} is sent: `together` is twice at the same moment. */
  sends?: 'once' | 'twice' | 'together'
  /** Overrides of the hostile double. */
  failures?: number
  emptyPages?: number
  /** Replaces the emulator. */
  fetch?: typeof fetch
}

/** A worker with its state and the service, on one clock. */
export class World {
  time = START
  readonly kv: KvDouble
  readonly kind: Kind
  readonly emulator: Emulator
  readonly random: () => number
  readonly app: ReturnType<typeof createApp>
  readonly options: WorldOptions

  constructor(options: WorldOptions = {}) {
    this.options = options
    this.kind = options.kind ?? 'strict'
    this.random = createRandom(seedOfRun())
    const hostile = this.kind === 'hostile'
    this.kv = createKvDouble({
      now: () => this.time,
      random: this.random,
      lagMs: hostile ? 60_000 : 0,
      failures: options.failures ?? (hostile ? 0.1 : 0),
      emptyPages: options.emptyPages ?? (hostile ? 0.3 : 0),
    })
    this.emulator = createEmulator({
      seed: 7,
      clock: { now: () => this.time },
      fetch: (input, init) => this.fetch(new Request(input as string, init)),
      ...options.emulator,
    })
    const { onEvent } = options
    this.app = createApp({
      fetch: options.fetch ?? ((input, init) => this.emulator.fetch(input as string, init)),
      now: () => this.time,
      ...(onEvent && { onEvent }),
    })
  }

  /** Bindings as some location has them. */
  env(location = LOCATIONS[Math.floor(this.random() * LOCATIONS.length)] as string): Env {
    const { credentials } = this.emulator
    return {
      STATE: this.kind === 'real' && runtimeKv ? runtimeKv : this.kv.at(location),
      BASE_URL: credentials.baseUrl,
      API_URL: credentials.apiUrl,
      POS_ID: credentials.posId,
      SCHEME: credentials.scheme,
      AUTHENTICATION: 'documented',
      SENDER_CHECK: 'off',
      SENDER_IP: '35.187.74.148',
      API_KEY: credentials.apiKey,
      API_SECRET: credentials.apiSecret,
      ENDPOINTS_KEY: credentials.endpointsKey,
      LINK_SECRET: 'link secret of the tests',
      ADMIN_TOKEN: 'admin-token-of-the-tests',
      ...this.options.env,
    }
  }

  async fetch(request: Request, env: Env = this.env()): Promise<Response> {
    return this.app.fetch(request, env)
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(new Request(new URL(path, ORIGIN), { headers, redirect: 'manual' }))
  }

  /** Moves the time on; the emulator does what falls due. */
  async advance(ms: number): Promise<void> {
    this.time += ms
    await this.emulator.clock.advance({})
  }

  /** Sends one form body, once, as it is. */
  post(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.fetch(new Request(`${ORIGIN}/webhooks`, { method: 'POST', body, headers: { ...type, ...headers } }))
  }

  /** Delivers a genuine webhook as a service does: again, a while later, until it is acknowledged. */
  async deliver(payload: object | string, secret = this.emulator.credentials.apiSecret): Promise<void> {
    const { body } = signWebhook(payload, secret)
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
    if (!headers.has('authorization')) headers.set('authorization', 'Bearer admin-token-of-the-tests')
    return this.fetch(new Request(new URL(path, ORIGIN), { ...init, headers }))
  }

  link(order: Partial<CheckoutOrder> & { order_id: string }, expiresAt?: number): Promise<string> {
    const whole = { ...ORDER, ...order } as CheckoutOrder
    const now = () => this.time
    return createCheckoutLink({
      origin: ORIGIN,
      linkSecret: this.env().LINK_SECRET,
      order: whole,
      now,
      ...(expiresAt !== undefined && { expiresAt }),
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
    const form = { cc_number: testCard(card), exp_month: '12', exp_year: '30', card_cvv: '123' }
    const body = new URLSearchParams(form)
    const response = await this.emulator.fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
    await this.emulator.deliveries.idle()
    return response.headers.get('location')
  }

  cron(): Promise<{ finished: number; failed: number }> {
    const { onEvent } = this.options
    return runCron({ now: () => this.time, ...(onEvent && { onEvent }) }, this.env())
  }
}

export const ORDER = {
  mode: 'hosted',
  method: 'purchase',
  amount: 100.5,
  currency: 'UAH',
  description: 'Two mugs',
  order_3ds_bypass: 'supported',
  customer_patronym: 'Ivanivna',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
} as const

let counter = 0
/** An order_id that no other test uses: the runtime's own KV is shared. */
export const newOrderId = (name = 'order'): string => `${name}-${++counter}`
