import type { KVNamespace } from '@cloudflare/workers-types'
import { type CheckoutOrder, createCheckoutLink } from '../../../src/checkout-link/index.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/index.ts'
import { operationKey } from '../../../src/index.ts'
import { createApp } from '../../../src/shop/app.ts'
import { runCron } from '../../../src/shop/cron.ts'
import type { ShopEnv as Env } from '../../../src/shop/env.ts'
import type { Deps } from '../../../src/shop/scope.ts'
import { createKvDouble, type KvDouble } from '../../../src/testing/index.ts'
import { createGateDouble, type GateDouble } from './gate-double.ts'
import { createRandom } from './random.ts'
import { createSteps, type Steps } from './steps.ts'
import { ADMIN_TOKEN, type Answer, bindings, LINK_SECRET, ORDER, ORIGIN } from './world.ts'

const SECOND = 1000
const START = Date.parse('2026-03-01T10:00:00Z')
/** The SDK gives a call up after this long. */
const CALL_MS = 30 * SECOND
/** No request takes two minutes inside the service, which the worker assumes too. */
const INSIDE_MS = 80 * SECOND
/** No call of the store takes longer: it is neither stale nor slow, but every order of its calls is possible. */
const STORE_MS = 5 * SECOND
const JUMPS = [0.2, 1.1, 5, 20, 31, 61].map((seconds) => seconds * SECOND)

/** What happens to a request to the service, or to who sends it. */
export type Fate = 'answered' | 'lost before' | 'lost after' | 'died before' | 'died after'

/** A worker whose every call, of KV, of a gate and of its storage, waits until a seeded scheduler lets it go. */
export class Interleaving {
  time = START
  readonly random: () => number
  readonly steps: Steps
  readonly emulator: Emulator
  /** The operations, each in a status, for which `onEvent` ran, as often as it ran. */
  readonly handled: string[] = []
  /** What is wrong with what happened. */
  readonly wrong = new Set<string>()
  /** What becomes of the next POST to the service. */
  fate: () => Fate = () => 'answered'
  /** How often a webhook is sent at once. */
  copies = 1
  /** Probability that the clock jumps before a step. */
  jumps = 0
  private readonly kv: KvDouble
  protected readonly gate: GateDouble
  private readonly inside = new Set<{ sent: number }>()
  private webhooks = 0

