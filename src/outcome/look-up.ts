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
  const latest = (operation: string) =>
    unlessNotFound(client.resendWebhook({ ...order, operation }, whatIsLeft(options, Date.now() - startedAt)))
  const primary = (await latest('purchase')) ?? (await latest('auth'))
  if (!primary) return { operations: [], complete: true }
  const secondary = method === undefined ? undefined : await latest(method)
  return { operations: secondary ? [primary, secondary] : [primary], complete: false }
}

/**
 * The options of a further request: `deadlineMs` is that of the whole look-up.
 * @throws {ConnectionError} when it is over, as a call does whose deadline is over.
 */
function whatIsLeft(options: BodilessCallOptions, passedMs: number): BodilessCallOptions {
  if (options.deadlineMs == null) return options
  const deadlineMs = Math.floor(options.deadlineMs - passedMs)
  if (deadlineMs > 0) return { ...options, deadlineMs }
  const call = { method: 'GET', path: '', attempts: 0 }
  throw new ConnectionError('Not all of it was read in time. Calling again is safe.', call, 'timeout', undefined)
}

async function unlessNotFound<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isApiError(error) && error.status === 404) return undefined
    throw error
  }
}
