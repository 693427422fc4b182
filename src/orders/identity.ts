import type { EventSummary } from './summary.ts'

type Fields = Omit<EventSummary, 'id'>

const PRIMARY: readonly unknown[] = ['purchase', 'auth', 'credit', 'p2p', 'lookup']

/** Whether an event is a payment's, and not a capture's, a refund's … */
export const isPrimary = ({ method }: Pick<Fields, 'method'>): boolean => PRIMARY.includes(method)

/** The identity of an operation. A payment's `operation_id`, if it has one, is not part of its identity. */
export function operationId(summary: Fields): string | undefined {
  const payment = summary.transaction_id ?? summary.payment_id
  return isPrimary(summary) ? payment : (summary.operation_id ?? payment)
}

/** Timestamps have no zone and are compared as text; their fraction may have any length, or be absent. */
export function sortable(time = ''): string {
  if (!time.includes('.')) return `${time}.`
  let end = time.length
  while (time[end - 1] === '0') end--
  return time.slice(0, end)
}

/**
 * The identity of the operation that an event reports, which `operationKey`, the fold and the engine share; undefined
 * for an event that names no operation. It is made of required fields, because the next delivery may lack an optional
 * field. Charges of a subscription may share everything but the time of their creation.
 */
export function operationOf(summary: Fields): unknown[] | undefined {
  const id = operationId(summary)?.toLowerCase()
  const { method, payment_id, created_at } = summary
  if (id === undefined) return undefined
  if (!isPrimary(summary)) return [method, id]
  const payment = payment_id?.toLowerCase()
  return created_at === undefined ? [null, payment, null, id] : [null, payment ?? id, sortable(created_at)]
}

/** Whether an event has the fields of an operation's identity. */
export const isWhole = (summary: Fields): boolean =>
  !isPrimary(summary) || (summary.payment_id !== undefined && summary.created_at !== undefined)
