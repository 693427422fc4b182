import type { Client } from '../client/client-methods.ts'
import { sha256Async } from '../lib/sha256.ts'
import { isOrderId } from '../orders/attempt-id.ts'
import { eventText } from '../orders/event-key.ts'
import { holdsMoney } from '../orders/fold.ts'
import { operationOf } from '../orders/identity.ts'
import { needsPerson } from '../orders/needs-person.ts'
import type { ExpectedPayment, OrderFlag } from '../orders/order.ts'
import { fieldsOf } from '../orders/summary.ts'
import type { OrderLookup } from '../outcome/look-up.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import type { SqlStatement, TillDatabase } from './database.ts'
import { again, LOST } from './drive.ts'
import type { OperationKind } from './protocol.ts'
import { ON_EVENT_MS, pauseAfter, type ReceivedEvent } from './queue.ts'
import { packed, unpacked } from './records.ts'
import {
  append,
  ONE,
  type Reading,
  type Row,
  readOrder,
  run,
  type StoredSummary,
  type StoreHooks,
  type TillOrder,
  update,
} from './store.ts'

/** The methods of a client that the till uses. */
export type TillClient = Pick<Client, `${'create' | 'cancel' | OperationKind}Payment` | keyof OrderLookup>

/** `client`: what `createClient` returns. `database`: `sqlite(…)`, `postgres(…)`, `d1(…)`, or your own. */
export interface TillOptions {
  client: TillClient
  database: TillDatabase
  /** Your code for an order's events. A process without it leaves them to the processes that have it. */
  onEvent?: OnTillEvent | undefined
  /** Whether stored records keep `cc_token`, which can be charged. Default false. */
  keepCardToken?: boolean | undefined
}

/**
 * Your code for a stored event. It is called once for each status of an operation, occasionally twice: make it
 * idempotent. If it throws or takes longer than 25 seconds, it is called again later. Rely on `order`, which is folded
 * from all events.
 */
export type OnTillEvent = (received: ReceivedEvent, order: TillOrder) => unknown

/** Hooks for the engine of a shop. */
export interface TillHooks extends StoreHooks {
  /** Copies an event before its row is written, and may add to its summary. @throws Then no row is written. */
  keep?(event: WebhookEvent, summary: StoredSummary, order_id: string): Promise<unknown>
  /** Statements that are written with an event's row. */
  beside?(order_id: string): SqlStatement[]
  /** Statements that are written with the address of a payment. */
  opened?(base_id: string): SqlStatement[]
  /** An order, as `onEvent` gets it. */
  shown?(reading: Reading): Promise<TillOrder>
  /** Flags of an order that only the shop knows, for its lists. */
  flagged?(attempts: readonly Reading[]): Promise<readonly OrderFlag[]>
  /** Set if a test moves the clock: no pause is then longer than a millisecond. */
  isTestClock?: boolean | undefined
  /** Logs a failure, or an unknown outcome. */
  log?(code: string, fields: Readonly<Record<string, unknown>>, error?: unknown): void
  /** The response to a failed call, which its key gets from then on. */
  responseTo?(
    error: unknown,
    outcome: 'unknown' | 'rejected' | 'not_sent',
    kind: OperationKind,
  ): { status: number; body: object }
}

export type TillScope = TillOptions & TillHooks

/** An event for `onEvent`, with its row and the order. */
export type DueEvent = { row: Row; event: WebhookEvent; order: TillOrder }

/**
 * The operation and status that an event reports: `onEvent` is called once for them. An event of an odd shape reports
 * only itself.
 */
function reportOf(summary: StoredSummary): string {
  const operation = summary.kind === 'unexpected' ? undefined : operationOf(summary)
  return operation ? JSON.stringify([operation, summary.status]) : summary.id
}

/**
 * `notify`: whether `onEvent` is called; `isClaimed`: by the caller, so that nobody else calls it in that time. `id`:
 * the event's, if its record has lost fields since it was received.
 */
type StoreOptions = { notify?: boolean; isClaimed?: boolean; expected?: ExpectedPayment | undefined; id?: string }

