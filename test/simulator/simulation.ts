import { AsyncLocalStorage } from 'node:async_hooks'
import type { KVNamespace } from '@cloudflare/workers-types'
import { type CheckoutOrder, createCheckoutLink } from '../../src/checkout-link/index.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { PERTURBATIONS } from '../../src/emulator/state/perturbations.ts'
import { createApp } from '../../src/shop/app.ts'
import { runCron } from '../../src/shop/cron.ts'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import type { Alert } from '../../src/shop/options.ts'
import type { Deps } from '../../src/shop/scope.ts'
import { createKvDouble, type KvDouble } from '../../src/testing/index.ts'
import { createGateDouble, type GateDouble } from '../worker/support/gate-double.ts'
import { createRandom } from '../worker/support/random.ts'
import { ADMIN_TOKEN, type Answer, bindings, LINK_SECRET, ORDER, ORIGIN } from '../worker/support/world.ts'
import { never, OnEvent } from './on-event.ts'
import { Disturbances, type Played, type Schedule } from './schedule.ts'
import { createSteps, type Steps } from './steps.ts'
import { dropTimers, followClock, lastTimer, passTime, runTimers } from './time.ts'

const SECOND = 1000
export const START = Date.parse('2026-03-01T10:00:00Z')
/** The SDK gives a call up after this long. */
const CALL_MS = 30 * SECOND
/** No request takes two minutes inside the service, which the worker assumes too. */
const INSIDE_MS = 80 * SECOND
/** No call of the store takes longer: it is neither stale nor slow, but every order of its calls is possible. */
const STORE_MS = 5 * SECOND
const JUMPS = [0.2, 1.1, 5, 20, 31, 61].map((seconds) => seconds * SECOND)

/** Priorities change at some of so many turns: most schedules have as many. */
const TURNS = 100

/** The fate of a request to the service, or of its sender. */
export type Fate = 'answered' | 'lost before' | 'lost after' | 'died before' | 'died after'
const LOST: readonly Fate[] = ['lost before', 'lost after']

/** How often what fails in a schedule: probabilities for each call. */
interface Faults {
  kv: number
  storage: number
  kill: number
  onEvent: number
  hang: number
  ends: number
  publishing: number
}
const NO_FAULTS: Faults = { kv: 0, storage: 0, kill: 0, onEvent: 0, hang: 0, ends: 0, publishing: 0 }
/** Contents that a service may send as well. */
const CONTENTS = ['numbers_as_strings', 'null_fee'] as const

/** The gates' memory, from a beginning to a death. */
interface Life {
  isOver: boolean
  end: Promise<never>
  die: () => void
}

/** A worker whose every call, of KV, of a gate and of its storage, waits until a seeded scheduler lets it go. */
export class Simulation {
  time = START
  readonly random: () => number
  readonly steps: Steps
  readonly emulator: Emulator
  /** The flags, or else the kinds, of the alerts that people got. */
  readonly alerts: string[] = []
  /** The mistakes in a history. */
  readonly wrong = new Set<string>()
  readonly disturbances: Disturbances
  /** Whether the record of an operation could not be written. */
  hasLostWrites = false
  /** The fate of the next POST to the service. */
  fate: () => Fate = () => 'answered'
  /** Whether the service answers nobody who asks it. */
  isDown = false
  /** Whether no webhook arrives. */
  isSilent = false
  /** How often a webhook is sent at once. */
  copies = 1
  /** Probability that the clock jumps before a step. */
  jumps = 0
  readonly kv: KvDouble
  readonly gate: GateDouble
  readonly onEvent: OnEvent
  private faults = NO_FAULTS
  private life: Life = beginLife()
  private ringing: Promise<unknown> | undefined
  /** The turns at which a priority changes. */
  private demotions: ReadonlySet<number> = new Set()
  private readonly inside = new Set<{ sent: number; path: string }>()
  private webhooks = 0
  private messages = 0
  /** The call of an object, or the alarm, that goes on. */
  private readonly thread = new AsyncLocalStorage<string>()
  /** Whether each of them has a priority in the storage; else chance decides at each of their calls. */
  private hasThreads = false
  /** Whether writes take a while until they are on disk. */
  isDiskSlow = false
  private readonly apps = new Map<string, ReturnType<typeof createApp>>()

