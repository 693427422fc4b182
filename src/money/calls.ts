// What every driver of protocol.ts makes of the SDK's calls: which call an operation is, what its error means, what its response is.

import { isApiError, isConfigError, isConnectionError, isInvalidInputError } from '../errors.ts'
import { foldOrder } from '../orders/fold.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { readEvent } from '../schemas/read-event.ts'
import type { Message, MoneyOperation, OperationKind, OperationState } from './protocol.ts'

/** The SDK's name of each operation. */
export const CALL_NAMES: Readonly<Record<OperationKind, string>> = {
  capture: 'capturePayment',
  refund: 'refundPayment',
  void: 'voidPayment',
}

/** What an error of the call means for its operation. */
export function outcomeOf(error: unknown): Exclude<OperationState, 'done'> {
  if (isConnectionError(error) || isConfigError(error)) return 'not_sent'
  if (isInvalidInputError(error)) return 'rejected'
  // Statuses that may have been processed never make an ApiError. A proxy may say 425 although the service has executed the request.
  if (!isApiError(error) || error.status === 425) return 'unknown'
  return error.retryable ? 'not_sent' : 'rejected'
}

/** The response as an event, so that the order is right before the webhook arrives. */
export const eventOfResponse = ({ kind }: MoneyOperation, record: object): WebhookEvent =>
  readEvent({ ...record, method: kind })

/** What `resolveOutcome` is asked about an operation. */
export const callOf = (
  { kind, amount, started_at }: MoneyOperation,
  order_id: string,
): { operation: string; order_id: string; amount: number | undefined; sent_at: number } => ({
  ...{ operation: CALL_NAMES[kind], order_id, amount: amount ?? undefined, sent_at: started_at },
})

/** The message that says what `resolveOutcome` has found out. */
export function lookedUp(
  { id }: MoneyOperation,
  { outcome, record }: { outcome: 'executed' | 'not_executed' | 'unknown'; record?: WebhookEvent },
): Message {
  const [shown] = outcome === 'executed' && record ? foldOrder([record]).operations : []
  return { type: 'looked_up', id, outcome, ...(shown && { shown }) }
}
