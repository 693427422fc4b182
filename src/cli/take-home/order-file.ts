import { isObject } from '../../lib/kind.ts'
import type { Order } from '../../shop/lib/shown-order.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'

const VERSION = 1

/** An event as `GET /api/orders/:order_id/events/:event_id` returns it, with its id. */
export type TakenEvent = { id: string; received_at: number | string; event: Record<string, unknown> }

export interface OrderFile {
  edgetill_order: typeof VERSION
  /** Whether the file has all that the worker returned. A card's token is never in it. */
  personal_data: boolean
  /** As `GET /api/orders/:order_id` returns it; without personal data also without its `record`, which has notes and names. */
  order: Order
  /** In the order in which the worker stored them. */
  events: TakenEvent[]
}

/** Fields that say nothing of a person, at any depth. Everything else, unknown fields too, may. */
const IMPERSONAL: ReadonlySet<string> = new Set([
  ...['order_id', 'pos_id', 'payment_id', 'transaction_id', 'operation_id', 'method', 'kind', 'status', 'status_code'],
  ...['amount', 'currency', 'processed_amount', 'processed_currency', 'fee', 'fixed_fee', 'percent_fee', 'payway'],
  ...['created_at', 'processed_at', 'recurring', 'id'],
])

function impersonal(value: unknown): unknown {
  if (!isObject(value)) return Array.isArray(value) ? undefined : value
  const kept = Object.entries(value).filter(([name]) => IMPERSONAL.has(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, impersonal(one)]))
}

/** Makes the file. Without `personal`, only fields that are known to say nothing of a person are kept. */
export function orderFile(order: ShownOrder, events: readonly TakenEvent[], personal: boolean): OrderFile {
  const { customer_email: _, record: __, ...rest } = order
  const cut = ({ id, received_at, event }: TakenEvent): TakenEvent => {
    return { id, received_at, event: personal ? event : (impersonal(event) as Record<string, unknown>) }
  }
  const file: OrderFile = {
    edgetill_order: VERSION,
    personal_data: personal,
    order: personal ? order : rest,
    events: [...events]
      .sort((a, b) => Number(a.received_at > b.received_at) - Number(a.received_at < b.received_at))
      .map(cut),
  }
  return JSON.parse(JSON.stringify(file, (key, value) => (key === 'cc_token' ? undefined : value)))
}

/** Reads a file's text; undefined when it is not such a file, or of another version. */
export function readOrderFile(text: string): OrderFile | undefined {
  try {
    const { edgetill_order, order, events } = JSON.parse(text)
    const isEvent = (one: Partial<TakenEvent> | null) => typeof one?.id === 'string' && typeof one.event === 'object'
    const isRead = edgetill_order === VERSION && typeof order?.order_id === 'string' && events.every(isEvent)
    return isRead ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