/**
 * Stores a genuine event: when this returns, the event is durable.
 * @returns The event, if its caller has claimed it for `onEvent`.
 */
export async function storeEvent(
  scope: TillScope,
  event: WebhookEvent,
  { notify = true, isClaimed = false, expected, id: known }: StoreOptions = {},
): Promise<DueEvent | undefined> {
  const { order_id } = recordOf(event)
  const id = known ?? (await sha256Async(eventText(event)))
  const summary: StoredSummary = { id, ...fieldsOf(event), ...(expected && { expected }) }
  const { kind, operation_id } = summary
  if (!isOrderId(order_id)) return storeStray(scope, id, packed(event, { id, kind }, undefined, scope.keepCardToken))
  const report = reportOf(summary)
  let isKept = false
  return again(async () => {
    const read = await readOrder(scope, order_id, '', [summary])
    const { order, events, calls, bases } = read
    if (events.some((one) => one.id === id)) return undefined
    if (!isKept) await scope.keep?.(event, summary, order_id)
    isKept = true
    const base = bases.find(({ record }) => operation_id !== undefined && record.operation_id === operation_id)
    const body = packed(event, summary, base, scope.keepCardToken)
    const isOpen = calls.some(({ late }) => late) ? 2 : needsPerson(order)
    // A response has its operation's id, and was not given to `onEvent`.
    const isReported = events.some((one) => reportOf(one) === report && !calls.some((own) => own.id === one.id))
    const isDue = notify && !isReported
    // The caller's own call is counted, and postpones the next one.
    const attempts = isDue && isClaimed && scope.onEvent ? 1 : 0
    const due = isDue && { dueInMs: attempts * (pauseAfter(1) + ON_EVENT_MS), attempts }
    const { id: _, ...fields } = summary
    const entry = { kind: 'event', id, summary: fields, body, isOpen, ...due } as const
    const beside = scope.beside?.(order_id) ?? []
    const isBeside = read.attempts.some(({ attempt }) => attempt !== read.attempt)
    if (isBeside && holdsMoney(order.totals)) beside.push(lookBeside(scope, read))
    const [row, ...rows] = await append(scope, read, entry, beside)
    const { number, written_at } = row
    const after = { ...read, events: [...events, { ...summary, number, written_at }] }
    scope.stored?.(after, rows)
    if (attempts === 0) return undefined
    return { row, event: unpacked(body, fields, base?.record), order: (await scope.shown?.(after)) ?? order }
  })
}

/** Makes the other payments of a paid order due now: a payment that can still be made is cancelled. */
const lookBeside = ({ database }: TillOptions, { base_id, attempt }: Reading): SqlStatement => [
  update(`next_at = ${database.clock}`, "order_id = ? AND kind = 'payment' AND id = '' AND attempt <> ?"),
  [base_id, attempt],
]

/** The event of a row. */
export async function eventIn(scope: TillOptions, { order_id, body, summary }: Row): Promise<WebhookEvent> {
  const stored = JSON.parse(body)
  const [base] = stored.of ? await run(scope, `SELECT body FROM edgetill_log WHERE ${ONE}`, order_id, stored.of) : []
  return unpacked(stored, JSON.parse(summary ?? '{}'), base && JSON.parse(base.body).answer?.record)
}

/** Stores an event without an order. A copy of a stored event loses the insert. */
async function storeStray(scope: TillOptions, id: string, body: object): Promise<undefined> {
  const place = { base_id: `stray/${id}`, attempt: 0, next: 0 }
  await append(scope, place, { kind: 'stray', id, body, isOpen: true }).catch(
    (error: unknown) => error === LOST || Promise.reject(error),
  )
}

/** Stores a genuine webhook that cannot be read. */
export async function receiveStray(scope: TillOptions, raw: string | { data: string; reason?: string }): Promise<void> {
  const { data, reason = 'unreadable' } = typeof raw === 'string' ? { data: raw } : raw
  await storeStray(scope, await sha256Async(data), { data: data.replaceAll('\0', ''), reason })
}
