import type { OrderOperation } from '../../orders/order.ts'
import { attemptId, baseOrderId } from '../lib/attempt-id.ts'
import type { Order } from '../lib/shown-order.ts'
import { importEvents, type LoggedEvent } from './events.ts'
import { touch } from './published.ts'
import { raiseAlert } from './raise-alert.ts'
import { eraseAt } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'

export interface Birth {
  /** The event that it began with. */
  first: string | null
  /** When it was rebuilt: its storage was lost. Milliseconds since 1970. */
  rebuilt_at: number | null
  /** Whether the service has been asked since for every operation of the order. */
  asked: 0 | 1
}

export const getBirth = (store: OrderStore): Birth | undefined =>
  store.all<Birth>('SELECT first, rebuilt_at, asked FROM birth')[0]

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
  const known = getBirth(store)
  if (known) return known
  const base = baseOrderId(order_id)
  const isLost = await rebuild(scope, base, inHand)
  if (isLost || base !== order_id) {
    for (let attempt = 2; await rebuild(scope, attemptId(base, attempt), inHand); attempt++);
  }
  if (!isLost && inHand === undefined) return { first: null, rebuilt_at: null, asked: 0 }
  // When its data is to be removed was lost too.
  if (isLost) await eraseAt(store, base, now())
  // Last: a gate that dies before it begins anew. A money call and an event may find none at the same moment.
  const write = 'INSERT OR IGNORE INTO birth (one, at, first, rebuilt_at) VALUES (1, ?, ?, ?)'
  store.all(write, now(), inHand ?? null, isLost ? now() : null)
  if (isLost) raiseAlert(scope, { kind: 'rebuilt', order_id: base })
  return getBirth(store) as Birth
}

/**
 * Records that the service was asked. An operation that it shows may be of a key that was lost, unless its event came to this
 * gate before: then another program made it. The gate's first event proves nothing: it may be the first one after a loss.
 */
export function noteAsked({ store }: OrderScope, before: readonly LoggedEvent[], { operations }: Order): void {
  const { first } = getBirth(store) ?? {}
  const sure = before.filter(({ id }) => first != null && id !== first)
  const known = sure.map(({ method, operation_id }) => `${method} ${operation_id}`)
  const isNews = ({ method, id }: OrderOperation) =>
    /^(capture|refund|void)$/.test(method) && !known.includes(`${method} ${id}`)
  const write = `INSERT INTO birth (one, at, rebuilt_at, asked) VALUES (1, ?, ?, 1)
    ON CONFLICT DO UPDATE SET rebuilt_at = coalesce(rebuilt_at, excluded.rebuilt_at), asked = 1`
  store.all(write, store.now(), operations.some(isNews) ? store.now() : null)
}

/** Records that the service has created the order's payment: nothing of the order can have been lost before. */
export function noteCreated(store: OrderStore): void {
  const write = `INSERT INTO birth (one, at, asked) VALUES (1, ?, 1)
    ON CONFLICT DO UPDATE SET asked = 1 WHERE rebuilt_at IS NULL`
  store.all(write, store.now())
}

/** @returns Whether KV had another event of the order. */
async function rebuild({ kv, store }: OrderScope, order_id: string, inHand?: string): Promise<boolean> {
  const times = await importEvents(kv, store, order_id, inHand)
  if (times.length === 0) return false
  await store.writeDue(store.now(), () => touch(store, order_id, { since: Math.min(...times) }))
  return true
}
