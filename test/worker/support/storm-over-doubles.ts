import type { KVNamespace } from '@cloudflare/workers-types'
import { createEmulator, type Emulator } from '../../../src/emulator/index.ts'
import { drawPerturbations } from '../../../src/emulator/state/perturbations.ts'
import { operationKey } from '../../../src/index.ts'
import { createApp } from '../../../src/shop/app.ts'
import { runCron } from '../../../src/shop/cron.ts'
import type { ShopEnv as Env } from '../../../src/shop/env.ts'
import type { Deps } from '../../../src/shop/scope.ts'
import { createKvDouble, type KvDouble } from '../../../src/testing/index.ts'
import { createGateDouble, type GateDouble } from './gate-double.ts'
import { createKill, type How, type Kill, throughCall } from './kill.ts'
import { Storm, withLimit } from './storm.ts'
import { bindings } from './world.ts'

const PLACES = ['FRA', 'WAW']
const START = Date.parse('2026-03-01T10:00:00Z')
const LAG_MS = 60_000
const HOWS: readonly How[] = ['dies before', 'dies after', 'throws before', 'throws after']

/** With doubles of the gates and of a stale and failing KV, which two places see. */
export class StormOverDoubles extends Storm {
  readonly emulator: Emulator
  private time = START
  private readonly kv: KvDouble
  private readonly gate: GateDouble
  private readonly handled = new Set<string>()
  private readonly background: Promise<unknown>[] = []
  private readonly inFlight = new Set<Promise<unknown>>()
  private readonly waitUntil = (work: Promise<unknown>): void => void this.background.push(work.catch(() => {}))
  private kill: Kill = createKill(Number.POSITIVE_INFINITY, 'dies before')
  private fetch: ReturnType<typeof createApp>['fetch']

  constructor(seed: number) {
    super(seed)
    this.kv = createKvDouble({
      now: () => this.time,
      // Nothing fails once it is calm.
      random: () => (this.isCalm ? 1 : this.random()),
      lagMs: LAG_MS,
      failures: 0.02,
      emptyPages: 0.05,
    })
    this.emulator = createEmulator({
      perturbations: drawPerturbations(seed),
      seed,
      clock: { now: () => this.time },
      fetch: (input, init) => this.request(new Request(input as string, init)),
    })
    const deps = this.deps(this.kill)
    this.fetch = createApp(deps).fetch
    this.gate = createGateDouble(deps, this.waitUntil)
    this.start(this.kill)
    this.begin()
  }

  now(): number {
    return this.time
  }

  wasHandled(operation: string): boolean {
    return this.handled.has(operation)
  }

  /** A new isolate, whose calls go through `kill`. What the one before had begun stays with that one's. */
  private start(kill: Kill): void {
    this.kill = kill
    const deps = this.deps(kill)
    this.fetch = createApp(deps).fetch
    this.gate.restart({ deps, kill })
  }

  private deps(kill: Kill): Deps {
    return {
      now: () => this.time,
      fetch: ((input: string, init: RequestInit) =>
        kill.call(() => this.sent(withLimit(() => this.emulator.fetch(input, init))))) as typeof fetch,
      onEvent: ({ event }) =>
        kill.call(async () => {
          if (this.shopFails()) throw new Error('the shop is down')
          this.handled.add(operationKey(event))
        }),
    }
  }

  private env(kill: Kill): Env {
    const STATE = throughCall(this.kv.at<KVNamespace>(this.pick(PLACES)), kill.call)
    const ORDER_GATE = this.gate.namespace(() => this.env(this.kill))
    return { ...bindings(this.emulator.credentials), STATE, ORDER_GATE }
  }

  /** At either place. */
  async request(request: Request): Promise<Response> {
    const { kill, fetch, waitUntil } = this
    const context = { waitUntil, passThroughOnException: () => {}, props: {} }
    return kill.answer(Promise.resolve(fetch(request, this.env(kill), context)))
  }

  /** A request that has reached the service goes on there, whatever becomes of who sent it. */
  private sent(response: Promise<Response>): Promise<Response> {
    const isOver: Promise<unknown> = response.then(
      () => this.inFlight.delete(isOver),
      () => this.inFlight.delete(isOver),
    )
    this.inFlight.add(isOver)
    return response
  }

  async round(work: () => Promise<unknown>, ms: number): Promise<void> {
    const kill = createKill(this.nextKill(300) ?? Number.POSITIVE_INFINITY, this.pick(HOWS))
    this.start(kill)
    await Promise.all([work(), kill.answer(this.advance(ms)).catch(() => {})])
    // No request takes minutes inside the service, which the worker assumes too: the clock waits for it.
    await Promise.all(this.inFlight)
    if (kill.struck) {
      this.kills++
      this.start(createKill(Number.POSITIVE_INFINITY, 'dies before'))
    }
    await this.emulator.deliveries.idle()
  }

  /** Moves the time on: webhooks, alarms and the cron. */
  private async advance(ms: number): Promise<void> {
    this.time += ms
    await this.emulator.clock.advance({})
    const { kill } = this
    await this.gate.runAlarms().catch(() => {})
    await kill.answer(runCron(this.deps(kill), this.env(kill))).catch(() => {})
  }

  override calm(): void {
    super.calm()
    this.start(createKill(Number.POSITIVE_INFINITY, 'dies before'))
  }
}
