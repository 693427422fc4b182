import { ConfigError } from '../errors.ts'
import { sha256Base64url } from '../lib/sha256.ts'

/**
 * The key of an order in the state of `edgetill/worker`: Workers KV has the folded order as JSON under
 * `order/<order key>`, and its events under `event/<order key>/<event key>`, for other programs to read.
 *
 * It is the SHA-256 of the `order_id`, Base64Url: 43 characters for any id, while 256 Cyrillic letters would already
 * fill a key of KV, and none begins like another. Half of a surrogate pair is escaped: as UTF-8 all halves are the
 * same, and different orders would share a key. Synchronous.
 *
 * @throws {ConfigError} when it is not a text.
 * @param order_id As it was sent to the service; each later attempt has its own, such as `mugs~2`.
 * @example
 * import { type Order, orderKey } from 'edgetill/orders'
 * async function readOrder(kv: { get(key: string, type: 'json'): Promise<unknown> }, order_id: string) {
 *   return (await kv.get(`order/${orderKey(order_id)}`, 'json')) as Order | null
 * }
 */
export function orderKey(order_id: string): string {
  if (typeof order_id !== 'string') throw new ConfigError('order_id', 'order_id must be a text.')
  return sha256Base64url(orderText(order_id))
}

/** The text that {@link orderKey} hashes. */
const orderText = (order_id: string): string => (/\p{Surrogate}/u.test(order_id) ? JSON.stringify(order_id) : order_id)
