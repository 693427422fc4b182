import { createApp } from './app.ts'
import { type Context, emptyState, note } from './context.ts'
import { createPortalActions } from './control/actions.ts'
import type { Emulator, EmulatorControls } from './control/emulator-controls.ts'
import { seedOrders } from './control/seed-orders.ts'
import { domainJobs, nextJob } from './domain/jobs.ts'
import { viewOrders } from './domain/orders.ts'
import { forgetAll, forgetOrder, readSnapshot, takeSnapshot } from './domain/snapshot.ts'
import { FaultBook, type FaultOccurrence } from './faults/faults.ts'
import { aborted } from './faults/response-faults.ts'
import { recordRequest } from './http/request-log.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
import { pay } from './pay.ts'
import { type Assembled, createShops, type SavedShops, type ShopBook } from './shops.ts'
import type { Rules } from './spec/rules.ts'
import { ActivityLog } from './state/activity.ts'
import { Scheduler } from './state/clock.ts'
import { createIds, createRandom } from './state/random.ts'
import { parseDuration, parseMoment, timestamp } from './state/time.ts'
import { DeliveryLog } from './webhooks/deliveries.ts'

/** Puts an emulator together around `rules`; the tests pass broken ones. */
export function assemble(options: EmulatorOptions, rules: Rules): Emulator {
  const own = resolveOptions(options).credentials
  const shops: ShopBook = createShops({ options, own, make: (more, name) => assembleShop(more, rules, shops, name) })
  return assembleShop(options, rules, shops, undefined).emulator
}

function assembleShop(options: EmulatorOptions, rules: Rules, shops: ShopBook, shop: string | undefined): Assembled {
  const context = createContext(options, rules, shop)
  const controls = createControls(context, shops)
  const app = createApp(context, controls)
  // On Node a request follows its caller's signal only as long as something holds it.
  const underWay = new Set<Request>()

  const emulator: Emulator = {
    ...controls,
    pay: (url, payOptions) => pay(url, { ...payOptions, fetch: emulator.fetch }),
    async fetch(input: Request | string | URL, init?: unknown, workerContext?: unknown) {
      const request = toRequest(input, init, workerContext)
      const other = shop === undefined ? shops.of(request) : undefined
      if (other !== undefined) return other.fetch(request, undefined, workerContext)
      context.scheduler.runDue()
      underWay.add(request)
      const response = await recordRequest(context, request, (recorded, entry) =>
        Promise.race([app.fetch(recorded, { entry, signal: request.signal }), aborted(request.signal)]),
      ).finally(() => underWay.delete(request))
      // In a Worker, work that outlives the response has to be announced.
      const waitUntil = (workerContext as { waitUntil?: unknown } | undefined)?.waitUntil
      if (typeof waitUntil === 'function') waitUntil.call(workerContext, context.deliveries.list.idle())
      return response
    },
  }
  return { emulator, context }
}

function createContext(options: EmulatorOptions, rules: Rules, shop: string | undefined): Context {
  const resolved = resolveOptions(options)
  const sources = {
    ids: createRandom(resolved.seed),
    faults: createRandom(resolved.seed ^ 0x5eed),
    chance: createRandom(resolved.seed ^ 0xcafe),
  }
  const ids = createIds(sources.ids)
  const scheduler = new Scheduler(resolved.clock)
  const activity = new ActivityLog(resolved.onActivity)
  const faults = new FaultBook({ random: sources.faults, now: () => scheduler.now(), onFired: noteFired })
  const parts = { options: resolved, rules, scheduler, faults, activity }
  const deliveries = new DeliveryLog(parts)
  const state = emptyState(resolved, ids)
  const context = { ...parts, shop, sources, ids, chance: sources.chance, state, deliveries }
  scheduler.handle({ ...domainJobs(context), ...deliveries.jobs })
  return context

  // The faults of an order are part of its story.
  function noteFired({ kind, on, order_id }: FaultOccurrence): void {
    // A request and a webhook report their own; a scheduled charge is neither.
    if (on === 'charge') {
      const at = timestamp(scheduler.now())
      activity.report({ type: 'fault', at, fault: { kind }, on, id: '', order_id: order_id ?? null })
    }
    const order = state.orders.get(order_id ?? '')
    if (order !== undefined) note(context, order, `fault ${kind} fired on ${on}`)
  }
}

function createControls(context: Context, shops: ShopBook): EmulatorControls {
  const { options, scheduler, deliveries, activity, faults } = context
  const idle = () => deliveries.list.idle()
  return {
    shop: context.shop,
    shops,
    control: createPortalActions(context),
    credentials: { ...options.credentials },
    clock: {
      now: () => scheduler.now(),
      advance: async (duration) => scheduler.advance(parseDuration(duration), idle),
      due: (what) => nextJob(context, what)?.at ?? null,
      set: async (at) => scheduler.set(parseMoment(at), idle),
    },
    deliveries: deliveries.list,
    requests: (filter) => activity.select(filter),
    notes: activity.notes,
    orders: viewOrders(context),
    faults,
    snapshot: () => takeSnapshot(context, context.shop === undefined ? shops.save() : []),
    restore(snapshot) {
      const replace = readSnapshot(context, snapshot)
      const { shops: saved = [] } = snapshot as { shops?: SavedShops }
      const replaceShops = context.shop === undefined ? shops.read(saved) : () => {}
      replace()
      replaceShops()
    },
    seedOrders: (orders) => seedOrders(context, orders),
    reset: (orderId) => (orderId === undefined ? forgetAll(context) : forgetOrder(context, orderId)),
  }
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
