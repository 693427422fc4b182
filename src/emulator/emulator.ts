import { createApp } from './app.ts'
import { emptyState, type World } from './context.ts'
import { type Control, createControl } from './control/actions.ts'
import type { Controls } from './control/api.ts'
import { type Orders, viewOrders } from './domain/orders.ts'
import { createFaultBook, type Faults } from './faults/faults.ts'
import { aborted } from './faults/response-faults.ts'
import { type Credentials, type EmulatorOptions, resolveOptions } from './options.ts'
import type { Rules } from './spec/rules.ts'
import { createAgenda } from './state/clock.ts'
import { createIds, createRandom } from './state/random.ts'
import type { Duration } from './state/time.ts'
import { createDeliveryLog, type Deliveries } from './webhooks/deliveries.ts'

/** The emulator's time: the clock of the options, and what was added to it. */
export interface EmulatorClock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time on and does, in order, everything that falls due on the way: scheduled charges, retries, delayed webhooks.
   * Resolves when all of it is done and delivered. `advance({})` does what is due now.
   */
  advance(duration: Duration): Promise<void>
}

/** `fetch`, and the handler of a server or a Worker, in one. */
export interface EmulatorFetch {
  (input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** As `Deno.serve`, `Bun.serve` and Workers call it: what comes after the request is theirs. */
  (request: Request, server: unknown, context?: unknown): Promise<Response>
}

/** The whole service, in one object. All state lives in it. */
export interface Emulator {
  /**
   * Answers a request. Fits as the `fetch` option of the SDK (no port, no network), as the handler of `Deno.serve` and
   * `Bun.serve`, and, with the emulator as default export, as a Worker.
   *
   * @throws {ConnectionResetError} when a fault says that the connection breaks.
   */
  readonly fetch: EmulatorFetch
  /** What a client needs; the names are those of the SDK's configuration. */
  readonly credentials: Credentials
  readonly clock: EmulatorClock
  /** Every webhook so far, with its attempts. */
  readonly deliveries: Deliveries
  /** The orders, to read. */
  readonly orders: Orders
  /** Faults on demand. */
  readonly faults: Faults
  /** What happens to payments beside the documented requests: void, refund, increment, the end of a subscription. */
  readonly control: Control
  /** Forgets orders, deliveries, faults and what was scheduled. The clock goes on; ids are not repeated. */
  reset(): void
}

/** Puts an emulator together around `rules`; the tests pass broken ones. */
export function assemble(options: EmulatorOptions, rules: Rules): Emulator {
  const resolved = resolveOptions(options)
  const ids = createIds(createRandom(resolved.seed))
  const agenda = createAgenda(options.clock ?? { now: () => Date.now() })
  const faults = createFaultBook(createRandom(resolved.seed ^ 0x5eed))
  const chance = createRandom(resolved.seed ^ 0xcafe)
  const deliveries = createDeliveryLog({ options: resolved, wire: rules.wire, agenda, faults, chance })
  const state = emptyState(resolved, ids)
  const world: World = { options: resolved, rules, ids, chance, agenda, state, deliveries, faults }
  const controls: Controls = {
    control: createControl(world),
    credentials: { ...resolved.credentials },
    clock: { now: () => agenda.now(), advance: (duration) => agenda.advance(duration, () => deliveries.list.idle()) },
    deliveries: deliveries.list,
    orders: viewOrders(world),
    faults,
    reset() {
      agenda.clear()
      deliveries.clear()
      faults.clear()
      Object.assign(world.state, emptyState(resolved, ids))
    },
  }
  const app = createApp(world, controls)

  return {
    ...controls,
    async fetch(input: Request | string | URL, init?: unknown, context?: unknown) {
      agenda.runDue()
      const request = toRequest(input, init, context)
      const response = await Promise.race([app.fetch(request), aborted(request.signal)])
      // In a Worker, work that outlives the answer has to be announced.
      const waitUntil = (context as { waitUntil?: unknown } | undefined)?.waitUntil
      if (typeof waitUntil === 'function') waitUntil.call(context, deliveries.list.idle())
      return response
    },
  }
}

const INIT_MEMBERS = ['method', 'headers', 'body', 'signal', 'redirect']

/** Servers pass a Request and then something of their own (bindings, a server), which must not be taken for a RequestInit. */
function toRequest(input: Request | string | URL, init: unknown, context: unknown): Request {
  if (!(input instanceof Request)) return new Request(input, init as RequestInit)
  const isInit = context === undefined && isPlain(init) && INIT_MEMBERS.some((name) => Object.hasOwn(init, name))
  return isInit ? new Request(input, init as RequestInit) : input
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
