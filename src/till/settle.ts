import { isFinal } from '../helpers/status.ts'
import { bookkeepingOf, withoutPerson } from '../money/personal-data.ts'
import { isOpen } from '../money/protocol.ts'
import { callInTime, errorText, ON_EVENT_MS, pauseAfter } from '../money/queue.ts'
import { hasEnded, type UnsettledOperation } from '../money/unsettled.ts'
import { needsPerson } from '../orders/needs-person.ts'
import type { OrderFlag } from '../orders/order.ts'
import type { Scope } from './events.ts'
import { ask, executed, play } from './move-money.ts'
import { type End, ONE, type Reading, type Row, readOrder } from './store.ts'
import { restored } from './stored-event.ts'

/** Entries that a person should look at. */
export type TillAttention =
  /** It has not been known for ten minutes whether `attempt` was executed: `settleByHand`, or wait. */
  | { kind: 'operation_unsettled'; order_id: string; attempt: UnsettledOperation }
  /** An operation was settled, and its call ended otherwise later. `settleByHand` says which end counts. */
  | { kind: 'operation_contradicted'; order_id: string; id: string; settled: OperationEnd; late: OperationEnd }
  /** The order has flags: see `OrderFlag`. */
  | { kind: 'flag'; order_id: string; flags: OrderFlag[] }
  /** `onEvent` has failed five times or more; it is called again within six hours. */
  | { kind: 'on_event_failing'; order_id: string; event_id: string; attempts: number; error: string | null }
  /** A genuine event without an order_id. */
  | { kind: 'stray'; event_id: string; record: object }

/** How an operation ended; `record` where it was executed. */
export type OperationEnd = { outcome: string; record?: object }

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS

/** @returns Whether a row is over. */
const WORK: Record<'event' | 'operation' | 'payment', (scope: Scope, row: Row) => Promise<boolean>> = {
  async event(scope, { order_id, id, body }) {
    const { order } = await readOrder(scope, order_id)
    await callInTime(() => scope.onEvent?.({ id, event: restored(JSON.parse(body)) }, order))
    return true
  },
  operation: (scope, row) =>
    look(scope, row, ({ made, order }) => made.some((one) => one.id === row.id && hasEnded(one, order.operations))),
  // A payment that nobody has paid is given up after a week.
  payment: (scope, row) =>
    look(scope, row, ({ order, now }) => isFinal(order.status ?? '') || now - Number(row.written_at) > 7 * DAY_MS),
}
/** How soon, and how late at most, it is done again. */
const PAUSES = { event: [1000, DAY_MS / 4], operation: [MINUTE_MS, DAY_MS], payment: [15 * MINUTE_MS, DAY_MS] } as const

/** Does what is due of a kind, the least tried first. A row is put off before: one process alone does it, and none for ever. */
export async function doDue(scope: Scope, kind: keyof typeof WORK): Promise<void> {
  const { run, database, onEvent } = scope
  if (kind === 'event' && !onEvent) return
  const { clock } = database
  const due = `SELECT * FROM edgetill_log WHERE kind = ? AND next_at <= ${clock} ORDER BY attempts, next_at LIMIT 50`
  const update = (set: string) => `UPDATE edgetill_log SET ${set} ${ONE} AND next_at = ? RETURNING next_at`
  for (const row of await run(due, kind)) {
    const place = [row.order_key, Number(row.number)]
    const pause = pauseAfter(Number(row.attempts) + 1, ...PAUSES[kind])
    const put = update(`attempts = attempts + 1, next_at = ${clock} + ${pause + ON_EVENT_MS}`)
    const [claimed] = await run(put, ...place, Number(row.next_at))
    if (!claimed) continue
    const later = `${clock} + ${pause}`
    const done = WORK[kind](scope, row).then((isOver) => [isOver ? 'NULL' : later, null] as const)
    const [next, error] = await done.catch((error: unknown) => [later, errorText(error)] as const)
    await run(update(`error = ?, next_at = ${next}`), error, ...place, Number(claimed.next_at))
  }
}

/** Looks whether an operation or a payment is over: in its rows, else at the service. */
async function look(scope: Scope, row: Row, isOver: (reading: Reading) => boolean): Promise<boolean> {
  const { order_id, id } = row
  const reading = await readOrder(scope, order_id)
  if (isOver(reading)) return true
  const isAsked = reading.made.some((one) => one.id === id && isOpen(one))
  await (isAsked ? play(scope, order_id, { type: 'check', id, mayAsk: true }) : ask(scope, reading))
  return isOver(await readOrder(scope, order_id))
}

/** The entries that a person should look at, as they are now. */
export async function listAttention(scope: Scope): Promise<TillAttention[]> {
  const rows = await scope.run(
    "SELECT * FROM edgetill_log WHERE is_open = 1 OR kind = 'event' AND next_at > 0 AND attempts > 4 ORDER BY written_at",
  )
  const found: TillAttention[] = []
  const endOf = (end: End): OperationEnd => ({ outcome: String(end.outcome), ...executed(end) })
  for (const order_id of new Set(rows.flatMap((row) => row.order_id ?? []))) {
    const { order, made, now } = await readOrder(scope, order_id)
    for (const attempt of order.attempts)
      if (now - Date.parse(attempt.started_at) >= 10 * MINUTE_MS)
        found.push({ kind: 'operation_unsettled', order_id, attempt })
    for (const { late, ...one } of made)
      if (late)
        found.push({ kind: 'operation_contradicted', order_id, id: one.id, settled: endOf(one), late: endOf(late) })
    const flags = order.flags.filter((flag) => needsPerson({ flags: [flag] }))
    if (flags.length > 0) found.push({ kind: 'flag', order_id, flags })
  }
  for (const { kind, order_id, id: event_id, body, attempts: count, next_at, error } of rows) {
    const attempts = Number(count)
    if (kind === 'stray') found.push({ kind, event_id, record: JSON.parse(body).record })
    if (kind === 'event' && next_at !== null && attempts >= 5)
      found.push({ kind: 'on_event_failing', order_id, event_id, attempts, error })
  }
  return found
}

/** Removes a customer's data from what is stored of an order; its keys and what the books need stay. */
export async function eraseOrder(scope: Scope, order_id: string): Promise<void> {
  const { order_key } = await readOrder(scope, order_id)
  const rows = await scope.run("SELECT * FROM edgetill_log WHERE order_key = ? AND kind <> 'operation'", order_key)
  for (const row of rows) {
    // The service's words may repeat what a customer entered.
    const stored = JSON.parse(row.body, (name, value) => (name === 'message' ? 'Removed.' : value))
    const { record, typed, answer } = stored
    if (row.kind === 'event')
      Object.assign(stored, { record: bookkeepingOf(record, stored.summary), typed: { kind: typed.kind } })
    if (answer?.code === 'executed') answer.record = withoutPerson(answer.record)
    if (stored.url) stored.url = null
    const put = `UPDATE edgetill_log SET body = ?, error = NULL ${ONE}`
    await scope.run(put, JSON.stringify(stored), order_key, Number(row.number))
  }
}
