// The payment that an order is about, and when a shop received the states of an order and of its operations.

import { foldOperations } from './fold.ts'
import type { Order } from './order.ts'
import type { EventSummary } from './summary.ts'

/** An event, and when it was received, in milliseconds since 1970. */
export type DatedEvent = EventSummary & { written_at: string | number | null }

/** The payment that an order is about: its place among the order's operations, -1 without one. */
export const paymentAt = ({ status, method, operations }: Pick<Order, 'status' | 'method' | 'operations'>): number =>
  operations.findIndex((one) => one.method === method && one.status === status)

/** The ids of that payment's events, the oldest first: they have its card and its receipt. */
export const paymentEvents = (order: Order, events: readonly EventSummary[]): string[] =>
  foldOperations(events)[paymentAt(order)]?.events.map(({ id }) => id) ?? []

/** Adds to an order's operations, and to its status, when the first event that reports them came: ISO 8601, UTC. */
export function withTimes(
  order: Order,
  events: readonly DatedEvent[],
): { operations: (Order['operations'][number] & { received_at?: string })[]; status_at?: string } {
  const times = foldOperations(events).map(({ events, newest }) => {
    const sameStatus = events.filter((event) => event.status === newest.status)
    return new Date(Math.min(...sameStatus.map(({ written_at }) => Number(written_at)))).toISOString()
  })
  const decides = paymentAt(order)
  return {
    operations: order.operations.map((one, i) => ({ ...one, received_at: times[i] as string })),
    ...(times[decides] !== undefined && { status_at: times[decides] }),
  }
}
