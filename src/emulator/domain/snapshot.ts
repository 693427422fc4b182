import { type Context, emptyState } from '../context.ts'
import { InputError } from '../parse-input.ts'
import { checksum } from '../state/random.ts'
import type { Order } from '../state/state.ts'
import { timestamp } from '../state/time.ts'

/** Raised when an older emulator could not read the current format. */
const VERSION = 2

/** The whole state of an emulator, as JSON. Its shape may change between versions of the package: see `version`. */
export interface Snapshot {
  version: number
  /** The POS that it belongs to. */
  pos_id: string
  /** Its content is the emulator's own. */
  state: Record<string, unknown>
  /** The other shops, with their options. */
  shops?: readonly { options: object; snapshot: Snapshot }[]
  /** A checksum of the rest: a file that was cut off or edited is rejected whole. */
  checksum: number
}

type Stored = ReturnType<typeof store>

function store({ state, sources, scheduler, deliveries, faults, activity }: Context) {
  const places = (entries: readonly object[]): number[] => entries.map((entry) => activity.placeOf(entry))
  const saved = deliveries.save()
  return {
    random: { ids: sources.ids.position(), faults: sources.faults.position(), chance: sources.chance.position() },
    clock: { offset: scheduler.offset, jobs: scheduler.jobs },
    orders: [...state.orders.values()].map((order) => ({ ...order, places: places(order.timeline) })),
    tokens: [...state.tokens],
    accounts: state.accounts,
    forgotten: state.forgotten,
    deliveries: saved,
    deliveryPlaces: saved.all.map((one) => ({ place: activity.placeOf(one), attempts: places(one.attempts) })),
    faults: faults.save(),
    activity: activity.save(),
  }
}

export function takeSnapshot(context: Context, shops: NonNullable<Snapshot['shops']> = []): Snapshot {
  const { posId: pos_id } = context.options.credentials
  const others = shops.length > 0 && { shops }
  const whole = JSON.parse(JSON.stringify({ version: VERSION, pos_id, state: store(context), ...others })) as object
  return { ...whole, checksum: checksum(whole) } as Snapshot
}

function damaged(why: string): InputError {
  return new InputError(`The snapshot is damaged: ${why}. Nothing of it was restored.`)
}

/**
 * Checks a snapshot, and returns the step that replaces the state by it: wholly, or not at all.
 *
 * @throws {ConfigError} for a value that is not a whole snapshot of this version; the step, for a damaged one.
 */
export function readSnapshot(context: Context, input: unknown): () => void {
  const stored = read(context, input)
  return () => {
    const before = read(context, takeSnapshot(context))
    forgetAll(context)
    try {
      apply(context, stored)
    } catch {
      forgetAll(context)
      apply(context, before)
      throw damaged('something in it has another form')
    }
  }
}

function read(context: Context, input: unknown): Stored {
  const { checksum: sum, ...rest } = (input ?? {}) as Partial<Snapshot>
  const { version, pos_id, state } = rest
  if (typeof version !== 'number' || typeof state !== 'object' || state === null) {
    throw new InputError('This is not a snapshot of the emulator: it has no version and state.')
  }
  if (version !== VERSION) {
    throw new InputError(`The snapshot has version ${version}; this emulator reads version ${VERSION}.`)
  }
  const own = context.options.credentials.posId
  if (pos_id !== own) throw new InputError(`The snapshot belongs to the POS ${pos_id}, this emulator is ${own}.`)
  if (sum !== checksum(rest)) throw damaged('its checksum is not that of its contents')
  return structuredClone(state) as unknown as Stored
}

function apply(context: Context, stored: Stored): void {
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
    forgotten: stored.forgotten,
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
