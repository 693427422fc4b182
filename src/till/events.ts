import { callInTime, errorText, ON_EVENT_MS, pauseAfter } from '../money/queue.ts'
import { eventKey } from '../orders/event-key.ts'
import { foldSummaries } from '../orders/fold.ts'
import { operationKey } from '../orders/operation-key.ts'
import { summarizeEvent } from '../orders/summary.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { readEvent } from '../schemas/read-event.ts'
import { append, type Reading, readOrder, type Tables, type TillOrder } from './store.ts'

/** A stored event, as your code gets it. */
export interface TillEvent {
  /** Stable: the same for every delivery of the same event. Use it as the key of whatever you do. */
  id: string
  /** The event, without `cc_token` unless `keepCardToken` is set. */
  event: WebhookEvent
}

/**
 * Your code for an event. It runs after the event was stored, at least once for each status of an operation, and occasionally twice,
 * so it must be idempotent. When it throws or takes longer than 25 seconds, it is called again later. Rely on `order`, which is
 * folded from all events, more than on the single one.
 */
export type OnTillEvent = (stored: TillEvent, order: TillOrder) => unknown

/** What the functions of a till share. */
export interface Scope {
  tables: Tables
  onEvent: OnTillEvent | undefined
  keepCardToken: boolean
}

/** A record as it is stored. */
export const kept = (record: object, { keepCardToken }: Scope): object =>
  JSON.parse(JSON.stringify(record, (key, value) => (key === 'cc_token' && !keepCardToken ? undefined : value)))

/** Whether a person should look at an order with this flag: a second try at paying informs. */
export const needsPerson = (flag: string): boolean => flag !== 'paid_after_failure'

/** What `onEvent` hears of once. An event of an odd shape stands for itself. */
export const nameOf = (event: WebhookEvent): string =>
  event.kind === 'unexpected' ? eventKey(event) : operationKey(event)

/** Stores a genuine event: when this returns, it is durable, and `onEvent` is due for it. */
export async function storeEvent(scope: Scope, event: WebhookEvent): Promise<void> {
  const { tables } = scope
  const { order_id } = recordOf(event)
  const summary = summarizeEvent(event)
  const { id } = summary
  const body = { summary, record: kept(recordOf(event), scope) }
  if (typeof order_id !== 'string' || order_id === '') {
    // A copy of it loses the insert.
    await append(tables, { order_key: `stray/${id}`, next: 0 } as Reading, { kind: 'stray', id, body, isOpen: true })
    return
  }
  const name = nameOf(event)
  for (let isStored = false; !isStored; ) {
    const before = await readOrder(tables, order_id)
    if (before.events.some((one) => one.id === id)) return
    const isOpen = foldSummaries(order_id, [...before.events, summary], before.payment?.terms).flags.some(needsPerson)
    // What `onEvent` has heard of says nothing new, such as a copy with a fee.
    const dueInMs = before.events.some((one) => one.name === name) ? undefined : 0
    isStored = await append(tables, before, { kind: 'event', id, name, body, isOpen, dueInMs })
  }
}

/** A row of `edgetill_log` that is due. */
export interface DueRow {
  order_key: string
  order_id: string
  number: unknown
  id: string
  body: string
  attempts: unknown
  next_at: unknown
  /** How long ago it was written. */
  age: unknown
}

/**
 * Does what is due of a kind, the least tried first. A row is put off before: one process alone does it, and where that dies it is due
 * again. `work` says when it is due again; undefined: never.
 */
export async function doDue(
  { run, clock }: Tables,
  kind: 'event' | 'operation' | 'payment',
  forMs: (row: DueRow) => number,
  work: (row: DueRow) => Promise<{ againInMs?: number; error?: string }>,
): Promise<void> {
  const rows = await run<DueRow>(
    `SELECT l.*, o.order_id, ${clock} - l.written_at AS age FROM edgetill_log l JOIN edgetill_order o ON o.order_key = l.order_key
     WHERE l.kind = ? AND l.next_at <= ${clock} ORDER BY l.attempts, l.next_at LIMIT 50`,
    kind,
  )
  const update = (set: string) =>
    `UPDATE edgetill_log SET ${set} WHERE order_key = ? AND number = ? AND next_at = ? RETURNING next_at`
  for (const row of rows) {
    const names = [row.order_key, Number(row.number)]
    const put = update(`attempts = attempts + 1, next_at = ${clock} + ${forMs(row)}`)
    const [claimed] = await run<{ next_at: unknown }>(put, ...names, Number(row.next_at))
    if (!claimed) continue
    const { againInMs, error = null } = await work(row)
    const next = againInMs === undefined ? 'NULL' : `${clock} + ${againInMs}`
    await run(update(`error = ?, next_at = ${next}`), error, ...names, Number(claimed.next_at))
  }
}

/** Calls `onEvent` for the events that are due. Money calls do not wait for it. */
export async function deliverEvents({ tables, onEvent }: Scope): Promise<void> {
  if (!onEvent) return
  const pauseOf = ({ attempts }: DueRow) => pauseAfter(Number(attempts) + 1)
  // A call counts as a failure before it is made: code that ends its process is not called again at once.
  await doDue(
    tables,
    'event',
    (row) => ON_EVENT_MS + pauseOf(row),
    async (row) => {
      try {
        const { order } = await readOrder(tables, row.order_id)
        await callInTime(() => onEvent({ id: row.id, event: readEvent(JSON.parse(row.body).record) }, order))
        return {}
      } catch (error) {
        return { againInMs: pauseOf(row), error: errorText(error) }
      }
    },
  )
}
