import type { OrderOperation } from '../../orders/order.ts'
import { attemptId, baseOrderId } from '../lib/attempt-id.ts'
import type { Order } from '../lib/shown-order.ts'
import { importEvents, type LoggedEvent } from './events.ts'
import { addBirth, type Birth, getBirth, putBirth } from './order-store.ts'
import { touch } from './published.ts'
import { raiseAlert } from './raise-alert.ts'
import type { OrderScope } from './scope.ts'

/**
 * Makes sure that a gate knows its order. One without a row is new, or its storage was lost: it was lost where KV holds an
 * event of the order other than the one in hand. Then the order is rebuilt from KV. Its keys of money calls are gone, so
 * `money/protocol.ts` makes none until the service was asked. KV may be late: whatever it lists, only a payment that was created
 * by this gate proves that no key is missing.
 *
 * @param inHand The id of the event that is being stored.
 * @throws {StorageError} when KV cannot be read: nothing may be concluded.
 */
export async function takeStock(scope: OrderScope, order_id: string, inHand?: string): Promise<Birth> {
  const { store, now } = scope
  const known = await getBirth(store)
  if (known) return known
  const base = baseOrderId(order_id)
  const isLost = await rebuild(scope, base, inHand)
  if (isLost || base !== order_id) {
    for (let attempt = 2; await rebuild(scope, attemptId(base, attempt), inHand); attempt++);
  }
  if (!isLost && inHand === undefined) return { at: now() }
  // Last: a gate that dies before it begins anew.
  const birth = await addBirth(store, { at: now(), first: inHand, ...(isLost && { rebuilt_at: now() }) })
  if (isLost) raiseAlert(scope, { kind: 'rebuilt', order_id: base })
  return birth
}

/**
 * Records that the service was asked. An operation that it shows may be of a key that was lost, unless its event came to this
 * gate before: then another program made it. The gate's first event proves nothing: it may be the first one after a loss.
 */
export async function noteAsked(
  { store, now }: OrderScope,
  before: readonly LoggedEvent[],
  { operations }: Order,
): Promise<void> {
  const { at = now(), first, rebuilt_at } = (await getBirth(store)) ?? {}
  const sure = before.filter(({ id }) => first !== undefined && id !== first)
  const known = sure.map(({ method, operation_id }) => `${method} ${operation_id}`)
  const isNews = ({ method, id }: OrderOperation) =>
    /^(capture|refund|void)$/.test(method) && !known.includes(`${method} ${id}`)
  const isLost = rebuilt_at !== undefined || operations.some(isNews)
  await putBirth(store, { at, asked: true, ...(isLost && { rebuilt_at: rebuilt_at ?? now() }) })
}

/** Records that the service has created the order's payment: nothing of the order can have been lost before. */
export async function noteCreated({ store, now }: OrderScope): Promise<void> {
  const { at = now(), rebuilt_at } = (await getBirth(store)) ?? {}
  if (rebuilt_at === undefined) await putBirth(store, { at, asked: true })
}

/** @returns Whether KV had another event of the order. */
async function rebuild({ kv, store, now }: OrderScope, order_id: string, inHand?: string): Promise<boolean> {
  const times = await importEvents(kv, store, order_id, inHand)
  if (times.length === 0) return false
  await store.writeDue(now(), () => touch(store, order_id, now(), { since: Math.min(...times) }))
  return true
}
