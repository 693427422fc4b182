import { orderKeyOf } from './event-log.ts'
import type { KvStore } from './kv.ts'

const DAY_SECONDS = 86_400

/**
 * Whether the service may be asked for an order's state because its customer waits: once a day, however often the result
 * page is loaded.
 *
 * Key `asked/<order key>`; value: when; gone after a day.
 */
export async function mayAsk(state: KvStore, order_id: string, at: number): Promise<boolean> {
  const key = `asked/${await orderKeyOf(order_id)}`
  if ((await state.get(key)) !== undefined) return false
  await state.put(key, { at }, undefined, DAY_SECONDS)
  return true
}