  constructor(schedule: Schedule) {
    const now = () => this.time
    followClock(now)
    this.disturbances = new Disturbances(schedule)
    this.random = createRandom(schedule.seed)
    this.steps = createSteps({
      random: createRandom(schedule.seed ^ 0x0bde5),
      now,
      before: () => this.disturbTurn(),
      demotes: (turn) => this.demotions.has(turn) && this.disturbances.keeps(),
      idle: () => passTime((ms) => this.advance(ms)),
    })
    this.kv = createKvDouble({ now })
    this.emulator = createEmulator({
      seed: 7,
      clock: { now },
      perturbations: PERTURBATIONS.filter(() => this.disturbances.draws(0.2)),
      fetch: (input, init) => this.deliver(input as string, init as RequestInit),
    })
    this.gate = createGateDouble(this.deps('gate'), () => {})
    const { gate, steps, wrong } = this
    const fails = this.faultOf.bind(this)
    this.onEvent = new OnEvent({ gate, steps, wrong, fails, kill: () => this.kill() })
    this.gate.before = (action, key) => {
      if (this.faultOf('storage', `${action} ${key}`)) throw new Error('The storage failed.')
    }
    this.beginGates()
  }

  /** The gates begin: over their storage, and without what was in memory. */
  private beginGates(): void {
    const life = beginLife()
    this.life = life
    const call = async <T>(work: () => Promise<T>): Promise<T> => {
      if (life.isOver) return never()
      const of = this.hasThreads ? ` of ${this.thread.getStore()}` : ''
      await this.steps.call('gate', `storage${of}`, async () => {})
      // It may wait for another turn: a write that is being committed.
      return work()
    }
    const answer = <T>(answered: Promise<T>): Promise<T> => Promise.race([answered, life.end])
    const kill = {
      // The runtime sends nothing before what was written is on disk: a write that is made counts, but for onEvent.
      call: <T>(work: () => Promise<T>) => (this.isDiskSlow ? this.steps.call('gate', 'disk', work) : work()),
      answer,
      get isDead() {
        return life.isOver
      },
    }
    this.gate.restart({ deps: this.deps('gate', life), kill })
    this.gate.through = call
  }

  /** Every gate dies: what it waits for never comes, and whoever waits for it learns so. */
  kill(): void {
    this.life.isOver = true
    for (const actor of ['gate', 'network']) this.steps.drop(actor)
    this.inside.clear()
    this.life.die()
    dropTimers()
    this.steps.note('the gates die')
    this.beginGates()
    this.onEvent.findCutOff()
  }

