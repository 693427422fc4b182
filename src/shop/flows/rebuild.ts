import type { OrderScope } from '../scope.ts'
import { addBirth, type Birth, getBirth, putBirth } from '../store/birth.ts'
import { attemptId, baseOrderId } from '../store/checkouts.ts'
import { importEvents } from '../store/event-log.ts'
import type { Order } from '../store/order.ts'
import { touch } from '../store/published.ts'
import { raiseAlert } from './raise-alert.ts'

/**
 * Makes sure that a gate knows its order. One without a row is new, or its storage was lost: it was lost where KV holds an
 * event of the order other than the one in hand. Then the order is rebuilt from KV. Its keys of money calls are gone, so
 * `protocol.ts` makes none until the service was asked.
 *
 * @param at `inHand`: the id of the event that is being stored. `isMoney`: a money call is the first that the gate hears of;
 *   then it counts as lost until the service was asked, whatever KV lists.
 * @throws {StorageError} when KV cannot be read: nothing may be concluded.
 */
export async function takeStock(
  scope: OrderScope,
  order_id: string,
  { inHand, isMoney = false }: { inHand?: string; isMoney?: boolean } = {},
): Promise<Birth> {
  const { store, now } = scope
  const known = await getBirth(store)
  if (known) return known
  const base = baseOrderId(order_id)
  const isLost = await rebuild(scope, base, inHand)
  if (isLost || base !== order_id) {
    for (let attempt = 2; await rebuild(scope, attemptId(base, attempt), inHand); attempt++);
  }
  if (!isLost && isMoney) return { at: now(), rebuilt_at: 0 }
  // Last: a gate that dies before it begins anew.
  const birth = await addBirth(store, { at: now(), ...(isLost && { rebuilt_at: now() }) })
  if (isLost) raiseAlert(scope, { kind: 'rebuilt', order_id: base })
  return birth
}

/** Records that the service was asked. It may show operations of an order of which KV has no event. */
export async function noteAsked({ store, now }: OrderScope, { operations }: Order): Promise<void> {
  const { at = now(), rebuilt_at } = (await getBirth(store)) ?? {}
  const isLost = rebuilt_at !== undefined || operations.some(({ method }) => /^(capture|refund|void)$/.test(method))
  await putBirth(store, { at, asked: true, ...(isLost && { rebuilt_at: rebuilt_at ?? now() }) })
}

/** @returns Whether KV had another event of the order. */
async function rebuild({ kv, store, now }: OrderScope, order_id: string, inHand?: string): Promise<boolean> {
  const times = await importEvents(kv, store, order_id, inHand)
  if (times.length === 0) return false
  await store.writeDue(now(), () => {
    touch(store, order_id, Math.min(...times))
    // Later than whatever was published before.
    store.all('UPDATE published SET version = ? WHERE order_id = ?', now(), order_id)
  })
  return true
}
