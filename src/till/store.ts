import { ConfigError, isConfigError } from '../errors.ts'
import { sha256Async } from '../lib/sha256.ts'
import { LOST } from '../money/drive.ts'
import { isOpen, type MoneyOperation, type OrderState, versionOf } from '../money/protocol.ts'
import { foldSummaries } from '../orders/fold.ts'
import { needsPerson } from '../orders/needs-person.ts'
import type { Order } from '../orders/order.ts'
import { orderText } from '../orders/order-key.ts'
import { type EventSummary, readSummary } from '../orders/summary.ts'
import type { SqlValue, TillDatabase } from './database.ts'

const VERSION = 1
/**
 * `edgetill_log` is what happened to an order, in one sequence: whoever decides from an older state loses the insert, and decides again.
 *
 * | kind | id | name | is_open |
 * | --- | --- | --- | --- |
 * | event, stray | eventKey | what it reports | its order has a flag; it names no order |
 * | payment | empty, unless it was rejected | | |
 * | operation | of the attempt | hash of the key, unless nothing was sent | it has no end |
 * | end | of the attempt | | it contradicts an earlier one |
 * | listed: the service was asked what was made before | of the restored backup | | |
 *
 * `next_at`: when `onEvent` is called, or the service is asked; `attempts`: how often that was done.
 */
const TABLES = [
  'CREATE TABLE IF NOT EXISTS edgetill_version (version integer PRIMARY KEY, recovered_at bigint, backup_at bigint)',
  `CREATE TABLE IF NOT EXISTS edgetill_log (order_key text NOT NULL, number integer NOT NULL, order_id text, kind text NOT NULL,
    id text NOT NULL, written_at bigint NOT NULL, name text, is_open integer NOT NULL, body text NOT NULL, next_at bigint,
    attempts integer NOT NULL, error text, PRIMARY KEY (order_key, number))`,
  "CREATE UNIQUE INDEX IF NOT EXISTS edgetill_log_id ON edgetill_log (order_key, kind, id) WHERE kind <> 'end'",
  "CREATE UNIQUE INDEX IF NOT EXISTS edgetill_log_key ON edgetill_log (order_key, name) WHERE kind = 'operation'",
  "CREATE UNIQUE INDEX IF NOT EXISTS edgetill_log_one ON edgetill_log (order_key) WHERE kind = 'operation' AND is_open = 1",
  'CREATE INDEX IF NOT EXISTS edgetill_log_open ON edgetill_log (written_at) WHERE is_open = 1',
  'CREATE INDEX IF NOT EXISTS edgetill_log_due ON edgetill_log (kind, next_at) WHERE next_at IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS edgetill_log_first ON edgetill_log (written_at, order_key) WHERE number = 1',
]

/** The database failed: whether the statement was carried out is not known. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
}

/** The tables of a till. */
export interface Tables {
  readonly clock: string
  /** @throws {StorageError}, and the ConfigError of an adapter. */
  run<R = Row>(sql: string, ...values: SqlValue[]): Promise<readonly R[]>
}

export const runOn = (database: TillDatabase): Tables['run'] =>
  async function run<R>(sql: string, ...values: SqlValue[]) {
    try {
      return (await database.run(sql, values)) as readonly R[]
    } catch (cause) {
      if (isConfigError(cause)) throw cause
      const isMissing = /no such table|relation .* does not exist/.test(String((cause as Error | undefined)?.message))
      if (!isMissing) throw new StorageError('The database failed.', { cause })
      throw new ConfigError('database', 'It has no tables of the till: call `await till.migrate()` at start-up.', cause)
    }
  }

