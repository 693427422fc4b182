import { type Context, checkoutAddress } from '../context.ts'
import type { Operation, Order, Payment, Subscription, TimelineEntry } from '../state/state.ts'

/** An order in the emulator's state: the truth for every comparison. A copy; changing it changes nothing. */
export interface OrderView {
  order_id: string
  /** The status of the first payment. */
  status: string
  checkout_id: string
  /** The checkout address of a hosted payment. */
  checkout_url: string
  split: boolean
  /** The first is the order's own payment; the others are charges of its subscription. */
  payments: Payment[]
  operations: Operation[]
  /** Earlier cards that were declined on the checkout page, under the perturbation `second_card`. */
  declined?: Payment[]
  recurring?: Subscription
  timeline: TimelineEntry[]
}

/** Some of the orders, newest first. */
export interface OrderSearch {
  /**
   * Part of any id, of the card's visible digits, of an amount, a status or its code; or the id of a webhook, request
   * or note. Default: all orders.
   */
  text?: string
  /** How many to pass over. Default 0. */
  from?: number
  /** How many to return at most. Default 50. */
  count?: number
}

/** Which part of the orders. */
export interface OrderPage {
  status?: string | undefined
  after?: string | undefined
  limit?: number | undefined
  newest?: boolean | undefined
}

/** The orders, to read. */
export interface Orders {
  get(orderId: string): OrderView | undefined
  list(): OrderView[]
  /** Some of the orders, oldest first unless `newest`: with this status, after this order_id, at most `limit`. */
  page(page: OrderPage): OrderView[]
  /** `total` counts all that were found. */
  search(search: OrderSearch): { total: number; orders: OrderView[] }
}

function searched({ payments, operations, subscription, checkout_id, order_id }: Order): string {
  const records = [...payments, ...operations].flatMap((one) => [
    ...[one.payment_id, one.transaction_id, 'operation_id' in one ? one.operation_id : one.cc_mask],
    ...[one.amount, one.amount.toFixed(2), one.status, one.status_code, one.method],
  ])
  return [order_id, checkout_id, subscription?.id, ...new Set(records)].join('\n').toLowerCase()
}

function orderOfEntry({ state, activity, deliveries }: Context, id: string): Order | undefined {
  if (!/^emulator-(delivery|request|note)-\d+$/.test(id)) return undefined
  const entries = [...deliveries.list, ...activity.requests, ...activity.notes]
  return state.orders.get(entries.find((entry) => entry.id === id)?.order_id ?? '')
}

export function viewOrders(context: Context): Orders {
  const view = (orderId: string): OrderView | undefined => {
    const order = context.state.orders.get(orderId)
    if (order === undefined) return undefined
    const { order_id, checkout_id, split, payments, operations, subscription, timeline, declined } = order
    return structuredClone({
      order_id,
      status: payments[0].status,
      checkout_id,
      checkout_url: checkoutAddress(context, order),
      split,
      payments,
      operations,
      ...(declined && { declined }),
      ...(subscription && { recurring: subscription }),
      timeline,
    })
  }
  return {
    get: view,
    list: () => [...context.state.orders.keys()].flatMap((id) => view(id) ?? []),
    page({ status, after, limit, newest = false }) {
      const oldest = [...context.state.orders.values()]
      const all = newest ? oldest.reverse() : oldest
      const start = after === undefined ? 0 : all.findIndex(({ order_id }) => order_id === after) + 1
      const found = all.slice(start).filter(({ payments }) => status === undefined || payments[0].status === status)
      return found.slice(0, limit).flatMap(({ order_id }) => view(order_id) ?? [])
    },
    search({ text = '', from = 0, count = 50 }) {
      const wanted = text.trim().toLowerCase()
      const all = [...context.state.orders.values()]
      const logged = orderOfEntry(context, wanted)
      const found =
        logged === undefined
          ? all.filter((order) => wanted === '' || searched(order).includes(wanted)).reverse()
          : [logged]
      return {
        total: found.length,
        orders: found.slice(from, from + count).flatMap(({ order_id }) => view(order_id) ?? []),
      }
    },
  }
}
