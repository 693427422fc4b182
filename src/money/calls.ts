// The SDK's calls for every driver of protocol.ts: which call an operation is, what its error means, what its response is.

import { isApiError, isConfigError, isConnectionError, isInvalidInputError } from '../errors.ts'
import { sha256Async } from '../lib/sha256.ts'
import { foldSummaries, operationAmong } from '../orders/fold.ts'
import { eventOf } from '../orders/own-event.ts'
import { type EventSummary, fieldsOf } from '../orders/summary.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { keepReceived } from '../schemas/read.ts'
import type { Message, MoneyOperation, MoneyRequest, OperationKind, OperationState } from './protocol.ts'

/** The SDK's name of each operation. */
export const CALL_NAMES = { capture: 'capturePayment', refund: 'refundPayment', void: 'voidPayment' } as const

/** The meaning of a call's error for its operation. */
export function outcomeOf(error: unknown): Exclude<OperationState, 'done'> {
  if (isConnectionError(error) || isConfigError(error)) return 'not_sent'
  if (isInvalidInputError(error)) return 'rejected'
  // Statuses that may have been processed never make an ApiError. A proxy may say 425 although the service has executed the request.
  if (!isApiError(error) || error.status === 425) return 'unknown'
  return error.retryable ? 'not_sent' : 'rejected'
}

/** The field of each operation's amount; a void has none. */
const AMOUNTS = { capture: 'charge_amount', refund: 'refund_amount', void: '' } as const

/** The request under a key. `fields`: the SDK's input without `order_id`. */
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
  const asked = fields[AMOUNTS[kind]]
  return {
    ...{ id: crypto.randomUUID(), kind, keyHash, fingerprint },
    amount: typeof asked === 'number' ? asked : null,
    hasCurrency: fields.order_currency !== undefined,
    hasServerUrl: fields.server_url != null,
  }
}

/**
 * Whether the service rejected an order_id because it was used before. An ASSUMPTION from public material: the API
 * document shows neither the status nor the code.
 */
export const wasUsed = (error: unknown): boolean =>
  isApiError(error) && (error.apiCode === 'P-409' || error.status === 409)

/** Makes a call once. @param wordsOf What its caller gets for an error. */
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

/** Stores what the service shows of an order and what is new: a listed record can differ from its webhook in what does not count. */
export async function storeNews(
  order_id: string,
  shown: readonly WebhookEvent[],
  known: readonly EventSummary[],
  store: (event: WebhookEvent) => Promise<unknown>,
): Promise<void> {
  const said = (event: EventSummary) => JSON.stringify([operationAmong(known, event), event.status, event.amount])
  const before = new Set(known.map(said))
  for (const event of shown.flatMap((one) => eventOf(order_id, one))) {
    const summary = { id: '', ...fieldsOf(event) }
    // `init` says no more than that the customer has not paid: it has no webhook either.
    if (summary.status !== 'init' && !before.has(said(summary))) await store(event)
  }
}

/** The question about an operation for `resolveOutcome`. */
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
  const seen = outcome === 'executed' && record ? [{ id: '', ...fieldsOf(record) }] : []
  const [shown] = foldSummaries(null, seen).operations
  return { type: 'looked_up', id, outcome, ...(shown && { shown }) }
}
