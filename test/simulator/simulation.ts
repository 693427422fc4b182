import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { KVNamespace } from '@cloudflare/workers-types'
import { type CheckoutOrder, createCheckoutLink } from '../../src/checkout-link/index.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { PERTURBATIONS } from '../../src/emulator/state/perturbations.ts'
import { createApp } from '../../src/shop/app.ts'
import { runCron } from '../../src/shop/cron.ts'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { createShopObject } from '../../src/shop/object.ts'
import { makeShop } from '../../src/shop/open-scope.ts'
import type { Alert } from '../../src/shop/options.ts'
import type { Deps } from '../../src/shop/scope.ts'
import { createKvDouble, type KvDouble } from '../../src/testing/index.ts'
import { createObjectDouble, type ObjectDouble } from '../../src/testing/object-double.ts'
import type { Database } from '../../src/testing/sqlite.ts'
import { SQLITE_CLOCK, type SqlStatement } from '../../src/till/database.ts'
import { hostOfRun } from '../support/environment.ts'
import { createRandom } from '../worker/support/random.ts'
import {
  ADMIN_TOKEN,
  type Answer,
  bindings,
  type HostName,
  LINK_SECRET,
  ORDER,
  ORIGIN,
  serverOver,
} from '../worker/support/world.ts'
import { never, OnEvent } from './on-event.ts'
import { Disturbances, type Played, type Schedule } from './schedule.ts'
import { createSteps, type Steps } from './steps.ts'
import { followClock, lastTimer, passTime, runTimers } from './time.ts'

const SECOND = 1000
export const START = Date.parse('2026-03-01T10:00:00Z')
/** The SDK gives a call up after this long. */
const CALL_MS = 30 * SECOND
/** No request takes two minutes inside the service, which the worker assumes too. */
const INSIDE_MS = 80 * SECOND
/** No call of the object or of KV takes longer: it is neither stale nor slow, but every order of its calls is possible. */
const STORE_MS = 5 * SECOND
const MINUTE = 60 * SECOND
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

/** The memory of the Worker at one place, from a beginning to a death. */
export interface Isolate {
  isOver: boolean
  end: Promise<void>
  die: () => void
  deps: Deps
  app: ReturnType<typeof createApp>
  env: Env
}