/** Makes the tables. Where several processes do it at once, Postgres lets one of two equal statements fail. */
export async function migrate(tables: Tables, left = 5): Promise<void> {
  const { run } = tables
  try {
    for (const sql of TABLES) await run(sql)
    await run('INSERT INTO edgetill_version (version) VALUES (?) ON CONFLICT DO NOTHING', VERSION)
  } catch (error) {
    if (left === 0 || isConfigError(error)) throw error
    return migrate(tables, left - 1)
  }
  const [newest] = await run<{ version: unknown }>('SELECT max(version) AS version FROM edgetill_version')
  if (Number(newest?.version) === VERSION) return
  throw new ConfigError('database', 'A newer edgetill has made the tables of this database: update this process too.')
}

type Kind = 'event' | 'payment' | 'operation' | 'end' | 'listed' | 'stray'

/** A row of `edgetill_log`, and what a query adds. A 64-bit integer may be a text. */
export type Row = Record<'order_key' | 'order_id' | 'id' | 'body', string> &
  Record<'number' | 'is_open' | 'written_at' | 'next_at' | 'attempts' | 'now' | 'recovered_at' | 'backup_at', unknown> &
  Record<'name' | 'error', string | null> & { kind: Kind }

/** Writes the next row of an order. @throws LOST where another process has written one since the order was read. */
export async function append(
  { run, clock }: Tables,
  order: { order_key: string; order_id: string | null; next: number },
  [kind, id, body]: readonly [Kind, id: string, body: object],
  {
    name = null,
    isOpen = false,
    dueInMs,
  }: { name?: string | null; isOpen?: boolean; dueInMs?: number | undefined } = {},
): Promise<undefined> {
  const rows = await run(
    `INSERT INTO edgetill_log (order_key, number, kind, id, order_id, written_at, name, is_open, body, next_at, attempts)
     VALUES (?, ?, ?, ?, ?, ${clock}, ?, ?, ?, ${dueInMs === undefined ? 'NULL' : `${clock} + ${dueInMs}`}, 0)
     ON CONFLICT DO NOTHING RETURNING number`,
    ...[order.order_key, order.next++, kind, id, order.order_id, name, Number(isOpen), JSON.stringify(body)],
  )
  if (rows.length === 0) throw LOST
}

/** Reads, decides and writes, and does it again where the order has changed meanwhile. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error !== LOST) throw error
    }
  }
}

/** An order as the till knows it. */
export interface TillOrder extends Order {
  order_id: string
  /** Captures, refunds and voids without an outcome. */
  attempts: TillAttempt[]
  /** The money that the order holds, as one word: for `ifVersion`. */
  version: string
  /** Where the customer pays, as long as it is known. */
  url: string | null
}

/** A capture, refund or void whose outcome is not known yet. */
export interface TillAttempt extends Pick<MoneyOperation, 'id' | 'kind' | 'amount'> {
  /** `in_progress`: no response yet, or its process died. `unknown`: no response confirmed it. */
  state: 'in_progress' | 'unknown'
  /** ISO 8601, UTC, by the database's clock. */
  started_at: string
}

/** What was asked for when a payment was created; `url` once it was. */
export interface Payment {
  terms: { mode: string; method: string; amount: number; currency: string; recurring_amount?: number }
  server_url?: string | undefined
  url?: string | null
}

/** How an operation ended. `late`: an end that contradicts it, and that no person has looked at. */
export type End = Pick<MoneyOperation, 'outcome' | 'answer' | 'operation_id'>
type Made = MoneyOperation & { late?: End | undefined }

/** An order as the database has it at one moment: `now` by its clock, `asked_at` by this machine's. */
export interface Reading extends Record<'next' | 'now' | 'asked_at', number> {
  order_key: string
  order_id: string
  payment: (Payment & Pick<Row, 'written_at'>) | undefined
  events: (EventSummary & Pick<Row, 'name'>)[]
  made: Made[]
  /** What the protocol decides from. */
  state: OrderState
  /** When a backup was restored. */
  recovered: string
  order: TillOrder
}

