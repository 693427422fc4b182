import { isFinal } from '../helpers/status.ts'
import { bookkeepingOf, withoutPerson } from '../money/personal-data.ts'
import { isOpen } from '../money/protocol.ts'
import { callInTime, errorText, ON_EVENT_MS, pauseAfter } from '../money/queue.ts'
import { needsPerson } from '../orders/needs-person.ts'
import type { OrderFlag } from '../orders/order.ts'
import { type Scope, unpack } from './events.ts'
import { ask, executed, play } from './move-money.ts'
import { type End, type Reading, type Row, readOrder, type TillAttempt } from './store.ts'

/** What a person should look at. */
export type TillAttention =
  /** It has not been known for ten minutes whether `attempt` was executed: `settleByHand`, or wait. */
  | { kind: 'operation_unsettled'; order_id: string; attempt: TillAttempt }
  /** An operation was settled, and its call ended otherwise later. `settleByHand` says which end counts. */
  | { kind: 'operation_contradicted'; order_id: string; id: string; settled: OperationEnd; late: OperationEnd }
  /** The order has flags: see `OrderFlag`. */
  | { kind: 'flag'; order_id: string; flags: OrderFlag[] }
  /** `onEvent` has failed five times or more; it is called again within six hours. */
  | { kind: 'on_event_failing'; order_id: string; event_id: string; attempts: number; error: string | null }
  /** A genuine event without an order_id. */
  | { kind: 'stray'; event_id: string; record: object }

/** How an operation ended; `record` where it was executed. */
export interface OperationEnd {
  outcome: string
  record?: object
}

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS

/** Does what is due: calls `onEvent`, and finds out what became of operations and payments. */
export async function settle(scope: Scope): Promise<void> {
  for (const kind of ['event', 'operation', 'payment', 'event'] as const) await doDue(scope, kind)
}

/** The first and the longest pause of each kind, and what is done. @returns Whether it is over. */
const DUE: Record<'event' | 'operation' | 'payment', [number, number, (scope: Scope, row: Row) => Promise<boolean>]> = {
  event: [1000, DAY_MS / 4, deliver],
  operation: [MINUTE_MS, DAY_MS, (scope, row) => look(scope, row, hasEnded)],
  // A payment that nobody has paid is given up after a week.
  payment: [
    15 * MINUTE_MS,
    DAY_MS,
    (scope, row) =>
      look(scope, row, ({ order, now }) => isFinal(order.status ?? '') || now - Number(row.written_at) > 7 * DAY_MS),
  ],
}

/** Does what is due of a kind, the least tried first. A row is put off before: one process alone does it, and none for ever. */
export async function doDue(scope: Scope, kind: keyof typeof DUE): Promise<void> {
  const { run, clock, onEvent } = scope
  if (kind === 'event' && !onEvent) return
  const [firstMs, maxMs, work] = DUE[kind]
  const due = `SELECT * FROM edgetill_log WHERE kind = ? AND next_at <= ${clock} ORDER BY attempts, next_at LIMIT 50`
  const update = (set: string) =>
    `UPDATE edgetill_log SET ${set} WHERE order_key = ? AND number = ? AND next_at = ? RETURNING next_at`
  for (const row of await run(due, kind)) {
    const names = [row.order_key, Number(row.number)]
    const pause = pauseAfter(Number(row.attempts) + 1, firstMs, maxMs)
    const put = update(`attempts = attempts + 1, next_at = ${clock} + ${pause + ON_EVENT_MS}`)
    const [claimed] = await run(put, ...names, Number(row.next_at))
    if (!claimed) continue
    const next = (isOver: boolean) => (isOver ? 'NULL' : `${clock} + ${pause}`)
    const [at, error] = await work(scope, row).then(
      (isOver) => [next(isOver), null],
      (error: unknown) => [next(false), errorText(error)],
    )
    await run(update(`error = ?, next_at = ${at}`), error as string | null, ...names, Number(claimed.next_at))
  }
}

