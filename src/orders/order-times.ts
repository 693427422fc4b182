// When a shop received what an order and its operations say.

import { foldOperations } from './fold.ts'
import type { Order } from './order.ts'
import type { EventSummary } from './summary.ts'

/** An event, and when it was received, in milliseconds since 1970. */
export type DatedEvent = EventSummary & { written_at: string | number | null }

/** The operations of an order and its status, with when the first event that says each was received. ISO 8601, UTC. */
export function withTimes(
  { status, method, operations }: Order,
  events: readonly DatedEvent[],
): { operations: (Order['operations'][number] & { received_at?: string })[]; status_at?: string } {
  const times = foldOperations(events).map(({ events, newest }) => {
    const its = events.filter((event) => event.status === newest.status)
    return new Date(Math.min(...its.map(({ written_at }) => Number(written_at)))).toISOString()
  })
  const decides = operations.findIndex((one) => one.method === method && one.status === status)
  return {
    operations: operations.map((one, i) => ({ ...one, received_at: times[i] as string })),
    ...(times[decides] !== undefined && { status_at: times[decides] }),
  }
}