/** Reads an order in one statement, and closes the rows that are over. */
export async function readOrder({ run, clock }: Tables, order_id: string): Promise<Reading> {
  const order_key = await sha256Async(orderText(order_id))
  const asked_at = Date.now()
  const rows = await run(
    `SELECT ${clock} AS now, v.*, l.* FROM (SELECT max(recovered_at) AS recovered_at, max(backup_at) AS backup_at
     FROM edgetill_version) v LEFT JOIN edgetill_log l ON l.order_key = ? ORDER BY l.number`,
    order_key,
  )
  const { now, recovered_at, backup_at } = rows[0] as Row
  const of = (kind: Kind) => rows.flatMap((row) => (row.kind === kind ? { ...row, ...JSON.parse(row.body) } : []))
  const payment = of('payment').find(({ id }) => id === '')
  const stored = of('event')
  const events = stored.map(({ id, name, summary }) => ({ ...readSummary(id, summary), name }))
  const ends = of('end')
  const made: Made[] = of('operation').map((one) => ({ ...one, ...endOf(ends.filter(({ id }) => id === one.id)) }))
  const order = { ...foldSummaries(order_id, events, payment?.terms), order_id }
  for (const { is_open, kind, id, name, number } of rows) {
    const own = made.find((one) => one.id === id)
    const isOver = kind === 'event' ? !needsPerson(order) : own && !(kind === 'operation' ? isOpen(own) : own.late)
    if (Number(is_open) !== 1 || !isOver) continue
    const close = 'UPDATE edgetill_log SET is_open = 0, name = ? WHERE order_key = ? AND number = ?'
    // Another operation may begin now; where nothing was sent, under the same key too.
    await run(close, own?.outcome === 'not_sent' ? null : name, order_key, Number(number))
  }
  const recovered = String(recovered_at ?? '')
  // Of an order that the service has created for this till nothing was made before.
  const isOurs = payment?.url !== undefined && Number(payment.written_at) > Number(recovered)
  const isAsked = isOurs || of('listed').some(({ id }) => id === recovered)
  // What was made before the backup needs no key.
  const before = stored.filter(({ written_at }) => recovered !== '' && Number(written_at) <= Number(backup_at))
  const operation_ids = events.flatMap(({ operation_id }) => operation_id ?? [])
  const { totals, operations } = order
  return {
    ...{ order_key, order_id, now: Number(now), asked_at, payment, events, made, recovered },
    next: Number(rows.at(-1)?.number ?? 0) + 1,
    state: {
      order: { order_id, isKnown: rows[0]?.kind !== null, isAddressable: true, totals, operations, operation_ids },
      operations: [...made, ...before.flatMap(({ summary }) => summary.operation_id ?? []).map(nobodys)],
      ...(((recovered !== '' && !isOurs) || !isAsked) && { loss: { at: Number(recovered), isAsked } }),
    },
    order: {
      ...{ ...order, version: versionOf(order, made), url: payment?.url ?? null },
      attempts: made.filter(isOpen).map(({ id, kind, amount, outcome, started_at }) => ({
        ...{ id, kind, amount, state: outcome === undefined ? 'in_progress' : outcome },
        started_at: new Date(started_at).toISOString(),
      })) as TillAttempt[],
    },
  }
}

/** The end of an operation that counts: of two the one that a person has chosen, which is a third row, else the first. */
function endOf(ends: readonly End[]): (End & Pick<Made, 'late'>) | undefined {
  const [first, late, chosen] = ends.filter(({ outcome }) => outcome !== 'unknown')
  const end = chosen ?? first ?? ends[0]
  const { outcome, answer, operation_id } = end ?? {}
  return end && ({ outcome, answer, operation_id, late: chosen ? undefined : late } as End)
}

const nobodys = (id: string): MoneyOperation => ({
  ...{ id, operation_id: id, kind: 'refund', keyHash: '', fingerprint: '', amount: null, expected: 0, started_at: 0 },
  ...{ known: [], outcome: 'done' },
})
