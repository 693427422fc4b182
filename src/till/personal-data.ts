// The part of an order that stays when personal data is removed, for bookkeeping.

import { readSummary } from '../orders/summary.ts'

const BOOKS = ['order_id', 'pos_id', 'mode', 'gateway_order_id', 'billing_order_id', 'fee', 'status_description']
const KEPT = /^(operation_id|order_id|method|status|status_code|amount|currency|created_at|code|title)$/

/** The part of an event's record that stays: its summary, and the fields for bookkeeping. */
export function bookkeepingOf(record: Readonly<Record<string, unknown>>, summary: unknown): Record<string, unknown> {
  const { id: _, kind, ...fields } = readSummary('', summary)
  return { ...Object.fromEntries(BOOKS.flatMap((name) => (name in record ? [[name, record[name]]] : []))), ...fields }
}

/** The part of a call's response that stays. */
export const withoutPerson = (response: object): object =>
  Object.fromEntries(
    Object.entries(response).flatMap(([name, value]) => {
      if (name === 'record') return [[name, withoutPerson(value)]]
      return KEPT.test(name) ? [[name, value]] : []
    }),
  )