  /** Whether this call fails. */
  private faultOf(kind: keyof Faults, what: string): boolean {
    if (!this.steps.on || !this.disturbances.draws(this.faults[kind])) return false
    this.steps.note(`${what} fails`)
    if (kind === 'storage') {
      if (what.startsWith('put operation/')) this.hasLostWrites = true
      // Earlier writes of the same transaction are undone first.
      queueMicrotask(() => this.onEvent.findCutOff())
    }
    return true
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  /** Whether a request is at the service. */
  get isInside(): boolean {
    return this.inside.size > 0
  }

  /** Whether a request to this path is. */
  isAt(path: string): boolean {
    return [...this.inside].some((one) => one.path.endsWith(path))
  }

  /** From now on every call waits for its turn. */
  disturb(lost = 0, mayDie = true): void {
    const { disturbances } = this
    this.jumps = disturbances.pick([0, 0, 0.02, 0.08, 0.3])
    this.copies = disturbances.pick([1, 1, 2])
    this.hasThreads = disturbances.pick([true, true, false])
    this.fate = () => (disturbances.draws(lost) ? disturbances.pick(LOST) : 'answered')
    this.demotions = new Set(
      Array.from({ length: disturbances.pick([1, 2, 4, 8]) }, () => Math.floor(disturbances.random() * TURNS)),
    )
    // Mostly one kind of failure at a time: what is found is then understood more easily.
    this.faults = {
      ...NO_FAULTS,
      ...disturbances.pick<Partial<Faults>>([
        {},
        {},
        { kv: 0.1 },
        { storage: 0.01 },
        { kill: mayDie ? 0.02 : 0 },
        { onEvent: 0.5 },
        { hang: 0.5 },
      ]),
    }
    const kind = disturbances.pick([undefined, undefined, ...CONTENTS])
    if (kind && disturbances.keeps()) this.emulator.faults.next({ kind }, 1_000)
    this.steps.on = true
  }

  /** From now on so much fails, until it is calm. */
  fail(faults: Partial<Faults>): void {
    this.faults = { ...NO_FAULTS, ...faults }
    this.steps.on = true
  }

  /** An actor of the schedule; a schedule may do without. */
  begin(work: () => Promise<unknown>): void {
    if (this.disturbances.keeps()) this.steps.begin(work())
  }

  /** Ends what `disturb` began. */
  async calm(): Promise<void> {
    await this.steps.run()
    this.steps.on = false
    this.faults = NO_FAULTS
    this.fate = () => 'answered'
  }

  /** Lets one request die or lose its answer; its webhooks wait. Afterwards an isolate that died begins anew. */
  async disturbOne(fate: Fate, actor: string, request: () => Promise<unknown>): Promise<void> {
    this.fate = () => fate
    this.steps.on = true
    request().catch(() => {})
    await this.steps.run((other) => [actor, 'gate', 'network'].includes(other))
    if (fate.startsWith('died')) this.kill()
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
    runTimers()
    void this.emulator.clock.advance({})
  }

  private disturbTurn(): void {
    const { disturbances } = this
    if (disturbances.draws(this.faults.kill)) this.kill()
    if (disturbances.draws(this.jumps)) this.jump(disturbances.pick(JUMPS))
  }

  /** Moves the clock, where nothing has to end before. */
  private jump(ms: number): void {
    const limits = [...this.inside].map(({ sent }) => sent + INSIDE_MS)
    if (this.time + ms <= Math.min(...limits, this.steps.oldest() + STORE_MS)) this.advance(ms)
  }

  private async deliver(url: string, init: RequestInit): Promise<Response> {
    // The preflight of a new payment.
    if (!init.body) return new Response()
    if (this.isSilent) return new Response(null, { status: 503 })
    const name = `webhook${++this.webhooks}`
    const send = async (actor: string): Promise<Response> => {
      await this.steps.at(actor, 'delivery')
      const { status } = await this.request(actor, new Request(url, { ...init, signal: null }))
      await this.steps.at(actor, `delivered ${status}`)
      return new Response(null, { status })
    }
    const [first, ...others] = Array.from({ length: this.copies }, (_, i) => send(`${name}.${i}`))
    for (const one of [first, ...others]) if (one) this.steps.begin(one)
    return first as Promise<Response>
  }

  private deps(actor: string, life?: Life): Deps {
    return {
      now: () => this.time,
      fetch: ((input: string, init: RequestInit) =>
        life?.isOver ? never() : this.service(actor, input, init)) as typeof fetch,
      onAlert: this.onAlert,
      onEvent: ({ event }) => {
        // The engine has set the limit of this very call.
        const limit = lastTimer()
        return life?.isOver ? never() : this.onEvent.call(actor, event, limit)
      },
    }
  }

  private readonly onAlert = ({ kind, flag }: Alert): void => void this.alerts.push(String(flag ?? kind))

  private async service(actor: string, url: string, init: RequestInit): Promise<Response> {
    const path = `${init.method} ${new URL(url).pathname}`
    if (this.isDown) throw new TypeError('The connection was refused.')
    const fate = init.method === 'POST' ? this.fate() : 'answered'
    if (fate === 'died before') return new Promise<never>(() => {})
    const request = { sent: this.time, path }
    this.inside.add(request)
    await this.steps.at(actor, `${path}, ${fate}`)
    const response =
      fate === 'lost before' ? undefined : await this.steps.busy(this.emulator.fetch(url, { ...init, signal: null }))
    this.inside.delete(request)
    if (fate === 'died after') return new Promise<never>(() => {})
    await this.steps.at(actor, `${response?.status ?? 'nothing'} for ${path}`)
    const isLate = init.method === 'POST' && this.time - request.sent > CALL_MS
    if (!response || fate === 'lost after' || isLate) throw new TypeError('The connection was reset.')
    return response
  }

  private env(actor: string, life?: Life): Env {
    type Calls = Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>
    const kv = this.kv.at<KVNamespace>()
    const stepped = new Proxy(kv, {
      get:
        (target, name) =>
        (...parts: unknown[]) => {
          const [first] = parts as [string | { prefix: string }]
          const key = typeof first === 'string' ? first : first.prefix
          const what = `${String(name)} ${key}`
          const work = async () => {
            if (this.faultOf('kv', what)) throw new Error('KV failed.')
            if (key.startsWith('order/') && this.faultOf('publishing', 'publishing ends the program, and'))
              return this.kill()
            const value = await (target as unknown as Calls)[name]?.(...parts)
            if (name === 'put' && this.faultOf('kv', `the response to ${what}`)) throw new Error('KV failed.')
            return value
          }
          const called = life?.isOver ? never() : this.steps.call(actor, what, work)
          return called.then((value) => (life?.isOver ? never() : value))
        },
    })
    // A message of a gate to another object is on its way for a while, and so is the answer.
    const hop = async <T>(work: () => Promise<T>): Promise<T> => {
      if (life?.isOver) return never()
      const name = `call ${++this.messages} of an object`
      if (!life) return this.thread.run(name, work)
      // Any of them may overtake the others, and arrives although its sender has died.
      const sent = this.steps.call('network', name, async () => {})
      await Promise.race([sent, life.end]).catch(() => this.steps.at('network', `${name}, late`, () => false))
      const value = await this.thread.run(name, work)
      if (life.isOver) return never()
      await this.steps.call(actor, `answer to ${name}`, async () => {})
      return value
    }
    const ORDER_GATE = this.gate.namespace(() => this.env('gate', this.life), hop)
    return { ...bindings(this.emulator.credentials), STATE: stepped, ORDER_GATE }
  }

  /** A request to the worker, as one actor. */
  async request(actor: string, request: Request): Promise<Response> {
    const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
    const app = this.apps.get(actor) ?? createApp(this.deps(actor))
    this.apps.set(actor, app)
    return app.fetch(request, this.env(actor), context)
  }

  async api(actor: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { ...init.headers, authorization: `Bearer ${ADMIN_TOKEN}` }
    const response = await this.request(actor, new Request(`${ORIGIN}${path}`, { ...init, headers }))
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
  }

  link(order: Partial<CheckoutOrder>, expiresAt?: number): Promise<string> {
    const whole = { ...ORDER, ...order } as CheckoutOrder
    return createCheckoutLink({
      origin: ORIGIN,
      linkSecret: LINK_SECRET,
      order: whole,
      expiresAt,
      now: () => this.time,
    })
  }

  /** The alarms that are due; the runtime runs none of an object beside another one. */
  private async ring(): Promise<void> {
    const running = this.ringing ?? this.thread.run('an alarm', () => this.gate.runAlarms()).catch(() => {})
    this.ringing = running
    await running
    if (this.ringing === running) this.ringing = undefined
  }

  /** Alarms that are due, and the cron. */
  async wake(actor: string): Promise<void> {
    await this.ring()
    await runCron(this.deps(actor), this.env(actor)).catch(() => {})
  }

  /** The alarms, as often as some are due. */
  async alarms(): Promise<void> {
    const untilDue = () => (this.gate.nextAlarm() ?? Number.POSITIVE_INFINITY) - this.time
    for (let time = 0; time < 3; time++) {
      await this.steps.at('alarm', 'rings', () => untilDue() <= 0)
      // Nothing else goes on.
      if (untilDue() > 0 && untilDue() <= Math.max(...JUMPS)) this.jump(untilDue())
      await this.ring()
    }
  }

  /** Plays the whole schedule; what it throws is wrong with it. */
  async play(work: () => Promise<void>): Promise<Played> {
    await work().catch((error: unknown) => this.wrong.add(String(error)))
    return { log: this.steps.log, wrong: [...this.wrong], disturbed: this.disturbances.happened }
  }
}

function beginLife(): Life {
  let die = () => {}
  const end = new Promise<never>((_, reject) => {
    die = () => reject(new Error('The gate has died.'))
  })
  end.catch(() => {})
  return { isOver: false, end, die }
}
