import { type Context, emptyState } from '../context.ts'
import { InputError } from '../parse-input.ts'
import type { Job } from '../state/clock.ts'
import type { Order, Token } from '../state/state.ts'
import { timestamp } from '../state/time.ts'

/** Raised when an older emulator could not read what this one writes. */
const VERSION = 1

/** All that an emulator remembers, as JSON. Its shape may change between versions of the package; `version` says so. */
export interface Snapshot {
  version: number
  /** The POS that it belongs to. */
  pos_id: string
  /** Its content is the emulator's own. */
  state: Record<string, unknown>
  /** The other shops, with what makes them. */
  shops?: readonly { options: object; snapshot: Snapshot }[]
}

interface Stored {
  random: Record<keyof Context['sources'], number>
  clock: { offset: number; jobs: readonly Job[] }
  orders: (Order & { places: number[] })[]
  tokens: [string, Token][]
  accounts: Context['state']['accounts']
  deliveries: ReturnType<Context['deliveries']['save']>
  deliveryPlaces: { place: number; attempts: number[] }[]
  faults: ReturnType<Context['faults']['save']>
  activity: ReturnType<Context['activity']['save']>
}

export function takeSnapshot(context: Context): Snapshot {
  const { state, sources, scheduler, deliveries, faults, activity, options } = context
  const places = (entries: readonly object[]): number[] => entries.map((entry) => activity.placeOf(entry))
  const saved = deliveries.save()
  const stored: Stored = {
    random: { ids: sources.ids.position(), faults: sources.faults.position(), chance: sources.chance.position() },
    clock: { offset: scheduler.offset, jobs: scheduler.jobs },
    orders: [...state.orders.values()].map((order) => ({ ...order, places: places(order.timeline) })),
    tokens: [...state.tokens],
    accounts: state.accounts,
    deliveries: saved,
    deliveryPlaces: saved.all.map((one) => ({ place: activity.placeOf(one), attempts: places(one.attempts) })),
    faults: faults.save(),
    activity: activity.save(),
  }
  const { posId: pos_id } = options.credentials
  return JSON.parse(JSON.stringify({ version: VERSION, pos_id, state: stored })) as Snapshot
}

/** @throws {ConfigError} for what is not a snapshot of this version. */
export function readSnapshot(context: Context, input: unknown): Stored {
  const { version, pos_id, state } = (input ?? {}) as Partial<Snapshot>
  if (typeof version !== 'number' || typeof state !== 'object' || state === null) {
    throw new InputError('This is not a snapshot of the emulator: it has no version and state.')
  }
  if (version !== VERSION) {
    throw new InputError(`The snapshot has version ${version}; this emulator reads version ${VERSION}.`)
  }
  const own = context.options.credentials.posId
  if (pos_id !== own) throw new InputError(`The snapshot belongs to the POS ${pos_id}, this emulator is ${own}.`)
  const { random, clock, orders, tokens, accounts, deliveries, deliveryPlaces, faults, activity } = structuredClone(
    state,
  ) as unknown as Stored
  const parts = { random, clock, orders, tokens, accounts, deliveries, deliveryPlaces, faults, activity }
  const missing = Object.entries(parts).find(([, part]) => typeof part !== 'object' || part === null)
  if (missing !== undefined) throw new InputError(`The snapshot is damaged: state.${missing[0]} is missing.`)
  return parts
}

export function applySnapshot(context: Context, stored: Stored): void {
  const { sources, scheduler, deliveries, faults, activity } = context
  for (const name of ['ids', 'faults', 'chance'] as const) sources[name].goTo(stored.random[name])
  scheduler.restore(stored.clock.jobs, stored.clock.offset)
  const orders = stored.orders.map(({ places, ...order }) => {
    for (const [index, entry] of order.timeline.entries()) activity.putAt(entry, places[index] ?? 0)
    return order as Order
  })
  Object.assign(context.state, {
    orders: new Map(orders.map((order) => [order.order_id, order])),
    checkouts: new Map(orders.map((order) => [order.checkout_id, order])),
    tokens: new Map(stored.tokens),
    accounts: stored.accounts,
  })
  faults.restore(stored.faults)
  activity.restore(stored.activity)
  for (const [index, delivery] of stored.deliveries.all.entries()) {
    const { place = 0, attempts = [] } = stored.deliveryPlaces[index] ?? {}
    activity.putAt(delivery, place)
    for (const [number, attempt] of delivery.attempts.entries()) activity.putAt(attempt, attempts[number] ?? 0)
  }
  deliveries.restore(stored.deliveries)
}

export function forgetAll({ options, ids, sources, state, scheduler, deliveries, activity, faults }: Context): void {
  scheduler.reset()
  deliveries.clear()
  activity.clear()
  faults.clear()
  for (const source of Object.values(sources)) source.restart()
  Object.assign(state, emptyState(options, ids))
  activity.publish({ type: 'reset', at: timestamp(scheduler.now()) })
}

export function forgetOrder({ state, scheduler, deliveries, activity, faults }: Context, orderId: string): void {
  const order = state.orders.get(orderId)
  if (order === undefined) throw new InputError(`No order has the order_id ${JSON.stringify(orderId)}.`, 'order_id')
  state.orders.delete(orderId)
  state.checkouts.delete(order.checkout_id)
  const ids = deliveries.forget(orderId)
  scheduler.forget([orderId, ...ids])
  activity.forget(orderId)
  faults.forget(orderId)
  activity.publish({ type: 'reset', at: timestamp(scheduler.now()) })
}
