import type { MoneyOperation, RecordedResponse } from '../protocol.ts'
import type { OrderStore } from './order-store.ts'

/** Table `operation`; kept permanently. */
export async function putOperation(store: OrderStore, orderKey: string, operation: MoneyOperation): Promise<void> {
  store.all(
    'INSERT OR REPLACE INTO operation (order_key, id, started_at, operation) VALUES (?, ?, ?, ?)',
    ...[orderKey, operation.id, operation.started_at, JSON.stringify(operation)],
  )
}

/** Every capture, refund and void of an order that was made here, the oldest first. */
export async function listOperations(store: OrderStore, orderKey: string): Promise<MoneyOperation[]> {
  const query = 'SELECT operation FROM operation WHERE order_key = ? ORDER BY started_at, id'
  return store.all<{ operation: string }>(query, orderKey).map(({ operation }) => JSON.parse(operation))
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
