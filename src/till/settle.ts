import { isFinal } from '../helpers/status.ts'
import { bookkeepingOf, withoutPerson } from '../money/personal-data.ts'
import type { MoneyOperation } from '../money/protocol.ts'
import type { OrderFlag } from '../orders/order.ts'
import { type DueRow, deliverEvents, doDue, needsPerson } from './events.ts'
import { list, type MoneyScope, play } from './move-money.ts'
import { type End, type Reading, readOrder, StorageError, type Tables, type TillAttempt } from './store.ts'

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
export async function settle(scope: MoneyScope): Promise<void> {
  // A payment that nobody has paid is given up after a week.
  const isOver = ({ order }: Reading, { age }: DueRow) => isFinal(order.status ?? '') || Number(age) > 7 * DAY_MS
  await deliverEvents(scope)
  await look(scope, 'operation', MINUTE_MS, hasEnded)
  await look(scope, 'payment', 15 * MINUTE_MS, isOver)
  await deliverEvents(scope)
}

/** Looks at what is due, and again after as long as it has waited, at most a day. An outage of the service is no error. */
async function look(
  scope: MoneyScope,
  kind: 'operation' | 'payment',
  minMs: number,
  isOver: (reading: Reading, row: DueRow) => boolean | undefined,
): Promise<void> {
  const pauseOf = ({ age }: DueRow) => Math.min(Math.max(Math.round(Number(age)), minMs), DAY_MS)
  await doDue(scope.tables, kind, pauseOf, async (row) => {
    const { order_id, id } = row
    const reading = await readOrder(scope.tables, order_id)
    const before = isOver(reading, row)
    if (before) return {}
    try {
      if (before === undefined) await play(scope, order_id, { type: 'check', id, mayAsk: true })
      else await list(scope, reading)
    } catch (error) {
      if (error instanceof StorageError) throw error
    }
    return isOver(await readOrder(scope.tables, order_id), row) ? {} : { againInMs: pauseOf(row) }
  })
}

/** Whether an operation has its final status; undefined where it has no outcome. Of one that was settled by hand it is not known which it is. */
function hasEnded({ order, operations }: Reading, row: DueRow): boolean | undefined {
  const { outcome, operation_id, kind } = operations.find(({ id }) => id === row.id) as MoneyOperation
  if (outcome === undefined || outcome === 'unknown') return undefined
  if (outcome !== 'done' || operation_id === undefined) return true
  return isFinal(order.operations.find(({ id, method }) => id === operation_id && method === kind)?.status ?? '')
}

/** What a person should look at, as it is now. */
export async function listAttention({ tables }: MoneyScope): Promise<TillAttention[]> {
  const rows = await tables.run<DueRow & { kind: string; error: string | null }>(
    `SELECT l.*, o.order_id FROM edgetill_log l LEFT JOIN edgetill_order o ON o.order_key = l.order_key
     WHERE l.is_open = 1 OR (l.next_at IS NOT NULL AND l.kind = 'event' AND l.attempts >= 5) ORDER BY l.written_at`,
  )
  const found: TillAttention[] = []
  for (const order_id of new Set(rows.map((row) => row.order_id))) {
    if (order_id !== null) found.push(...attentionOf(await readOrder(tables, order_id)))
  }
  for (const { kind, order_id, id: event_id, body, attempts, next_at, error } of rows) {
    if (kind === 'stray') found.push({ kind, event_id, record: JSON.parse(body).record })
    const isFailing = kind === 'event' && next_at !== null && Number(attempts) >= 5
    if (isFailing) found.push({ kind: 'on_event_failing', order_id, event_id, attempts: Number(attempts), error })
  }
  return found
}

function attentionOf({ order_id, order, operations, late, now }: Reading): TillAttention[] {
  const flags = order.flags.filter(needsPerson)
  const old = order.attempts.filter(({ started_at }) => now - Date.parse(started_at) >= 10 * MINUTE_MS)
  return [
    ...old.map((attempt) => ({ kind: 'operation_unsettled', order_id, attempt }) as const),
    ...late.map(({ id, end }) => {
      const settled = endOf(operations.find((one) => one.id === id) as End)
      return { kind: 'operation_contradicted', order_id, id, settled, late: endOf(end) } as const
    }),
    ...(flags.length > 0 ? [{ kind: 'flag', order_id, flags } as const] : []),
  ]
}

const endOf = ({ outcome, answer }: End): OperationEnd => ({
  outcome: String(outcome),
  ...(answer?.code === 'executed' && { record: answer.record }),
})

/** Removes a customer's data from what is stored of an order; its keys and what the books need stay. */
export async function eraseOrder(tables: Tables, order_id: string): Promise<void> {
  const { order_key } = await readOrder(tables, order_id)
  const rows = await tables.run<DueRow & { kind: string }>(
    "SELECT * FROM edgetill_log WHERE order_key = ? AND kind <> 'operation'",
    order_key,
  )
  for (const { number, kind, body } of rows) {
    // The service's words may repeat what a customer entered.
    const {
      record,
      answer,
      url: _,
      ...rest
    } = JSON.parse(body, (name, value) => (name === 'message' ? 'Removed.' : value))
    const end = answer?.code === 'executed' ? { ...answer, record: withoutPerson(answer.record) } : answer
    const erased = { ...rest, answer: end, ...(kind === 'event' && { record: bookkeepingOf(record, rest.summary) }) }
    await tables.run(
      'UPDATE edgetill_log SET body = ?, error = NULL WHERE order_key = ? AND number = ?',
      ...[JSON.stringify(erased), order_key, Number(number)],
    )
  }
}
