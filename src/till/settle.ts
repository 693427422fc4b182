import { isFinal } from '../helpers/status.ts'
import { bookkeepingOf, withoutPerson } from '../money/personal-data.ts'
import { isOpen, type MoneyAnswer } from '../money/protocol.ts'
import { callInTime, errorText, ON_EVENT_MS, pauseAfter } from '../money/queue.ts'
import { hasEnded, type UnsettledOperation } from '../money/unsettled.ts'
import { needsPerson } from '../orders/needs-person.ts'
import { restored, type TillOptions } from './events.ts'
import { ask, type Moved, movedOf, play } from './move-money.ts'
import { ONE, type Row, readOrder, run, type TillOrder } from './store.ts'

/** Entries that a person should look at. */
export type TillAttention =
  /** It has not been known for ten minutes whether `attempt` was executed: `settleByHand`, or wait. */
  | { kind: 'operation_unsettled'; order_id: string; attempt: UnsettledOperation }
  /** An operation was settled, and its call ended otherwise later. `settleByHand` says which end counts. */
  | { kind: 'operation_contradicted'; order_id: string; id: string; settled: Moved; late: Moved }
  | { kind: 'flag'; order_id: string; flags: TillOrder['flags'] }
  /** `onEvent` has failed five times or more; it is called again within six hours. */
  | { kind: 'on_event_failing'; order_id: string; event_id: string; attempts: number; error: string | null }
  /** A genuine event without an order_id. */
  | { kind: 'stray'; event_id: string; record: object }

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS
/** How soon, and how late at most, it is done again. */
const PAUSES = { event: [1000, DAY_MS / 4], operation: [MINUTE_MS, DAY_MS], payment: [15 * MINUTE_MS, DAY_MS] } as const

/** Does what is due of a kind, the least tried first. A row is put off before: one process alone does it, and none for ever. */
export async function doDue(scope: TillOptions, kind: 'event' | 'operation' | 'payment'): Promise<void> {
  if (kind === 'event' && !scope.onEvent) return
  const { clock } = scope.database
  const due = `SELECT * FROM edgetill_log WHERE kind = ? AND next_at <= ${clock} ORDER BY attempts, next_at LIMIT 50`
  const update = (set: string) => `UPDATE edgetill_log SET ${set} ${ONE} AND next_at = ? RETURNING next_at`
  for (const row of await run(scope, due, kind)) {
    const { order_key, number, body, next_at, attempts } = row
    const later = `${clock} + ${pauseAfter(attempts + 1, ...PAUSES[kind])}`
    const claim = update(`attempts = attempts + 1, next_at = ${later} + ${ON_EVENT_MS}`)
    const [claimed] = await run(scope, claim, order_key, number, next_at)
    if (!claimed) continue
    const done = isDone(scope, row).then((isOver) => [isOver ? 'NULL' : later, null])
    const [next, error = null] = await done.catch((error: unknown) => [later, errorText(error)])
    // It may name what was erased meanwhile.
    const end = update(`error = CASE WHEN body = ? THEN ? END, next_at = ${next}`)
    await run(scope, end, body, error, order_key, number, claimed.next_at)
  }
}

/** Calls `onEvent`, or looks whether an operation or a payment is over: in its rows, else at the service. */
async function isDone(scope: TillOptions, row: Row, mayAsk = true): Promise<boolean> {
  const { kind, order_id, id, body, written_at } = row
  const reading = await readOrder(scope, order_id)
  const { made, order, now } = reading
  const call = () => scope.onEvent?.({ id, event: restored(JSON.parse(body)) }, order)
  if (kind === 'event') return callInTime(call).then(() => true)
  const own = made.find((one) => one.id === id)
  // A payment that nobody has paid is given up after a week.
  const isPast = kind === 'payment' && (isFinal(order.status ?? '') || now - Number(written_at) > 7 * DAY_MS)
  const isOver = isPast || (own !== undefined && hasEnded(own, order.operations))
  if (isOver || !mayAsk) return isOver
  if (own && isOpen(own)) await play(scope, order_id, { type: 'check', id, mayAsk })
  else await ask(scope, reading, own && [own.kind])
  return isDone(scope, row, false)
}

/** The entries that a person should look at, as they are now. */
export async function listAttention(scope: TillOptions): Promise<TillAttention[]> {
  const sql = `SELECT * FROM edgetill_log WHERE is_open = 1 OR kind = 'event' AND next_at > 0 AND attempts > 4 ORDER BY written_at`
  const rows = await run(scope, sql)
  const found: TillAttention[] = []
  for (const order_id of new Set(rows.flatMap((row) => row.order_id ?? []))) {
    const { order, made, now } = await readOrder(scope, order_id)
    const old = order.attempts.filter(({ started_at }) => now - Date.parse(started_at) >= 10 * MINUTE_MS)
    found.push(...old.map((attempt) => ({ kind: 'operation_unsettled' as const, order_id, attempt })))
    for (const { id, late, answer } of made) {
      const ends = late && { settled: movedOf(answer as MoneyAnswer), late: movedOf(late.answer) }
      if (ends) found.push({ kind: 'operation_contradicted', order_id, id, ...ends })
    }
    const flags = order.flags.filter((flag) => needsPerson({ flags: [flag] }))
    if (flags.length > 0) found.push({ kind: 'flag', order_id, flags })
  }
  for (const { kind, order_id, id: event_id, body, attempts, next_at, error } of rows) {
    if (kind === 'stray') found.push({ kind, event_id, record: JSON.parse(body).record })
    if (kind === 'event' && next_at !== null && attempts > 4)
      found.push({ kind: 'on_event_failing', order_id, event_id, attempts, error })
  }
  return found
}

/** Removes a customer's data from what is stored of an order; its keys and what the books need stay. */
export async function eraseOrder(scope: TillOptions, order_id: string): Promise<void> {
  const { order_key } = await readOrder(scope, order_id)
  const rows = await run(scope, "SELECT * FROM edgetill_log WHERE order_key = ? AND kind <> 'operation'", order_key)
  for (const row of rows) {
    // The service's words may repeat what a customer entered.
    const cut = (name: string, value: unknown) => (name === 'message' ? 'Removed.' : name === 'url' ? null : value)
    const stored = JSON.parse(row.body, cut)
    const { record, fields, answer } = stored
    if (fields) Object.assign(stored, { record: bookkeepingOf(record, stored.summary), fields: { kind: fields.kind } })
    if (answer?.code === 'executed') answer.record = withoutPerson(answer.record)
    const sql = `UPDATE edgetill_log SET body = ?, error = NULL ${ONE}`
    await run(scope, sql, JSON.stringify(stored), order_key, row.number)
  }
}
