import { sha256 } from '../lib/crypto.ts'
import type { OrderStore } from './order-store.ts'

export const HOUR_MS = 3_600_000

/**
 * Whether the same alert was not raised within an hour: one read for each alert, and none where nothing is wrong.
 *
 * Key `alert/<hash of the alert>`; value: when; gone after an hour.
 */
export async function mayRaise(store: OrderStore, alert: object, at: number): Promise<boolean> {
  const key = `alert/${await sha256(JSON.stringify(alert))}`
  const last = (await store.get(key)) as { at: number } | undefined
  if (last && at - last.at < HOUR_MS) return false
  await store.put(key, { at }, undefined, HOUR_MS / 1000)
  return true
}
