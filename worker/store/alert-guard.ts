import { sha256 } from '../lib/crypto.ts'
import type { KvStore } from './kv.ts'

export const HOUR_MS = 3_600_000

/**
 * Whether the same alert was not raised within an hour: one read for each alert, and none where nothing is wrong.
 *
 * Key `alert/<hash of the alert>`, or `shop-alert/<hash of the alert>` where it is about no order; value: when; gone after
 * an hour. A gate keeps the first to itself: what is about the shop must be seen by all gates.
 */
export async function mayRaise(store: KvStore, alert: { order_id: string | null }, at: number): Promise<boolean> {
  const key = `${alert.order_id === null ? 'shop-alert' : 'alert'}/${await sha256(JSON.stringify(alert))}`
  const last = (await store.get(key)) as { at: number } | undefined
  if (last && at - last.at < HOUR_MS) return false
  await store.put(key, { at }, undefined, HOUR_MS / 1000)
  return true
}
