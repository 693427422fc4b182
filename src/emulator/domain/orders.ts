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

/** Some of the orders, newest first. */
export interface OrderSearch {
  /** Part of the `order_id`, in upper or lower case. Default: all orders. */
  text?: string
  /** How many to pass over. Default 0. */
  from?: number
  /** How many to return at most. Default 50. */
  count?: number
}

/** The orders, to read. */
export interface Orders {
  get(orderId: string): OrderView | undefined
  list(): OrderView[]
  /** `total` counts all that were found. */
  search(search: OrderSearch): { total: number; orders: OrderView[] }
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
  return {
    get: view,
    list: () => [...context.state.orders.keys()].flatMap((id) => view(id) ?? []),
    search({ text = '', from = 0, count = 50 }) {
      const wanted = text.toLowerCase()
      const all = [...context.state.orders.keys()].reverse()
      const found = wanted === '' ? all : all.filter((id) => id.toLowerCase().includes(wanted))
      return { total: found.length, orders: found.slice(from, from + count).flatMap((id) => view(id) ?? []) }
    },
  }
}
