import type { BodilessCallOptions } from '../http/types.ts'
import { recordOf } from '../schemas/read.ts'
import { lookUpOrder, type OrderAddress, type OrderLookup } from './look-up.ts'

/**
 * Reads which operations an order has, for the `known` of `resolveOutcome`. Call it before a capture, refund or void,
 * and keep its result until you know that call's outcome.
 *
 * Looks the order up with `listOrderOperations` and, if the service does not know that path, with up to five re-sent
 * webhooks, which show only the latest operation of each kind.
 *
 * @param client A client, or its `listOrderOperations` and `resendWebhook`.
 * @param order The order_id, or `{ order_id, pos_id }`.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries` of the look-up.
 * @returns The identifiers of the payments and operations; empty if the service does not know the order.
 * @throws {InvalidInputError} for an order_id that no path can carry.
 * @throws {ConfigError} when `client` is not one, and when the configuration cannot work.
 * @throws {ConnectionError} when there was no response, after the retries.
 * @throws {ApiError} when the service rejects the look-up.
 * @throws {UnexpectedResponseError} when the response cannot be read.
 * @see Beyond the API document: the vendor states the look-up elsewhere [A]. The API document has its fallback,
 *   "Re-send a webhook for an operation".
 * @example
 * import { type Client, snapshotOrder } from 'edgetill'
 * async function before(client: Client): Promise<readonly string[]> {
 *   return snapshotOrder(client, 'A-1')
 * }
 */
export async function snapshotOrder(
  client: OrderLookup,
  order: string | OrderAddress,
  options: BodilessCallOptions = {},
): Promise<string[]> {
  const address = typeof order === 'string' ? { order_id: order } : order
  const { operations } = await lookUpOrder(client, address, ['capture', 'refund', 'void'], options)
  const ids = operations.map(recordOf).flatMap(({ payment_id, operation_id }) => [payment_id, operation_id])
  return [...new Set(ids.filter((id) => typeof id === 'string'))]
}
