// The SDK's calls for every driver of protocol.ts: the call of each operation, the meaning of its error, and its
// response.

import { isApiError, isConfigError, isConnectionError, isInvalidInputError } from '../errors.ts'
import { sha256Async } from '../lib/sha256.ts'
import { foldSummaries, operationAmong } from '../orders/fold.ts'
import { eventOf } from '../orders/own-event.ts'
import { type EventSummary, fieldsOf } from '../orders/summary.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { keepReceived } from '../schemas/read.ts'
import type { Message, MoneyOperation, MoneyRequest, OperationKind, OperationState } from './protocol.ts'

/** The SDK's call of each operation. */
export const CALL_NAMES = { capture: 'capturePayment', refund: 'refundPayment', void: 'voidPayment' } as const

/** The meaning of a call's error for its operation. */
export function outcomeOf(error: unknown): Exclude<OperationState, 'done'> {
  if (isConnectionError(error) || isConfigError(error) || isInvalidInputError(error)) return 'not_sent'
  // Every status of an ApiError decides this, except 425: a proxy may send it after the service executed the request.
  if (!isApiError(error) || error.status === 425) return 'unknown'
  return error.retryable ? 'not_sent' : 'rejected'
}

/** The field of each operation's amount; a void has none. */
const AMOUNTS = { capture: 'charge_amount', refund: 'refund_amount', void: '' } as const

/** A key's request. `fields`: the SDK's input without `order_id`. */
export async function requestOf(
  kind: OperationKind,
  fields: Readonly<Record<string, unknown>>,
  key: string,
): Promise<Omit<MoneyRequest, 'version' | 'limit'>> {
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined)
  const [keyHash, fingerprint] = await Promise.all([
    sha256Async(key),
    sha256Async(JSON.stringify([kind, ...names.sort().map((name) => [name, fields[name]])])),
  ])
  const amount = fields[AMOUNTS[kind]]
  return {
    ...{ id: crypto.randomUUID(), kind, keyHash, fingerprint },
    amount: typeof amount === 'number' ? amount : null,
    hasCurrency: fields.order_currency !== undefined,
    hasServerUrl: fields.server_url != null,
  }
}

/**
 * Whether an order_id was used before. An ASSUMPTION from public material: the API document shows neither the status
 * nor the code.
 */
export const wasUsed = (error: unknown): boolean =>
  isApiError(error) && (error.apiCode === 'P-409' || error.status === 409)

/** Makes a call once. @param wordsOf The caller's response to an error. */
export async function makeCall(
  id: string,
  call: () => Promise<object>,
  wordsOf: (error: unknown, outcome: Exclude<OperationState, 'done'>) => unknown,
): Promise<Extract<Message, { type: 'responded' }>> {
  const responded = { type: 'responded', id } as const
  try {
    const { cc_token: _, ...record } = (await call()) as Record<string, unknown>
    const operation_id = String(record.operation_id)
    return { ...responded, outcome: 'done', answer: { code: 'executed', record }, operation_id }
  } catch (error) {
    const outcome = outcomeOf(error)
    return { ...responded, outcome, answer: { code: 'recorded', response: wordsOf(error, outcome) } }
  }
}

/** The response as an event, so that the order is right before the webhook arrives. */
export const eventFrom = (method: string, record: object): WebhookEvent =>
  keepReceived({ ...record, method, kind: method }, { ...record, method }) as never

/** Stores new operations of the service. Only deciding fields are compared: a list can differ from a webhook. */
export async function storeNewEvents(
  order_id: string,
  shown: readonly WebhookEvent[],
  known: readonly EventSummary[],
  store: (event: WebhookEvent) => Promise<unknown>,
): Promise<void> {
  const statusKey = (event: EventSummary) => JSON.stringify([operationAmong(known, event), event.status, event.amount])
  const stored = new Set(known.map(statusKey))
  for (const event of shown.flatMap((one) => eventOf(order_id, one))) {
    const summary = { id: '', ...fieldsOf(event) }
    // `init` only means that the customer has not paid; no webhook reports it.
    if (summary.status !== 'init' && !stored.has(statusKey(summary))) await store(event)
  }
}

/** The message with the result of `resolveOutcome`. */
export function lookedUp(
  { id }: MoneyOperation,
  { outcome, record }: { outcome: 'executed' | 'not_executed' | 'unknown'; record?: WebhookEvent },
): Message {
  const seen = outcome === 'executed' && record ? [{ id: '', ...fieldsOf(record) }] : []
  const [shown] = foldSummaries(null, seen).operations
  return { type: 'looked_up', id, outcome, ...(shown && { shown }) }
}