/** Isolates of a Worker over one object, whose every call, of the object, of KV and of the service, waits until a seeded scheduler lets it go. */
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
  /** Whether a write of the object failed. */
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
  readonly object: ObjectDouble
  readonly onEvent: OnEvent
  /** A server copies nothing to KV. */
  readonly host: HostName
  private faults = NO_FAULTS
  private readonly isolates: Isolate[]
  /** The turns at which a priority changes. */
  private demotions: ReadonlySet<number> = new Set()
  private readonly inside = new Set<{ sent: number; path: string }>()
  private webhooks = 0
  /** Who goes on. */
  private readonly actor = new AsyncLocalStorage<string>()

  constructor(schedule: Schedule) {
    const now = () => this.time
    this.host = schedule.host ?? hostOfRun
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
    const ShopObject = createShopObject((database, env) => makeShop({ now: Date.now }, env, database))
    this.object = createObjectDouble({ ShopObject, open: () => openDatabase(now) })
    this.object.before = (action, key) => {
      if (this.faultOf('storage', `${action} ${key}`)) throw new Error('The storage failed.')
    }
    this.isolates = [this.start(), this.start()]
    const { object, steps, wrong } = this
    this.onEvent = new OnEvent({ object, steps, wrong, now, fails: this.faultOf.bind(this) })
  }

  /** An isolate begins: the database and KV are what they were. */
  private start(): Isolate {
    let die = () => {}
    const end = new Promise<void>((resolve) => {
      die = resolve
    })
    const isolate = { isOver: false, end, die: () => die() } as Isolate
    isolate.deps = {
      // The clock of the database, and of the timers.
      now: Date.now,
      fetch: ((input: string, init: RequestInit) => this.service(isolate, input, init)) as typeof fetch,
      onAlert: ({ kind, flag }: Alert) => void this.alerts.push(String(flag ?? kind)),
      onEvent: ({ id, event }) => {
        // The engine has set the limit of this very call.
        const limit = lastTimer()
        if (isolate.isOver) return never()
        return this.onEvent.call(this.actor.getStore() ?? 'calm', { id, event }, limit, isolate, () =>
          this.kill(isolate),
        )
      },
    }
    isolate.env = this.envOf(isolate)
    if (this.host === 'server')
      isolate.deps.host = serverOver(
        () => isolate.env,
        isolate.deps,
        () => SQLITE_CLOCK,
      )
    isolate.app = createApp(isolate.deps)
    return isolate
  }

  /** An isolate dies: what goes on in it waits forever, and whoever waits for it learns so. A new one takes its place. */
  kill(isolate: Isolate = this.pick(this.isolates)): void {
    if (isolate.isOver) return
    isolate.isOver = true
    this.steps.note('an isolate dies')
    this.isolates[this.isolates.indexOf(isolate)] = this.start()
    this.onEvent.findCutOff(isolate)
    isolate.die()
  }

  /** All of them die. */
  killAll(): void {
    for (const isolate of [...this.isolates]) this.kill(isolate)
  }

  /** Whether this call fails. */
  private faultOf(kind: keyof Faults, what: string): boolean {
    if (!this.steps.on || !this.disturbances.draws(this.faults[kind])) return false
    this.steps.note(`${what} fails`)
    if (kind === 'storage') {
      if (!what.startsWith('get ')) this.hasLostWrites = true
      // Earlier writes of the same batch are undone first.
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
        { storage: 0.03 },
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

  /** Lets one request die or lose its answer; its webhooks wait. */
  async disturbOne(fate: Fate, actor: string, request: () => Promise<unknown>): Promise<void> {
    this.fate = () => fate
    this.steps.on = true
    request().catch(() => {})
    await this.steps.run((other) => [actor, 'network'].includes(other))
    this.fate = () => 'answered'
  }

  /** Without disturbances, until nothing goes on any more. */
  async calmly<T>(work: () => Promise<T>): Promise<T> {
    const working = work()
    this.steps.begin(working)
    await this.steps.run()
    return working
  }

  /** The webhooks that are on their way arrive. */
  idle = (): Promise<void> => this.calmly(() => this.emulator.deliveries.idle())

  /** Webhooks and the cron, some hours later. */
  async pass(hours: number): Promise<void> {
    // One that is rejected now is sent again in a minute from now, not from later.
    await this.idle()
    this.time += hours * 3_600_000
    for (let minute = 0; minute < 2; minute++) await this.passMinute()
  }

  /** A minute in which nobody asks: the webhooks that are due, and the cron. */
  async passMinute(): Promise<void> {
    await this.calmly(async () => {
      this.time += MINUTE
      runTimers()
      await this.emulator.clock.advance({})
      await this.emulator.deliveries.idle()
    })
    await this.calmly(() => this.wake('cron'))
    await this.idle()
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
      const { status } = await this.enter(actor, new Request(url, { ...init, signal: null }))
      await this.steps.at(actor, `delivered ${status}`)
      return new Response(null, { status })
    }
    const [first, ...others] = Array.from({ length: this.copies }, (_, i) => send(`${name}.${i}`))
    for (const one of [first, ...others]) if (one) this.steps.begin(one)
    return first as Promise<Response>
  }

  /** A request to the service arrives although its sender has died. */
  private async service(isolate: Isolate, url: string, init: RequestInit): Promise<Response> {
    if (isolate.isOver) return never()
    const actor = this.actor.getStore() ?? 'calm'
    const path = `${init.method} ${new URL(url).pathname}`
    if (this.isDown) throw new TypeError('The connection was refused.')
    const fate = init.method === 'POST' ? this.fate() : 'answered'
    if (fate === 'died before') {
      this.kill(isolate)
      return never()
    }
    const request = { sent: this.time, path }
    this.inside.add(request)
    await this.steps.at(actor, `${path}, ${fate}`)
    const response =
      fate === 'lost before' ? undefined : await this.steps.busy(this.emulator.fetch(url, { ...init, signal: null }))
    this.inside.delete(request)
    if (fate === 'died after') this.kill(isolate)
    if (isolate.isOver) return never()
    await this.steps.at(actor, `${response?.status ?? 'nothing'} for ${path}`)
    if (isolate.isOver) return never()
    const isLate = init.method === 'POST' && this.time - request.sent > CALL_MS
    if (!response || fate === 'lost after' || isLate) throw new TypeError('The connection was reset.')
    return response
  }

  /** A call waits for its turn. One whose sender has died arrives, or does not; its response does not. */
  private async hop<T>(isolate: Isolate, what: string, work: () => Promise<T>): Promise<T> {
    if (isolate.isOver) return never()
    const called = this.steps.call(this.actor.getStore() ?? 'calm', what, async () =>
      isolate.isOver && this.random() < 0.5 ? undefined : work(),
    )
    const [{ value, reason }] = (await Promise.allSettled([called])) as [{ value?: T; reason?: unknown }]
    if (isolate.isOver) return never()
    if (reason) throw reason
    return value as T
  }

  private envOf(isolate: Isolate): Env {
    type Calls = Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>
    const STATE = new Proxy(this.kv.at<KVNamespace>(), {
      get:
        (target, name) =>
        (...parts: unknown[]) => {
          const [first] = parts as [string | { prefix: string }]
          const key = typeof first === 'string' ? first : first.prefix
          const what = `${String(name)} ${key}`
          return this.hop(isolate, what, async () => {
            if (this.faultOf('kv', what)) throw new Error('KV failed.')
            if (key.startsWith('order/') && this.faultOf('publishing', 'publishing ends the program, and'))
              return this.kill(isolate)
            const value = await (target as unknown as Calls)[String(name)]?.(...parts)
            if (name === 'put' && this.faultOf('kv', `the response to ${what}`)) throw new Error('KV failed.')
            return value
          })
        },
    })
    const object = this.object.namespace(() => isolate.env).get('shop' as never)
    const TILL: Env['TILL'] = {
      idFromName: (name) => name,
      get: () => ({
        fetch: (url, init) => {
          const what = textOf(JSON.parse(init.body))
          return this.hop(isolate, what, async () => {
            const answer = await (await object.fetch(url, init)).json()
            if (this.faultOf('storage', `the response to ${what}`)) throw new Error('The object was reset.')
            return { json: async () => answer }
          })
        },
      }),
    }
    return { ...bindings(this.emulator.credentials), STATE, TILL }
  }

  /** A request to one of the isolates, as one actor. */
  private async enter(actor: string, request: Request): Promise<Response> {
    const isolate = this.pick(this.isolates)
    const context = { waitUntil: this.waitUntil(isolate), passThroughOnException: () => {}, props: {} }
    const answered = this.actor.run(actor, async () => isolate.app.fetch(request, isolate.env, context))
    return Promise.race([answered, isolate.end.then(() => new Response(null, { status: 520 }))])
  }

  private waitUntil =
    ({ end }: Isolate) =>
    (work: Promise<unknown>): void =>
      this.steps.begin(Promise.race([work, end]))

  /** A request to the worker. */
  request(actor: string, request: Request): Promise<Response> {
    return this.steps.on ? this.enter(actor, request) : this.calmly(() => this.enter(actor, request))
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

  /** The cron runs once. */
  async wake(actor: string): Promise<void> {
    const isolate = this.pick(this.isolates)
    const run = this.actor.run(actor, () => runCron(isolate.deps, isolate.env, this.waitUntil(isolate)))
    await Promise.race([run, isolate.end])
  }

  /** The cron, each minute. */
  async minutes(count = 3): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      const at = this.time + MINUTE
      await this.steps.at('cron', 'rings', () => this.time >= at)
      // Nothing else goes on.
      if (this.time < at) this.jump(at - this.time)
      await this.wake('cron')
    }
  }

  /** The rows of a query, past all disturbances. */
  rows = (query: string, ...values: (string | number)[]): Record<string, unknown>[] =>
    this.object.rows(query, ...values)

  /** The log of an order. */
  logOf = (order_id: string): LogRow[] =>
    this.rows('SELECT * FROM edgetill_log WHERE order_id = ? ORDER BY number', order_id) as unknown as LogRow[]

  /** Plays the whole schedule; what it throws is wrong with it. */
  async play(work: () => Promise<void>): Promise<Played> {
    await work().catch((error: unknown) => this.wrong.add(String(error)))
    return { log: this.steps.log, wrong: [...this.wrong], disturbed: this.disturbances.happened }
  }
}

