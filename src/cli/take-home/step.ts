import { foldSummaries } from '../../orders/fold.ts'
import { readFields } from '../../orders/summary.ts'
import type { Order } from '../../shop/lib/shown-order.ts'
import type { OnEvent } from '../../shop/options.ts'
import { readEvent } from '../../webhooks/index.ts'
import type { OrderFile } from './order-file.ts'

export type Step = { id: string; order: Order; error?: string }

/** Goes through an order's events one by one, with the order folded from the events up to each. */
export async function* walk({ order: stored, events }: OrderFile, onEvent: OnEvent, env: object): AsyncGenerator<Step> {
  const { order_id, reference, customer_email, replaces } = stored
  const link = JSON.parse(JSON.stringify({ reference, customer_email, replaces })) as Partial<Order>
  const seen: Parameters<typeof foldSummaries>[1][number][] = []
  for (const { id, event: record } of events) {
    const event = readEvent(record)
    // The id is the stored event's: a key of what is left of it would be another one.
    seen.push({ id, ...readFields(event) })
    const order: Order = { ...foldSummaries(order_id, seen, {}), ...link, order_id, attempts: [] }
    try {
      await onEvent({ id, event }, structuredClone(order), env as Parameters<OnEvent>[2])
      yield { id, order }
    } catch (thrown) {
      yield { id, order, error: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown) }
    }
  }
}
