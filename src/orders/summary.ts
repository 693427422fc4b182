import { type EventCopy, isDocumentedEvent, type WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { originalOf } from '../schemas/read-event.ts'
import { eventKey } from './event-key.ts'

/** The fields of an event that the fold needs, under the wire's names: small enough to be kept beside a key. */
export interface EventSummary {
  /** The event's {@link eventKey}. */
  id: string
  /** `unexpected`: a shape that the API document does not show. `unknown`: a method that it does not name. */
  kind: 'documented' | 'unknown' | 'unexpected'
  /** Set when a field that decides has a type that cannot be used; the event then does not count. */
  unusable?: true
  /** The wire's word. */
  method?: string
  /** Of a capture, void, refund or increment. */
  operation_id?: string
  /** Optional in a webhook. */
  transaction_id?: string
  /** Of the payment that it belongs to. */
  payment_id?: string
  /** The POS, a UUID. */
  pos_id?: string
  /** `success`, `failure` and others. */
  status?: string
  /** A string of digits, such as `1000`. */
  status_code?: string
  /** In the currency's unit. */
  amount?: number
  /** ISO 4217. */
  currency?: string
  /** As the service wrote it; no zone. */
  created_at?: string
  /** Time of the last change; no zone. */
  processed_at?: string
  /** The amount that was actually paid, if the payer may change it. */
  processed_amount?: number
  /** Of `processed_amount`. */
  processed_currency?: string
  /** The service's fee, in its currency's unit. */
  fee_amount?: number
  /** Of `fee_amount`. */
  fee_currency?: string
  /** Set on a charge of a subscription. */
  recurring_id?: string
}

const TEXTS = [
  'method',
  'operation_id',
  'transaction_id',
  'payment_id',
  'pos_id',
  'status',
  'status_code',
  'currency',
  'created_at',
  'processed_at',
  'processed_currency',
] as const
const NUMBERS = ['amount', 'processed_amount'] as const
const DECIDING = ['method', 'status', 'currency', 'processed_currency', ...NUMBERS] as const

/**
 * Reads the fields for the fold from an event, or from its copy; a field whose type differs from the API document's is
 * left out.
 * @throws {ConfigError} as {@link eventKey}, for a copy that has lost a field.
 * @example
 * import { type EventSummary, summarizeEvent } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * const rowOf = (event: WebhookEvent): EventSummary => summarizeEvent(event)
 */
export function summarizeEvent(event: EventCopy): EventSummary {
  return { id: eventKey(event), ...readFields(event) }
}

/** The fields that {@link summarizeEvent} reads, without the key. */
export const readFields = (copy: EventCopy): Omit<EventSummary, 'id'> => fieldsOf(originalOf(copy))

/** {@link readFields} for an event that was read already. */
export function fieldsOf(event: WebhookEvent): Omit<EventSummary, 'id'> {
  const isDocumented = isDocumentedEvent(event)
  const kind = isDocumented ? 'documented' : (event.kind as 'unknown' | 'unexpected')
  // A documented event has its numbers as numbers, also if the wire had them as text.
  const record: Readonly<Record<string, unknown>> = isDocumented ? { ...event } : recordOf(event)
  const fee = record.fee as { amount?: unknown; currency?: unknown } | null | undefined
  const recurring = record.recurring as { id?: unknown } | null | undefined
  const { id: _, ...fields } = readSummary('', {
    ...record,
    kind,
    // This package's own field, even if the wire has a field of this name.
    unusable: false,
    fee_amount: fee?.amount,
    fee_currency: fee?.currency,
    recurring_id: recurring?.id,
  })
  if (DECIDING.some((name) => record[name] != null && fields[name] === undefined)) fields.unusable = true
  return fields
}

/** Reads a stored summary. Total: any value gives a summary. */
export function readSummary(id: string, stored: unknown): EventSummary {
  const source = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>
  const known = source.kind === 'documented' || source.kind === 'unknown'
  const summary: EventSummary = { id, kind: known ? (source.kind as EventSummary['kind']) : 'unexpected' }
  for (const name of [...TEXTS, 'fee_currency', 'recurring_id'] as const) {
    const value = source[name]
    if (typeof value === 'string') summary[name] = value
  }
  for (const name of [...NUMBERS, 'fee_amount'] as const) {
    const value = source[name]
    if (typeof value === 'number' && Number.isFinite(value)) summary[name] = value
  }
  if (source.unusable === true) summary.unusable = true
  return summary
}
