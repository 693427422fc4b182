import type { Env } from './env.ts'
import type { WebhookEvent } from './sdk.ts'
import type { Order } from './store/order.ts'

/** A stored event, as your code gets it. */
export interface ReceivedEvent {
  /** Stable: the same for every delivery of the same event. Use it as the key of whatever you do. */
  id: string
  /** The event, without card data. */
  event: WebhookEvent
}

/**
 * Your code. It runs after the event was stored, at least once for each distinct event, and occasionally twice, so it must
 * be idempotent. Events can arrive out of order: trust `order`, which is folded from all of them, more than the single
 * event. When it throws or takes longer than 25 seconds, it is called again for this event later.
 */
export type OnEvent = (received: ReceivedEvent, order: Order, env: Env) => Promise<void> | void

/**
 * Put your code here. While it is undefined, events are only stored.
 *
 * @example
 * import type { OnEvent } from './on-event.ts'
 * export const onEvent: OnEvent = async ({ id, event }, order) => {
 *   if (event.kind !== 'purchase' || event.status !== 'success') return
 *   // It is called again: a flag may be gone by then, or a person has looked.
 *   if (order.flags.length > 0) throw new Error(`order ${order.order_id} has flags: ${order.flags}`)
 *   const body = JSON.stringify({ id, order_id: order.replaces ?? order.order_id })
 *   await fetch('https://shop.example.com/paid', { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
 * }
 */
export const onEvent: OnEvent | undefined = undefined
