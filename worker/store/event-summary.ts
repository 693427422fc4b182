import { sha256 } from '../lib/crypto.ts'
import type { WebhookEvent } from '../sdk.ts'

/**
 * What the fold needs of an event, under the wire's names. It is the metadata of the event's key, so that one list reads
 * an order.
 */
export interface Fact {
  /** The event's stable id. */
  id: string
  /** `unexpected`: a shape that the document does not show. `unknown`: a method that it does not name. */
  kind: 'documented' | 'unknown' | 'unexpected'
  method?: string
  operation_id?: string
  transaction_id?: string
  payment_id?: string
  status?: string
  status_code?: string
  amount?: number
  currency?: string
  created_at?: string
  processed_at?: string
  processed_amount?: number
  processed_currency?: string
  fee_amount?: number
  fee_currency?: string
}

const TEXTS = [
  'method',
  'operation_id',
  'transaction_id',
  'payment_id',
  'status',
  'status_code',
  'currency',
  'created_at',
  'processed_at',
  'processed_currency',
] as const
const NUMBERS = ['amount', 'processed_amount'] as const

/** Everything of an event under its wire names, whatever its shape. */
export function recordOf(event: WebhookEvent): Record<string, unknown> {
  return event.record
}

/** The order that an event belongs to; undefined when it does not say. */
export function orderIdOf(event: WebhookEvent): string | undefined {
  const { order_id } = recordOf(event)
  return typeof order_id === 'string' && order_id !== '' ? order_id : undefined
}

/** Reads the fold's fields from an event; what has another type than the document's is left out. */
export async function factOf(event: WebhookEvent): Promise<Fact> {
  const record = recordOf(event)
  const kind = event.kind === 'unexpected' || event.kind === 'unknown' ? event.kind : 'documented'
  const fact: Fact = { id: '', kind }
  for (const name of TEXTS) {
    const value = record[name]
    if (typeof value === 'string') fact[name] = value
  }
  for (const name of NUMBERS) {
    const value = record[name]
    if (typeof value === 'number' && Number.isFinite(value)) fact[name] = value
  }
  const fee = record.fee as { amount?: unknown; currency?: unknown } | null | undefined
  if (typeof fee?.amount === 'number' && Number.isFinite(fee.amount)) fact.fee_amount = fee.amount
  if (typeof fee?.currency === 'string') fact.fee_currency = fee.currency
  fact.id = await eventId(fact, record)
  return fact
}

/**
 * The same event has the same id however it came: with other padding, in another order of its fields, by a re-send. What
 * is not documented has no fields to rely on, so there everything counts.
 */
function eventId(fact: Fact, record: Record<string, unknown>): Promise<string> {
  if (fact.kind !== 'documented') return sha256(JSON.stringify(record))
  const { method, operation_id, transaction_id, payment_id, status, status_code, amount, currency } = fact
  const identity = operation_id ?? transaction_id ?? payment_id
  const at = fact.processed_at ?? fact.created_at
  return sha256(JSON.stringify([method, identity, status, status_code, amount, currency, at]))
}

/** A fact from a key's metadata. Total: whatever was written there, a fact comes out. */
export function factFromMetadata(id: string, metadata: unknown): Fact {
  const source = (metadata ?? {}) as Record<string, unknown>
  const known = source.kind === 'documented' || source.kind === 'unknown'
  const fact: Fact = { id, kind: known ? (source.kind as Fact['kind']) : 'unexpected' }
  for (const name of TEXTS) {
    const value = source[name]
    if (typeof value === 'string') fact[name] = value
  }
  for (const name of [...NUMBERS, 'fee_amount'] as const) {
    const value = source[name]
    if (typeof value === 'number') fact[name] = value
  }
  if (typeof source.fee_currency === 'string') fact.fee_currency = source.fee_currency
  return fact
}
