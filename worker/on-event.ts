import type { Env } from './env.ts'
import type { WebhookEvent } from './sdk.ts'
import type { Order } from './store/order.ts'

/** A stored event, as your code gets it. */
export interface ReceivedEvent {
  /** Stable: the same for every delivery of the same event. Use it as the key of whatever you do. */
  id: string
  /** The event; tell the kinds apart by `method`. */
  event: WebhookEvent
}

/**
 * Your code. It runs after the event was stored, at least once for each distinct event: seldom twice, for example when
 * two deliveries arrive together, so that what it does must bear a repetition. Events can arrive out of order: trust
 * `order`, which is folded from all of them, more than the single event. When it throws, the event is kept and tried
 * again at its next delivery or by the cron.
 */
export type OnEvent = (received: ReceivedEvent, order: Order, env: Env) => Promise<void> | void

/**
 * Put your code here. While it is undefined, a webhook costs one write.
 *
 * @example
 * import type { OnEvent } from './on-event.ts'
 * export const onEvent: OnEvent = async ({ id, event }, order) => {
 *   const isPaid = event.kind === 'purchase' && event.status === 'success' && order.status === 'success'
 *   if (isPaid && order.flags.length === 0) {
 *     await fetch('https://shop.example.com/paid', { method: 'POST', body: JSON.stringify({ id, order }) })
 *   }
 * }
 */
export const onEvent: OnEvent | undefined = undefined
