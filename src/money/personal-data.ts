// The part of a customer's order that stays when their data is removed: the books need it.

import { readSummary } from '../orders/summary.ts'

const BOOKS = ['order_id', 'pos_id', 'mode', 'gateway_order_id', 'billing_order_id', 'fee', 'status_description']
const KEPT = /^(operation_id|order_id|method|status|status_code|amount|currency|created_at|code|title)$/

/** An event's record: what its summary says, and the fields of the books. */
export function bookkeepingOf(record: Readonly<Record<string, unknown>>, summary: unknown): Record<string, unknown> {
  const { id: _, kind, ...fields } = readSummary('', summary)
  return { ...Object.fromEntries(BOOKS.flatMap((name) => (name in record ? [[name, record[name]]] : []))), ...fields }
}

/** The response to a call. */
export const withoutPerson = (response: object): object =>
  Object.fromEntries(Object.entries(response).filter(([name]) => KEPT.test(name)))
