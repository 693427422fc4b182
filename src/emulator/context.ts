import type { FaultBook } from './faults/faults.ts'
import type { ResolvedOptions } from './options.ts'
import type { Rules } from './spec/rules.ts'
import { openAccounts } from './state/accounts.ts'
import type { ActivityLog } from './state/activity.ts'
import type { Scheduler } from './state/clock.ts'
import type { Ids, Random } from './state/random.ts'
import { type Order, type State, shared } from './state/state.ts'
import { timestamp } from './state/time.ts'
import type { DeliveryLog } from './webhooks/deliveries.ts'

/** The state that all parts of an emulator share. Nothing lives outside it. */
export interface Context {
  options: ResolvedOptions
  shop: string | undefined
  rules: Rules
  sources: Record<'ids' | 'faults' | 'chance', Random>
  ids: Ids
  /** Decides events that happen "now and then". Apart from the ids' stream, so that neither shifts the other. */
  chance: Random
  scheduler: Scheduler
  state: State
  deliveries: DeliveryLog
  activity: ActivityLog
  faults: FaultBook
}

export function emptyState(options: ResolvedOptions, ids: Ids): State {
  const accounts = openAccounts(options.accounts, ids)
  return { orders: new Map(), checkouts: new Map(), tokens: new Map(), accounts, forgotten: 0 }
}

export const homeOf = ({ shop }: Pick<Context, 'shop'>): string =>
  shop === undefined ? '/_emulator' : `/_emulator/shops/${shop}`

/** The path of a request, for a shop as if it were the only shop. */
export function pathOf(context: Pick<Context, 'shop'>, request: Request): string {
  const { pathname } = new URL(request.url)
  const home = homeOf(context)
  return pathname.startsWith(home) ? `/_emulator${pathname.slice(home.length)}` : pathname
}

/** The address of the checkout page. Two shops with the same seed have the same ids: the address names the shop. */
export function checkoutAddress({ options, shop }: Context, order: Order, page: 'form' | '3ds' = 'form'): string {
  const address = `${options.origin}/api/v1/checkout/${order.checkout_id}/${page}`
  return shop === undefined ? address : `${address}?shop=${shop}`
}

export function note(context: Context, order: Order, what: string, isNote = false): void {
  const at = timestamp(context.scheduler.now())
  if (!isNote) context.activity.publish({ type: 'state', at, order_id: order.order_id, what })
  const entry = isNote ? { at, what: shared(what), note: true as const } : { at, what: shared(what) }
  // Not `push`, which reserves room for sixteen more entries in every order.
  order.timeline = [...order.timeline, context.activity.stamp(entry)]
}