/** A row of the till's log. */
export interface LogRow {
  kind: string
  id: string
  attempt: number
  name: string | null
  body: string
  is_open: number
  next_at: number | null
  attempts: number
  error: string | null
  unlisted: number | null
}

/** The first statement of a call, with the kind of its row. */
function textOf([[sql, values] = ['', []], ...others]: SqlStatement[]): string {
  const [, verb, table] = /^(\w+).*?(edgetill_\w+)/s.exec(sql) ?? ['', sql]
  const kind = values.find((value) => /^(event|payment|operation|end|close)$/.test(String(value))) ?? ''
  return `${verb} ${table} ${kind}${others.length > 0 ? ` and ${others.length} more` : ''}`.trim()
}

/** The object's SQLite, whose clock is the schedule's. */
function openDatabase(now: () => number): Database {
  const database = new DatabaseSync(':memory:')
  database.function('now_ms', now)
  const statements = new Map<string, StatementSync>()
  const prepared = (query: string): StatementSync => {
    const statement = statements.get(query) ?? database.prepare(query.replaceAll(SQLITE_CLOCK, 'now_ms()'))
    statements.set(query, statement)
    return statement
  }
  return {
    exec(query, values) {
      const rows = prepared(query).all(...(values as SQLInputValue[]))
      const [{ changes }] = prepared('SELECT changes() AS changes').all() as [{ changes: number }]
      return { rows, changes }
    },
  }
}
