import { createApp } from './app.ts'
import { type Context, emptyState, note } from './context.ts'
import { createPortalActions } from './control/actions.ts'
import type { EmulatorControls } from './control/emulator-controls.ts'
import { seedOrders } from './control/seed-orders.ts'
import { domainJobs, nextDue } from './domain/jobs.ts'
import { viewOrders } from './domain/orders.ts'
import { applySnapshot, readSnapshot, takeSnapshot } from './domain/snapshot.ts'
import { createFaultBook, type FaultOccurrence } from './faults/faults.ts'
import { aborted } from './faults/response-faults.ts'
import { recordRequest } from './http/request-log.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
import { type PayOptions, pay } from './pay.ts'
import type { Rules } from './spec/rules.ts'
import { createActivityLog } from './state/activity.ts'
import { createScheduler } from './state/clock.ts'
import { parseDuration, parseMoment } from './state/duration.ts'
import { createIds, createRandom } from './state/random.ts'
import { timestamp } from './state/time.ts'
import { createDeliveryLog } from './webhooks/deliveries.ts'

/** `fetch`, and the handler of a server or a Worker, in one. */
export interface EmulatorFetch {
  (input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** As `Deno.serve`, `Bun.serve` and Workers call it: what comes after the request is theirs. */
  (request: Request, server: unknown, workerContext?: unknown): Promise<Response>
}

/** The whole service in one object. It holds all state. */
export interface Emulator extends EmulatorControls {
  /**
   * Handles a request. Fits as the `fetch` option of the SDK (no port, no network), as the handler of `Deno.serve` and
   * `Bun.serve`, and, with the emulator as default export, as a Worker.
   *
   * @throws {ConnectionResetError} when a fault breaks the connection.
   */
  readonly fetch: EmulatorFetch
  /** Pays on a checkout page of this emulator, as `pay` of `edgetill/testing` does. Returns where the customer ends up. */
  pay(checkoutUrl: string | URL, options?: Omit<PayOptions, 'fetch'>): Promise<string>
}

/** Puts an emulator together around `rules`; the tests pass broken ones. */
export function assemble(options: EmulatorOptions, rules: Rules): Emulator {
  const resolved = resolveOptions(options)
  const idSource = createRandom(resolved.seed)
  const ids = createIds(idSource)
  const scheduler = createScheduler(resolved.clock)
  const faultSource = createRandom(resolved.seed ^ 0x5eed)
  const faults = createFaultBook({ random: faultSource, now: scheduler.now, onFired: noteFired })
  const chance = createRandom(resolved.seed ^ 0xcafe)
  const activity = createActivityLog(resolved.onActivity)
  const deliveries = createDeliveryLog({
    options: resolved,
    wire: rules.wire,
    webhooks: rules.webhooks,
    scheduler,
    faults,
    chance,
    activity,
  })
  const state = emptyState(resolved, ids)
  const context: Context = { options: resolved, rules, ids, chance, scheduler, state, deliveries, activity, faults }
  scheduler.handle({ ...domainJobs(context), ...deliveries.jobs })
  const sources = { ids: idSource, faults: faultSource, chance }
  const controls: EmulatorControls = {
    control: createPortalActions(context),
    credentials: { ...resolved.credentials },
    clock: {
      now: () => scheduler.now(),
      advance: async (duration) => scheduler.advance(parseDuration(duration), () => deliveries.list.idle()),
      due: (what) => nextDue(context, what),
      set: async (at) => scheduler.set(parseMoment(at), () => deliveries.list.idle()),
    },
    deliveries: deliveries.list,
    requests: activity.requests,
    notes: activity.notes,
    orders: viewOrders(context),
    faults,
    snapshot: () => takeSnapshot(context, sources),
    restore(snapshot) {
      const stored = readSnapshot(context, snapshot)
      reset()
      applySnapshot(context, sources, stored)
    },
    seedOrders: (orders) => seedOrders(context, controls.control, orders),
    reset,
  }
  function reset(): void {
    scheduler.reset()
    deliveries.clear()
    activity.clear()
    faults.clear()
    for (const source of [idSource, faultSource, chance]) source.restart()
    Object.assign(context.state, emptyState(resolved, ids))
    activity.publish({ type: 'reset', at: timestamp(scheduler.now()) })
  }
  // What a fault did to an order is part of its story.
  function noteFired({ kind, on, order_id }: FaultOccurrence): void {
    // A request and a webhook report their own; a scheduled charge is neither.
    if (on === 'charge') {
      const at = timestamp(scheduler.now())
      activity.report({ type: 'fault', at, fault: { kind }, on, id: '', order_id: order_id ?? null })
    }
    const order = state.orders.get(order_id ?? '')
    if (order !== undefined) note(context, order, `fault ${kind} fired on ${on}`)
  }
  const app = createApp(context, controls)
  // On Node a request follows its caller's signal only as long as something holds it.
  const underWay = new Set<Request>()

  const emulator: Emulator = {
    ...controls,
    pay: (url, options) => pay(url, { ...options, fetch: emulator.fetch }),
    async fetch(input: Request | string | URL, init?: unknown, workerContext?: unknown) {
      scheduler.runDue()
      const request = toRequest(input, init, workerContext)
      underWay.add(request)
      const response = await recordRequest(context, request, (recorded, entry) =>
        Promise.race([app.fetch(recorded, { entry, signal: request.signal }), aborted(request.signal)]),
      ).finally(() => underWay.delete(request))
      // In a Worker, work that outlives the response has to be announced.
      const waitUntil = (workerContext as { waitUntil?: unknown } | undefined)?.waitUntil
      if (typeof waitUntil === 'function') waitUntil.call(workerContext, deliveries.list.idle())
      return response
    },
  }
  return emulator
}

const INIT_MEMBERS = ['method', 'headers', 'body', 'signal', 'redirect']

/** Servers pass a Request and then another argument (bindings, a server), which must not be taken for a RequestInit. */
function toRequest(input: Request | string | URL, init: unknown, workerContext: unknown): Request {
  if (!(input instanceof Request)) return new Request(input, init as RequestInit)
  const isInit = workerContext === undefined && isPlain(init) && INIT_MEMBERS.some((name) => Object.hasOwn(init, name))
  return isInit ? new Request(input, init as RequestInit) : input
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
