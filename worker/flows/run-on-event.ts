import type { Context } from '../context.ts'
import { nameOf, report } from '../lib/log.ts'
import type { ReceivedEvent } from '../on-event.ts'
import { putDone, putRetry } from '../store/event-progress.ts'
import type { Order } from '../store/order.ts'
import { raiseAlert } from './raise-alert.ts'

/** How long `onEvent` may take. */
const ON_EVENT_MS = 25_000
const tooLong = () => new DOMException(`onEvent took longer than ${ON_EVENT_MS / 1000} seconds`, 'TimeoutError')

/**
 * Calls the merchant's code with a time limit. What takes longer counts as failed, and is called again.
 *
 * @throws What `onEvent` throws, or an error that names the limit.
 */
export async function callOnEvent(context: Context, received: ReceivedEvent, order: Order): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLong()), ON_EVENT_MS)
  })
  try {
    await Promise.race([context.onEvent?.(received, order, context.env), limit])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs `onEvent` for a stored event over KV alone and records how it went.
 * @returns Whether it succeeded.
 * @throws {StorageError} when neither success nor failure could be recorded.
 */
export async function runOnEvent(context: Context, received: ReceivedEvent, order: Order): Promise<boolean> {
  const { store, now } = context
  try {
    await callOnEvent(context, received, order)
    await putDone(store, received.id, now())
    return true
  } catch (error) {
    const { order_id } = order
    const event_id = received.id
    const { attempts, given_up } = await putRetry(store, event_id, order_id, textOf(error), now())
    if (given_up) raiseAlert(context, { kind: 'on_event_given_up', order_id, event_id, attempts })
    else report('on_event_failed', { event_id, order_id, attempts, error: nameOf(error) })
    return false
  }
}

/** Name and message of what `onEvent` threw. */
export function textOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500)
}
