import { ConnectionError, isApiError } from '../errors.ts'
import type { BodilessCallOptions } from '../http/types.ts'
import type { ListOrderOperationsInput } from '../operations/list-order-operations.ts'
import type { ResendWebhookInput } from '../operations/resend-webhook.ts'
import type { WebhookEvent } from '../schemas/event.ts'

/** What `resolveOutcome` needs of a client. */
export interface OrderLookup {
  listOrderOperations(input: ListOrderOperationsInput, options?: BodilessCallOptions): Promise<WebhookEvent[]>
  resendWebhook(input: ResendWebhookInput, options?: BodilessCallOptions): Promise<WebhookEvent>
}

/** What the service shows of an order. */
export interface OrderView {
  /** Empty where the service does not know the order. */
  operations: readonly WebhookEvent[]
  /** Whether these are all operations of the order. A re-sent webhook shows only one of its kind. */
  complete: boolean
}

/** The order to look up. */
export interface OrderAddress {
  order_id: string
  pos_id?: string | undefined
}

/**
 * Looks an order up: by its list of operations (beyond the API document, [A]) and, where the service does not know that
 * path, by re-sent webhooks (the API document, "Re-send a webhook for an operation").
 * @param method The secondary operation that is looked for, if it is one.
 */
export async function lookUpOrder(
  client: OrderLookup,
  order: OrderAddress,
  method: string | undefined,
  options: BodilessCallOptions,
): Promise<OrderView> {
  const startedAt = Date.now()
  const operations = await unlessNotFound(client.listOrderOperations(order, options))
  if (operations) return { operations, complete: true }
  const latest = (operation: string) => {
    // The first request has checked it.
    const left = options.deadlineMs && options.deadlineMs + startedAt - Date.now()
    // What a call does whose deadline is over.
    if (left != null && left < 1) {
      const unsent = { method: 'GET', path: '', attempts: 0 }
      throw new ConnectionError('It was not read in time.', unsent, 'timeout', undefined)
    }
    return unlessNotFound(client.resendWebhook({ ...order, operation }, { ...options, deadlineMs: left }))
  }
  const primary = (await latest('purchase')) ?? (await latest('auth'))
  if (!primary) return { operations: [], complete: true }
  const secondary = method === undefined ? undefined : await latest(method)
  return { operations: secondary ? [primary, secondary] : [primary], complete: false }
}

async function unlessNotFound<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isApiError(error) && error.status === 404) return undefined
    throw error
  }
}
