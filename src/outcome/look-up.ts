import { ConfigError, ConnectionError, isApiError } from '../errors.ts'
import type { BodilessCallOptions } from '../http/types.ts'
import type { ListOrderOperationsInput } from '../operations/list-order-operations.ts'
import type { ResendWebhookInput } from '../operations/resend-webhook.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'

/** The part of a client that `resolveOutcome` needs. */
export interface OrderLookup {
  /** Returns every operation of an order, as the client's function does. */
  listOrderOperations(input: ListOrderOperationsInput, options?: BodilessCallOptions): Promise<WebhookEvent[]>
  /** Returns the latest operation of a kind, as the client's function does. */
  resendWebhook(input: ResendWebhookInput, options?: BodilessCallOptions): Promise<WebhookEvent>
}

/** An order as the service shows it. */
export interface OrderView {
  /** Empty if the service does not know the order. */
  operations: readonly WebhookEvent[]
  /** Whether these are all operations of the order. A re-sent webhook shows only a single operation of its kind. */
  complete: boolean
  /** Whether records of another order were among them. */
  mixed: boolean
}

/** The order to look up. */
export interface OrderAddress {
  /** Your identifier of the order. */
  order_id: string
  /** The POS; the configuration's unless given. */
  pos_id?: string | undefined
}

/**
 * Looks an order up: by its list of operations (beyond the API document, [A]) and, if the service does not know that
 * path, by re-sent webhooks (the API document, "Re-send a webhook for an operation").
 * @param methods The operations that are looked for beside the payment, if not all.
 */
export async function lookUpOrder(
  client: OrderLookup,
  order: OrderAddress,
  methods: readonly string[],
  options: BodilessCallOptions,
): Promise<OrderView> {
  if (typeof client?.listOrderOperations !== 'function' || typeof client.resendWebhook !== 'function') {
    throw new ConfigError('client', 'The first argument must be a client, as createClient returns it.')
  }
  const startedAt = Date.now()
  const listed = await unlessNotFound(client.listOrderOperations(order, options), NO_LIST)
  if (listed) return viewOf(order, listed, true)
  const latest = (operation: string) => {
    // The first request has checked `deadlineMs`.
    const left = options.deadlineMs && options.deadlineMs + startedAt - Date.now()
    // Fail as a call fails whose deadline is over.
    if (left != null && left < 1) {
      const unsent = { method: 'GET', path: '', attempts: 0 }
      throw new ConnectionError('It was not read in time.', unsent, 'timeout', undefined)
    }
    return unlessNotFound(client.resendWebhook({ ...order, operation }, { ...options, deadlineMs: left }))
  }
  const primary = (await latest('purchase')) ?? (await latest('auth'))
  const found = primary ? [primary] : []
  for (const method of primary ? methods : []) {
    const event = await latest(method)
    if (event) found.push(event)
  }
  return viewOf(order, found, found.length === 0)
}

/** The view of an order, without the records of other orders. */
function viewOf({ order_id }: OrderAddress, events: readonly WebhookEvent[], complete: boolean): OrderView {
  const isForeign = (event: WebhookEvent) => {
    const { order_id: named } = recordOf(event)
    return typeof named === 'string' && named !== order_id
  }
  return { operations: events.filter((event) => !isForeign(event)), complete, mixed: events.some(isForeign) }
}

/** The statuses of a service that does not know that path. An ASSUMPTION: it is beyond the API document. */
const NO_LIST = [400, 403, 404, 405, 501]

async function unlessNotFound<T>(found: Promise<T>, statuses = [404]): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isApiError(error) && statuses.includes(error.status)) return undefined
    throw error
  }
}
