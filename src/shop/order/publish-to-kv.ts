import { sha256Base64url } from '../../lib/sha256.ts'
import { orderKey } from '../../orders/order-key.ts'
import type { OrderReading } from './order.ts'
import type { Published } from './published.ts'
import type { OrderScope } from './scope.ts'

/**
 * Writes the folded order for other programs to read, when an event has changed it.
 *
 * Key `order/<order key>`; value: the order as `GET /api/orders/:order_id` returns it, without `attempts` and the customer's
 * e-mail address; no metadata; kept permanently.
 * @returns The hash of what KV has.
 */
export async function writeToKv(
  { kv }: OrderScope,
  { written }: Published,
  { order, events }: OrderReading,
): Promise<string | null> {
  if (events.length === 0) return written
  const { attempts: _, customer_email: __, ...stored } = order
  const hash = sha256Base64url(JSON.stringify(stored))
  if (hash !== written) await kv.put(`order/${orderKey(order.order_id)}`, stored)
  return hash
}
