import type { WebhookEvent } from '../schemas/event.ts'
import { keepReceived, recordOf } from '../schemas/read.ts'

/** An event of an order, with the order_id that its record may omit. An event of another order is left out. */
export const eventOf = (order_id: string, event: WebhookEvent): WebhookEvent[] =>
  [named(order_id, event)].filter((one) => recordOf(one).order_id === order_id)

/** An event with the order_id that its record omits, without which it was not read as a documented one. */
export function named(order_id: string, event: WebhookEvent): WebhookEvent {
  const record = recordOf(event)
  const { method, status, order_id: id } = record
  if ((typeof id === 'string' && id !== '') || typeof method !== 'string' || typeof status !== 'string') return event
  const isWhole = event.kind === 'unexpected' && event.issues.every(({ path }) => path === 'order_id')
  const amounts = Object.entries(record).filter(([name, value]) => /amount$/.test(name) && typeof value === 'string')
  const read = isWhole && { ...record, ...Object.fromEntries(amounts.map(([name, value]) => [name, Number(value)])) }
  return keepReceived(
    { ...event, ...read, order_id, kind: isWhole ? method : event.kind },
    { ...record, order_id },
  ) as never
}