/** Calls `onEvent`. Money calls do not wait for it. */
async function deliver(scope: Scope, { order_id, id, body }: Row): Promise<true> {
  const { order } = await readOrder(scope, order_id)
  await callInTime(() => scope.onEvent?.({ id, event: unpack(JSON.parse(body)) }, order))
  return true
}

/** Looks whether an operation or a payment is over: in its rows, else at the service. */
async function look(scope: Scope, row: Row, isOver: (reading: Reading, row: Row) => boolean): Promise<boolean> {
  const { order_id, id } = row
  const reading = await readOrder(scope, order_id)
  if (isOver(reading, row)) return true
  const isAsked = reading.made.some((one) => one.id === id && isOpen(one))
  await (isAsked ? play(scope, order_id, { type: 'check', id, mayAsk: true }) : ask(scope, reading))
  return isOver(await readOrder(scope, order_id), row)
}

/** Whether an operation has its final status. Of one that was settled by hand it is not known which it is. */
function hasEnded({ order, made }: Reading, row: Row): boolean {
  const own = made.find(({ id }) => id === row.id)
  if (!own || isOpen(own)) return false
  const shown = order.operations.find(({ id, method }) => id === own.operation_id && method === own.kind)
  return own.outcome !== 'done' || own.operation_id === undefined || isFinal(shown?.status ?? '')
}

/** What a person should look at, as it is now. */
export async function listAttention(scope: Scope): Promise<TillAttention[]> {
  const rows = await scope.run(
    `SELECT * FROM edgetill_log WHERE is_open = 1 OR (next_at IS NOT NULL AND kind = 'event' AND attempts >= 5)
     ORDER BY written_at`,
  )
  const found: TillAttention[] = []
  for (const order_id of new Set(rows.map((row) => row.order_id))) {
    if (order_id !== null) found.push(...attentionOf(await readOrder(scope, order_id)))
  }
  for (const { kind, order_id, id: event_id, body, attempts, next_at, error } of rows) {
    if (kind === 'stray') found.push({ kind, event_id, record: JSON.parse(body).record })
    const isFailing = kind === 'event' && next_at !== null && Number(attempts) >= 5
    if (isFailing) found.push({ kind: 'on_event_failing', order_id, event_id, attempts: Number(attempts), error })
  }
  return found
}

function attentionOf({ order_id, order, made, now }: Reading): TillAttention[] {
  const flags = order.flags.filter((flag) => needsPerson({ flags: [flag] }))
  const old = order.attempts.filter(({ started_at }) => now - Date.parse(started_at) >= 10 * MINUTE_MS)
  const endOf = (end: End): OperationEnd => ({ outcome: String(end.outcome), ...executed(end) })
  const ends = made.flatMap(({ late, ...one }) => (late ? { id: one.id, settled: endOf(one), late: endOf(late) } : []))
  return [
    ...old.map((attempt) => ({ kind: 'operation_unsettled', order_id, attempt }) as const),
    ...ends.map((end) => ({ kind: 'operation_contradicted', order_id, ...end }) as const),
    ...(flags.length > 0 ? [{ kind: 'flag', order_id, flags } as const] : []),
  ]
}

/** Removes a customer's data from what is stored of an order; its keys and what the books need stay. */
export async function eraseOrder(scope: Scope, order_id: string): Promise<void> {
  const { order_key } = await readOrder(scope, order_id)
  const rows = "SELECT * FROM edgetill_log WHERE order_key = ? AND kind <> 'operation'"
  for (const { number, kind, body } of await scope.run(rows, order_key)) {
    // The service's words may repeat what a customer entered.
    const { record, typed, url, answer, ...rest } = JSON.parse(body, (name, value) =>
      name === 'message' ? 'Removed.' : value,
    )
    const end = answer?.code === 'executed' ? { ...answer, record: withoutPerson(answer.record) } : answer
    const event = kind === 'event' && { record: bookkeepingOf(record, rest.summary), typed: { kind: typed.kind } }
    const erased = { ...rest, answer: end, ...(url !== undefined && { url: null }), ...event }
    const put = 'UPDATE edgetill_log SET body = ?, error = NULL WHERE order_key = ? AND number = ?'
    await scope.run(put, JSON.stringify(erased), order_key, Number(number))
  }
}
