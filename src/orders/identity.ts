import type { EventSummary } from './summary.ts'

const PRIMARY: readonly unknown[] = ['purchase', 'auth', 'credit', 'p2p', 'lookup']

/** Whether an event is a payment's, and not a capture's, a refund's … */
export const isPrimary = ({ method }: Pick<EventSummary, 'method'>): boolean => PRIMARY.includes(method)

/** What an operation is called. A payment's `operation_id`, should it have one, does not tell it apart. */
export function operationId(summary: Omit<EventSummary, 'id'>): string | undefined {
  const payment = summary.transaction_id ?? summary.payment_id
  return isPrimary(summary) ? payment : (summary.operation_id ?? payment)
}

/** Timestamps have no zone and are compared as text; their fraction may have any length, or be absent. */
export function sortable(time = ''): string {
  const [whole = '', fraction = ''] = time.split('.')
  return `${whole}.${fraction.replace(/0+$/, '')}`
}

/** A charge of a payment. Charges of a subscription may share everything but the time of their creation. */
export const chargeKey = ({ payment_id, transaction_id, created_at }: Omit<EventSummary, 'id'>): string =>
  JSON.stringify([payment_id, transaction_id, sortable(created_at)])
