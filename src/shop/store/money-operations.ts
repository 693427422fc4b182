import type { MoneyOperation, RecordedResponse } from '../protocol.ts'
import type { OrderStore } from './order-store.ts'

const keyOf = (orderKey: string, { keyHash, id }: MoneyOperation): string => `intent/${orderKey}/${keyHash}/${id}`

/** Key `intent/<order key>/<hash of the Idempotency-Key>/<random>`; kept permanently. */
export function putOperation(store: OrderStore, orderKey: string, operation: MoneyOperation): Promise<void> {
  return store.put(keyOf(orderKey, operation), operation)
}

/** Every capture, refund and void of an order that was made here, the oldest first. */
export async function listOperations(store: OrderStore, orderKey: string): Promise<MoneyOperation[]> {
  const rows = await store.list(`intent/${orderKey}/`)
  return rows.map(({ value }) => value as MoneyOperation).sort((a, b) => a.started_at - b.started_at)
}

/** Replaces the recorded responses of an order by what the books need; see `erasePersonalData`. */
export async function eraseResponses(store: OrderStore, orderKey: string): Promise<void> {
  for (const operation of await listOperations(store, orderKey)) {
    const { response } = operation
    if (response) await putOperation(store, orderKey, { ...operation, response: withoutPerson(response) })
  }
}

const KEPT = /^(operation_id|order_id|method|status|status_code|amount|currency|created_at|code|title)$/

const withoutPerson = ({ status, body }: RecordedResponse): RecordedResponse => ({
  status,
  body: Object.fromEntries(Object.entries(body as object).filter(([name]) => KEPT.test(name))),
})
