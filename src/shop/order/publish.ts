import { sha256Base64url } from '../../lib/sha256.ts'
import { orderKey } from '../../orders/order-key.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { describeError, logError } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import { allAttention, openAttention } from './attention.ts'
import { type OrderReading, readOrder, readShown } from './order.ts'
import { listInBook } from './publish-to-book.ts'
import { dueAt, duePublished, FOUND_MS, getPublished, PUBLISH_MS, type Published, touch } from './published.ts'
import type { OrderScope } from './scope.ts'

/** Until what failed is tried again. */
const RETRY_MS = 60_000

/** Publishes the orders of a gate that have changed: to KV, where other programs read them, and to the shop's list. */
export const publishDue = (scope: OrderScope): Promise<void> =>
  scope.publishInTurn(async () => {
    for (const published of duePublished(scope.store)) await publish(scope, published)
  })

/**
 * Publishes an order in the background that is to be published now, where the alarm comes later, or the list has nothing that is
 * due soon. The alarm publishes one that was published a moment ago.
 */
export async function publishSoon(scope: OrderScope, order_id: string, alarm: number): Promise<void> {
  const { store, now, waitUntil } = scope
  const { next_at, due_at } = getPublished(store, baseOrderId(order_id)) ?? {}
  if (next_at == null) return
  if (next_at > now()) {
    if (alarm > next_at) await store.writeDue(next_at, () => {})
  } else if ((due_at ?? 1e15) > now() + FOUND_MS || alarm > now()) waitUntil?.(publishDue(scope).catch(() => {}))
}

async function publish(scope: OrderScope, published: Published): Promise<void> {
  const { store, now, kv } = scope
  const { order_id, version, book } = published
  const at = now()
  store.atOnce.delete(order_id)
  const reading = readOrder(scope, order_id)
  const value = storedOrder(reading)
  const hash = value ? sha256Base64url(JSON.stringify(value)) : published.written
  const isNews = hash !== published.written
  // An entry that the list shows at once may come sooner: KV waits, and the list says so.
  const isSoon = at < published.written_at + PUBLISH_MS
  const waits = isNews && isSoon ? published.written_at + PUBLISH_MS : null
  const due_at = dueAt(store, waits)
  const done = await Promise.allSettled([
    // Its further attempts are the same row.
    order_id === baseOrderId(order_id) ? listInBook(scope, published, reading, due_at) : book,
    isNews && !isSoon ? kv.put(`order/${orderKey(order_id)}`, value) : undefined,
  ])
  for (const one of done) {
    if (one.status === 'rejected') logError('order_not_published', { order_id, ...describeError(one.reason) })
  }
  const [listed, written] = done
  const isDone = written.status === 'fulfilled' && listed.status === 'fulfilled'
  const written_at = isSoon ? published.written_at : at
  const next_at = !isDone ? at + RETRY_MS : store.atOnce.has(order_id) ? at : written_at + PUBLISH_MS
  // The due work may have changed meanwhile, or be put off.
  const isLate = isDone && due_at !== null && due_at < (dueAt(store, waits) ?? Number.MAX_SAFE_INTEGER)
  store.all(
    `UPDATE published SET written = ?, written_at = ?, due_at = ?, book = coalesce(?, book),
       next_at = CASE WHEN ? AND version = ? THEN NULL ELSE ? END WHERE order_id = ?`,
    written.status === 'fulfilled' && !isSoon ? hash : published.written,
    ...[
      written_at,
      isDone ? due_at : published.due_at,
      listed.status === 'fulfilled' ? listed.value : null,
      Number(isDone && !isLate && waits === null),
      version,
      next_at,
      order_id,
    ],
  )
  if (isLate || !isDone) await store.writeDue(next_at, () => {})
}

/**
 * The value of `order/<order key>`, for other programs to read: the order as `GET /api/orders/:order_id` returns it, without
 * `attempts` and the customer's e-mail address; no metadata; kept permanently. Undefined before its first event.
 */
function storedOrder({ order, events }: OrderReading): object | undefined {
  const { attempts: _, customer_email: __, ...value } = order
  return events.length > 0 ? value : undefined
}

/** Takes what a person has looked at out of the list, until something new happens of it. */
export async function attentionDone(
  scope: OrderScope,
  order_id: string,
  { kind, flag }: { kind: string; flag?: string | undefined },
): Promise<void> {
  const { store } = scope
  const { order } = readShown(scope, order_id)
  const isMeant = ({ alert }: { alert: { kind: string; flag?: unknown } }) =>
    alert.kind === kind && (flag === undefined || alert.flag === flag)
  const open = openAttention(store, order).filter(isMeant)
  if (open.length === 0) throw new ProblemError(404, 'not_found', 'No such item.')
  const states = JSON.stringify(allAttention(store, order).map(({ state }) => state))
  await store.writeDue(store.now(), () => {
    store.all("DELETE FROM alert WHERE kind = 'done' AND alert NOT IN (SELECT value FROM json_each(?))", states)
    for (const { state } of open) store.all("INSERT INTO alert VALUES ('done', ?, ?)", state, store.now())
    touch(store, baseOrderId(order_id), { create: false, atOnce: true })
  })
  // Whoever did it looks at the list next.
  return publishDue(scope)
}
