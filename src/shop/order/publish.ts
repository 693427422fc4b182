import { baseOrderId } from '../lib/attempt-id.ts'
import { describeError, logError } from '../lib/log.ts'
import { ProblemError } from '../lib/problem.ts'
import { allAttention, openAttention } from './attention.ts'
import { readOrder, readShown } from './order.ts'
import { listInBook } from './publish-to-book.ts'
import { writeToKv } from './publish-to-kv.ts'
import { dueAt, duePublished, PUBLISH_MS, type Published, touch } from './published.ts'
import type { OrderScope } from './scope.ts'

/** Until what failed is tried again. */
const RETRY_MS = 60_000

/** Publishes the orders of a gate that have changed: to KV, where other programs read them, and to the shop's list. */
export async function publishDue(scope: OrderScope): Promise<void> {
  for (const published of duePublished(scope.store)) await publish(scope, published)
}

async function publish(scope: OrderScope, published: Published): Promise<void> {
  const { store, now } = scope
  const { order_id, version } = published
  const at = now()
  const reading = readOrder(scope, order_id)
  const due_at = dueAt(store)
  // An entry that the list shows at once may come sooner.
  const written_at = at < published.written_at + PUBLISH_MS ? published.written_at : at
  const [written, listed] = await Promise.allSettled([
    written_at === at ? writeToKv(scope, published, reading) : published.written,
    // Its further attempts are the same row.
    order_id !== baseOrderId(order_id) ? published.book : listInBook(scope, published, reading, due_at),
  ])
  for (const one of [written, listed]) {
    if (one.status === 'rejected') logError('order_not_published', { order_id, ...describeError(one.reason) })
  }
  const isDone = written.status === 'fulfilled' && listed.status === 'fulfilled'
  const next_at = isDone ? written_at + PUBLISH_MS : at + RETRY_MS
  // A publication beside this one may have told the list of what was due before.
  const isLate = isDone && due_at !== null && due_at < (dueAt(store) ?? Number.MAX_SAFE_INTEGER)
  store.all(
    `UPDATE published SET written = ?, written_at = ?, due_at = ?, book = coalesce(?, book),
       next_at = CASE WHEN ? AND version = ? THEN NULL ELSE ? END WHERE order_id = ?`,
    written.status === 'fulfilled' ? written.value : published.written,
    ...[
      written_at,
      isDone ? due_at : published.due_at,
      listed.status === 'fulfilled' ? listed.value : null,
      Number(isDone && !isLate && written_at === at),
      version,
      next_at,
      order_id,
    ],
  )
  if (isLate) await store.writeDue(next_at, () => {})
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
  await publishDue(scope)
}