  constructor(seed: number) {
    const now = () => this.time
    this.random = createRandom(seed)
    this.steps = createSteps({ random: this.random, now, before: () => this.jump() })
    this.kv = createKvDouble({ now })
    this.emulator = createEmulator({
      seed: 7,
      clock: { now },
      fetch: (input, init) => this.deliver(input as string, init as RequestInit),
    })
    this.gate = createGateDouble(this.deps('gate'), () => {})
    this.gate.through = (work) => this.steps.call('gate', 'storage', work)
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  /** Whether a request is at the service. */
  get isInside(): boolean {
    return this.inside.size > 0
  }

  /** From now on every call waits for its turn. */
  disturb(): void {
    this.jumps = this.pick([0, 0, 0.02, 0.08, 0.3])
    this.copies = this.pick([1, 1, 2])
    this.steps.on = true
  }

  /** Ends what `disturb` began. */
  async calm(): Promise<void> {
    await this.steps.run()
    this.steps.on = false
    this.fate = () => 'answered'
  }

  /** Lets one request die or lose its answer; its webhooks wait. Afterwards an isolate that died begins anew. */
  async disturbOne(fate: Fate, actor: string, request: () => Promise<unknown>): Promise<void> {
    this.fate = () => fate
    this.steps.on = true
    request().catch(() => {})
    await this.steps.run((other) => other === actor || other === 'gate')
    if (fate.startsWith('died')) this.gate.restart()
    this.fate = () => 'answered'
  }

  /** Webhooks, alarms and the cron, some hours later. */
  async pass(hours: number): Promise<void> {
    // One that is rejected now is sent again in a minute from now, not from later.
    await this.emulator.deliveries.idle()
    this.time += hours * 3_600_000
    await this.emulator.clock.advance({})
    await this.emulator.deliveries.idle()
    await this.wake('cron')
  }

  advance(ms: number): void {
    this.time += ms
    this.steps.note(`clock +${ms}`)
    void this.emulator.clock.advance({})
  }

  private jump(): void {
    if (this.random() >= this.jumps) return
    const ms = this.pick(JUMPS)
    const limits = [...this.inside].map(({ sent }) => sent + INSIDE_MS)
    if (this.time + ms <= Math.min(...limits, this.steps.oldest() + STORE_MS)) this.advance(ms)
  }

  private async deliver(url: string, init: RequestInit): Promise<Response> {
    // The preflight of a new payment.
    if (!init.body) return new Response()
    const name = `webhook${++this.webhooks}`
    const send = async (actor: string): Promise<Response> => {
      await this.steps.at(actor, 'delivery')
      const { status } = await this.request(actor, new Request(url, { ...init }))
      await this.steps.at(actor, `delivered ${status}`)
      return new Response(null, { status })
    }
    const [first, ...others] = Array.from({ length: this.copies }, (_, i) => send(`${name}.${i}`))
    for (const one of [first, ...others]) if (one) this.steps.begin(one)
    return first as Promise<Response>
  }

  private deps(actor: string): Deps {
    return {
      now: () => this.time,
      fetch: ((input: string, init: RequestInit) => this.service(actor, input, init)) as typeof fetch,
      onEvent: async ({ event }) => {
        await this.steps.at(actor, 'onEvent')
        this.handled.push(operationKey(event))
      },
    }
  }

  private async service(actor: string, url: string, init: RequestInit): Promise<Response> {
    const path = `${init.method} ${new URL(url).pathname}`
    const fate = init.method === 'POST' ? this.fate() : 'answered'
    if (fate === 'died before') return new Promise<never>(() => {})
    const request = { sent: this.time }
    this.inside.add(request)
    await this.steps.at(actor, `${path}, ${fate}`)
    const response = fate === 'lost before' ? undefined : await this.steps.busy(this.emulator.fetch(url, init))
    this.inside.delete(request)
    if (fate === 'died after') return new Promise<never>(() => {})
    await this.steps.at(actor, `${response?.status ?? 'nothing'} for ${path}`)
    const isLate = init.method === 'POST' && this.time - request.sent > CALL_MS
    if (!response || fate === 'lost after' || isLate) throw new TypeError('The connection was reset.')
    return response
  }

  private env(actor: string): Env {
    type Calls = Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>
    const kv = this.kv.at<KVNamespace>()
    const stepped = new Proxy(kv, {
      get:
        (target, name) =>
        (...parts: unknown[]) => {
          const [first] = parts as [string | { prefix: string }]
          const key = typeof first === 'string' ? first : first.prefix
          const work = async () => (target as unknown as Calls)[name]?.(...parts)
          return this.steps.call(actor, `${String(name)} ${key}`, work)
        },
    })
    const ORDER_GATE = this.gate.namespace(() => this.env('gate'))
    return { ...bindings(this.emulator.credentials), STATE: stepped, ORDER_GATE }
  }

  /** A request to the worker, as one actor. */
  async request(actor: string, request: Request): Promise<Response> {
    const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
    return createApp(this.deps(actor)).fetch(request, this.env(actor), context)
  }

  async api(actor: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { ...init.headers, authorization: `Bearer ${ADMIN_TOKEN}` }
    const response = await this.request(actor, new Request(`${ORIGIN}${path}`, { ...init, headers }))
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
  }

  link(order: { order_id: string; method: 'purchase' | 'auth' }): Promise<string> {
    const whole = { ...ORDER, ...order } as CheckoutOrder
    return createCheckoutLink({ origin: ORIGIN, linkSecret: LINK_SECRET, order: whole, now: () => this.time })
  }

  /** Alarms that are due, and the cron. */
  async wake(actor: string): Promise<void> {
    await this.gate.runAlarms()
    await runCron(this.deps(actor), this.env(actor)).catch(() => {})
  }

  /** @throws {Error} with the whole schedule, when something is wrong. */
  judge(name: string): void {
    if (this.wrong.size === 0) return
    throw new Error(`${name}: ${[...this.wrong].join('; ')}\n${this.steps.log.join('\n')}`)
  }
}
