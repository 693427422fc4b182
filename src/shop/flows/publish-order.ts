import { callGate, shopObject } from '../call-gate.ts'
import { sha256 } from '../lib/crypto.ts'
import { describeError, logError } from '../lib/log.ts'
import type { RaisedAlert } from '../options.ts'
import type { OrderScope } from '../scope.ts'
import { baseOrderId } from '../store/checkouts.ts'
import { lastFourOf, orderKeyOf } from '../store/event-log.ts'
import { type Order, type OrderReading, readOrder, readShown } from '../store/order.ts'
import type { OrderStore } from '../store/order-store.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { attemptIds, dueAt, duePublished, PUBLISH_MS, type Published } from '../store/published.ts'
import { type FailingRow, type ListedRow, monthOf, summaryOf } from '../store/shop-tables.ts'
import type { WatchedRow } from '../store/tasks.ts'
import { alertOf } from './check-open.ts'
import { failingAlert } from './deliver-events.ts'
import { originOf, textOf } from './raise-alert.ts'

/** Until what failed is tried again. */
const RETRY_MS = 60_000

/** Publishes the orders of a gate that have changed: to KV, where other programs read them, and to the shop's list. */
export async function publishDue(scope: OrderScope): Promise<void> {
  for (const published of duePublished(scope.store, scope.now())) await publish(scope, published)
}

async function publish(scope: OrderScope, published: Published): Promise<void> {
  const { store, env, now } = scope
  const { order_id, version } = published
  const at = now()
  const reading = await readOrder(store, order_id, env.POS_ID)
  const due_at = dueAt(store)
  // What the list shows at once may come sooner.
  const written_at = at < published.written_at + PUBLISH_MS ? published.written_at : at
  const [written, listed] = await Promise.allSettled([
    written_at === at ? writeOrder(scope, published, reading) : published.written,
    // Its further attempts are the same row.
    order_id === baseOrderId(order_id) && list(scope, published, reading, due_at),
  ])
  for (const one of [written, listed]) {
    if (one.status === 'rejected') logError('order_not_published', { order_id, ...describeError(one.reason) })
  }
  const isDone = written.status === 'fulfilled' && listed.status === 'fulfilled'
  const next_at = isDone ? written_at + PUBLISH_MS : at + RETRY_MS
  store.all(
    `UPDATE published SET written = ?, written_at = ?, due_at = ?,
       next_at = CASE WHEN ? AND version = ? THEN NULL ELSE ? END WHERE order_id = ?`,
    written.status === 'fulfilled' ? written.value : published.written,
    ...[
      written_at,
      isDone ? due_at : published.due_at,
      Number(isDone && written_at === at),
      version,
      next_at,
      order_id,
    ],
  )
}

/** Has the shop's object of its month list an order, by the attempt that holds money, else the newest. */
async function list(
  { store, env }: OrderScope,
  { order_id, since, version }: Published,
  reading: OrderReading,
  due_at: number | null,
): Promise<void> {
  const { order } = attemptIds(store, order_id).length === 1 ? reading : await readShown(store, order_id, env.POS_ID)
  const { checkout } = reading
  const { customer_email, customer_name, description } = checkout ?? {}
  const open = "SELECT id FROM task WHERE kind = 'open' AND json_extract(task, '$.listed') LIMIT 1"
  const row: ListedRow = {
    summary: { ...summaryOf(order), ...(description && { description }), ...(customer_name && { customer_name }) },
    ...{ order_id, since, version, due_at },
    email: customer_email ?? null,
    last_four: lastFourOf(store, await orderKeyOf(order.order_id)),
    isOpen: store.all(open).length > 0,
    attention: attentionOf(store, order).map((alert) => ({
      ...alert,
      text: textOf(alert, originOf(env, checkout), checkout),
    })),
    failing: store.all<FailingRow>('SELECT event_id, order_id FROM queue WHERE failing > 0'),
  }
  await callGate(env, shopObject(monthOf(since)), { name: 'putInList', order_id: '', argument: row })
}

/** What a person should look at, as the alerts about it were. */
function attentionOf(store: OrderStore, { order_id, flags }: Order): RaisedAlert[] {
  const watched = "SELECT task FROM task WHERE kind = 'open' AND json_extract(task, '$.alerted')"
  const failing = 'SELECT entry FROM queue WHERE failing = 2'
  return [
    ...flags.flatMap((flag) => (flag === 'paid_after_failure' ? [] : { kind: 'flag' as const, order_id, flag })),
    ...store.all<{ task: string }>(watched).map(({ task }) => alertOf(JSON.parse(task) as WatchedRow)),
    ...store.all<{ entry: string }>(failing).map(({ entry }) => failingAlert(JSON.parse(entry) as OutboxEntry)),
  ]
}

/**
 * Writes the folded order for other programs to read, when an event has changed it.
 *
 * Key `order/<order key>`; value: the order as `GET /api/orders/:order_id` returns it, without `attempts` and the customer's
 * e-mail address; no metadata; kept permanently.
 * @returns The hash of what KV has.
 */
async function writeOrder(
  { kv }: OrderScope,
  { written }: Published,
  { order, events }: OrderReading,
): Promise<string | null> {
  if (events.length === 0) return written
  const { attempts: _, customer_email: __, ...stored } = order
  const hash = await sha256(JSON.stringify(stored))
  if (hash !== written) await kv.put(`order/${await orderKeyOf(order.order_id)}`, stored)
  return hash
}
