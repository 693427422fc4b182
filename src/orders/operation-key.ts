import { sha256Base64url } from '../lib/sha256.ts'
import type { EventCopy } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { eventKey } from './event-key.ts'
import { operationOf } from './identity.ts'
import { readFields } from './summary.ts'

/**
 * The identity of the operation that an event reports, for acting on it once. It is the same for every delivery,
 * re-sent webhook and list row of an operation in the same status, with any other fields (`recurring`, `fee`,
 * `processed_at`). Another order, operation or status has another key. To store events, use {@link eventKey}.
 *
 * Operations are identified as {@link foldOrder} does, by fields that the API document requires: payments by
 * `payment_id` and `created_at`, other operations by `method` and `operation_id`; the case of an identifier and the
 * zeros that end a time's fraction do not count, and a `transaction_id` only where `created_at` is missing. An event
 * that names none of these has its `eventKey`. Base64Url, 43 characters.
 *
 * @throws {ConfigError} as {@link eventKey}, for a copy that has lost a field.
 * @example
 * import { isSuccess } from 'edgetill'
 * import { operationKey } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * async function grant(event: WebhookEvent, once: (key: string, work: () => Promise<void>) => Promise<void>) {
 *   if (event.kind !== 'purchase' || !isSuccess(event)) return
 *   await once(operationKey(event), async () => console.log('one month more'))
 * }
 */
export function operationKey(event: EventCopy): string {
  const { order_id } = recordOf(event)
  const fields = readFields(event)
  const operation = operationOf(fields)
  const order = typeof order_id === 'bigint' ? String(order_id) : order_id
  return operation ? reportKey(order, operation, fields.status) : eventKey(event)
}

/** The key of a status of an operation. */
const reportKey = (order_id: unknown, operation: unknown[], status: string | undefined): string =>
  sha256Base64url(JSON.stringify([order_id, operation, status]))
