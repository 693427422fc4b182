import { orderKeyOf } from './event-log.ts'
import type { OrderStore } from './order-store.ts'

const DAY_SECONDS = 86_400

/**
 * Whether the service may be asked for an order's state because its customer waits: once a day, however often the result
 * page is loaded.
 *
 * Key `asked/<order key>`; value: when; gone after a day.
 */
export async function mayPoll(store: OrderStore, order_id: string, at: number): Promise<boolean> {
  const key = `asked/${await orderKeyOf(order_id)}`
  const last = (await store.get(key)) as { at: number } | undefined
  if (last && at - last.at < DAY_SECONDS * 1000) return false
  await store.put(key, { at }, undefined, DAY_SECONDS)
  return true
}
