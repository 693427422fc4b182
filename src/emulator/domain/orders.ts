import type { Context } from '../context.ts'
import type { Operation, Payment, Subscription, TimelineEntry } from '../state/state.ts'

/** An order as the emulator knows it: the truth that everything else can be held against. A copy; changing it changes nothing. */
export interface OrderView {
  order_id: string
  /** The status of the first payment. */
  status: string
  checkout_id: string
  /** Where the customer pays a hosted payment. */
  checkout_url: string
  split: boolean
  /** The first is the order's own payment; the others are charges of its subscription. */
  payments: Payment[]
  operations: Operation[]
  recurring?: Subscription
  timeline: TimelineEntry[]
}

/** The orders, to read. */
export interface Orders {
  get(orderId: string): OrderView | undefined
  list(): OrderView[]
}

export function viewOrders(context: Context): Orders {
  const view = (orderId: string): OrderView | undefined => {
    const order = context.state.orders.get(orderId)
    if (order === undefined) return undefined
    const { order_id, checkout_id, split, payments, operations, subscription, timeline } = order
    return structuredClone({
      order_id,
      status: payments[0].status,
      checkout_id,
      checkout_url: `${context.options.origin}/api/v1/checkout/${checkout_id}/form`,
      split,
      payments,
      operations,
      ...(subscription && { recurring: subscription }),
      timeline,
    })
  }
  return { get: view, list: () => [...context.state.orders.keys()].flatMap((id) => view(id) ?? []) }
}
