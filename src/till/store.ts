import { ConfigError, isConfigError } from '../errors.ts'
import { isOpen, type MoneyOperation, versionOf } from '../money/protocol.ts'
import { foldSummaries } from '../orders/fold.ts'
import type { Order } from '../orders/order.ts'
import { orderKey } from '../orders/order-key.ts'
import { type EventSummary, readSummary } from '../orders/summary.ts'
import type { SqlValue, TillDatabase } from './database.ts'

const VERSION = 1
/**
 * `edgetill_log` is what happened to an order, in one sequence: whoever decides from an older state loses the insert, and decides again.
 *
 * | kind | id | name | is_open |
 * | --- | --- | --- | --- |
 * | event, stray | eventKey | operationKey | it has a flag; it names no order |
 * | payment | empty, unless it was rejected | | |
 * | operation | of the attempt | hash of the key, unless nothing was sent | it has no end |
 * | unknown, end | of the attempt | | |
 * | late: an end after the end | of the attempt | which of the two counts | no person has said so |
 *
 * `next_at`: when `onEvent` is called, or the service is asked; `attempts`: how often that was done.
 */
const TABLES = [
  'CREATE TABLE IF NOT EXISTS edgetill_version (version integer PRIMARY KEY, recovered_at bigint)',
  `CREATE TABLE IF NOT EXISTS edgetill_order (order_key text PRIMARY KEY, order_id text NOT NULL, created_at bigint NOT NULL,
    listed_at bigint, lost_at bigint, backup_at bigint)`,
  `CREATE TABLE IF NOT EXISTS edgetill_log (order_key text NOT NULL, number integer NOT NULL, kind text NOT NULL, id text NOT NULL,
    written_at bigint NOT NULL, name text, is_open integer NOT NULL, body text NOT NULL, next_at bigint, attempts integer NOT NULL,
    error text, PRIMARY KEY (order_key, number))`,
  'CREATE UNIQUE INDEX IF NOT EXISTS edgetill_log_id ON edgetill_log (order_key, kind, id)',
  "CREATE UNIQUE INDEX IF NOT EXISTS edgetill_log_key ON edgetill_log (order_key, name) WHERE kind = 'operation'",
  "CREATE UNIQUE INDEX IF NOT EXISTS edgetill_log_one ON edgetill_log (order_key) WHERE kind = 'operation' AND is_open = 1",
  'CREATE INDEX IF NOT EXISTS edgetill_log_open ON edgetill_log (written_at) WHERE is_open = 1',
  'CREATE INDEX IF NOT EXISTS edgetill_log_due ON edgetill_log (kind, next_at) WHERE next_at IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS edgetill_order_created ON edgetill_order (created_at, order_key)',
]

/** The database failed: whether the statement was carried out is not known. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
}

/** The tables of a till. */
export interface Tables {
  readonly clock: string
  /** @throws {StorageError}, and the ConfigError of an adapter. */
  run<Row = unknown>(sql: string, ...values: SqlValue[]): Promise<readonly Row[]>
}

export const openTables = (database: TillDatabase): Tables => ({
  get clock() {
    return database.clock
  },
  async run<Row>(sql: string, ...values: SqlValue[]) {
    try {
      return (await database.run(sql, values)) as readonly Row[]
    } catch (cause) {
      if (isConfigError(cause)) throw cause
      const isMissing = /no such table|relation .* does not exist/.test(String((cause as Error | undefined)?.message))
      if (!isMissing) throw new StorageError('The database failed.', { cause })
      throw new ConfigError('database', 'It has no tables of the till: call `await till.migrate()` at start-up.', cause)
    }
  },
})

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

/** Makes the row of an order. What is first seen after a backup was restored may have been made before. */
export const addOrder = ({ run, clock }: Tables, { order_key, order_id }: Reading): Promise<unknown> =>
  run(
    `INSERT INTO edgetill_order (order_key, order_id, created_at, lost_at)
     VALUES (?, ?, ${clock}, (SELECT max(recovered_at) FROM edgetill_version)) ON CONFLICT DO NOTHING`,
    ...[order_key, order_id],
  )

type Kind = 'event' | 'payment' | 'operation' | 'unknown' | 'end' | 'late' | 'stray'
interface NewRow {
  kind: Kind
  id: string
  body: object
  name?: string | null
  isOpen?: boolean
  dueInMs?: number | undefined
}

/** Writes the next row of an order. @returns False where another process has written one since the order was read. */
export async function append(tables: Tables, order: Reading, row: NewRow): Promise<boolean> {
  const { run, clock } = tables
  const { kind, id, body, name = null, isOpen = false, dueInMs } = row
  if (order.next === 1) await addOrder(tables, order)
  const rows = await run(
    `INSERT INTO edgetill_log (order_key, number, kind, id, written_at, name, is_open, body, next_at, attempts)
     VALUES (?, ?, ?, ?, ${clock}, ?, ?, ?, ${dueInMs === undefined ? 'NULL' : `${clock} + ${dueInMs}`}, 0)
     ON CONFLICT DO NOTHING RETURNING number`,
    ...[order.order_key, order.next++, kind, id, name, Number(isOpen), JSON.stringify(body)],
  )
  return rows.length === 1
}

/** An order of the till. Amounts are the wire's numbers, totals are minor units. */
export interface TillOrder extends Order {
  order_id: string
  /** Captures, refunds and voids without a final outcome. */
  attempts: TillAttempt[]
  /** What money the order holds, as one word: for `ifVersion`. */
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

/** What was asked for when the payment was created, and where it can be paid. */
export interface Payment {
  terms: { mode: string; method: string; amount: number; currency: string; recurring_amount?: number }
  server_url?: string | undefined
  url?: string | null
}

/** How an operation ended. */
export type End = Pick<MoneyOperation, 'outcome' | 'answer' | 'operation_id'>

/** An order as the database has it at one moment. */
export interface Reading {
  order_key: string
  order_id: string
  /** The number of its next row. */
  next: number
  /** By the database's clock, at the moment `asked_at` of this machine's. */
  now: number
  asked_at: number
  row: { order_id: string | null; listed_at: unknown; lost_at: unknown; backup_at: unknown }
  payment: (Payment & Pick<LogRow, 'written_at'>) | undefined
  events: (EventSummary & Pick<LogRow, 'name' | 'written_at'>)[]
  operations: MoneyOperation[]
  /** Ends that contradict an earlier one, and that no person has looked at. */
  late: { id: string; end: End }[]
  order: TillOrder
}

/** A 64-bit integer may be a text. */
interface LogRow {
  number: unknown
  kind: Kind | null
  id: string
  name: string | null
  is_open: unknown
  written_at: unknown
  body: string
}

/** Reads an order, in one statement. */
export async function readOrder(tables: Tables, order_id: string): Promise<Reading> {
  const order_key = orderKey(order_id)
  const asked_at = Date.now()
  const rows = await tables.run<Reading['row'] & LogRow & { now: unknown }>(
    `SELECT ${tables.clock} AS now, o.order_id, o.listed_at, o.lost_at, o.backup_at, l.*
     FROM (SELECT CAST(? AS text) AS wanted) q
     LEFT JOIN edgetill_order o ON o.order_key = wanted LEFT JOIN edgetill_log l ON l.order_key = wanted ORDER BY l.number`,
    order_key,
  )
  const row = rows[0] as (typeof rows)[0]
  const of = (kind: Kind) => rows.flatMap((one) => (one.kind === kind ? { ...one, ...JSON.parse(one.body) } : []))
  const late: (LogRow & End)[] = of('late')
  // Of two ends the one counts that a person has named.
  const chosen = late.filter(({ name, outcome }) => name !== null && (name === 'executed') === (outcome === 'done'))
  const ends = new Map([...of('unknown'), ...of('end'), ...chosen].map((end) => [end.id, endOf(end)]))
  const made: (Omit<LogRow, 'kind'> & MoneyOperation)[] = of('operation').map((one) => ({
    ...one,
    ...ends.get(one.id),
  }))
  const events = of('event').map(({ id, name, written_at, summary }) => ({
    ...readSummary(id, summary),
    name,
    written_at,
  }))
  const payment = of('payment').find(({ id }) => id === '')
  const order = foldSummaries(order_id, events, payment?.terms)
  for (const one of made) {
    // Its process died after it had written the end.
    if (Number(one.is_open) === 1 && !isOpen(one)) await close(tables, order_key, one)
  }
  return {
    ...{ order_key, order_id, now: Number(row.now), asked_at, row, payment, events, operations: made },
    next: Number(rows.at(-1)?.number ?? 0) + 1,
    late: late.flatMap((one) => (one.name === null ? { id: one.id, end: endOf(one) } : [])),
    order: {
      ...{ ...order, order_id, version: versionOf({ ...order, order_id }, made), url: payment?.url ?? null },
      attempts: made.filter(isOpen).map(attemptOf),
    },
  }
}

const endOf = ({ outcome, answer, operation_id }: End): End => ({ outcome, answer, operation_id }) as End

const attemptOf = ({ id, kind, amount, outcome, started_at }: MoneyOperation): TillAttempt => ({
  ...{ id, kind, amount, state: outcome === undefined ? 'in_progress' : 'unknown' },
  started_at: new Date(started_at).toISOString(),
})

/** Writes what a call said, or how its operation ended. @returns False where the order has changed meanwhile. */
export async function writeEnd(tables: Tables, order: Reading, operation: MoneyOperation): Promise<boolean> {
  const kind = operation.outcome === 'unknown' ? 'unknown' : 'end'
  if (!(await append(tables, order, { kind, id: operation.id, body: endOf(operation) }))) return false
  if (kind === 'end') await close(tables, order.order_key, operation)
  return true
}

/** Lets another operation of the order begin; where nothing was sent, under the same key too. */
async function close(
  { run }: Tables,
  order_key: string,
  { id, outcome }: Pick<MoneyOperation, 'id' | 'outcome'>,
): Promise<void> {
  const freed = outcome === 'not_sent' ? ', name = NULL' : ''
  await run(
    `UPDATE edgetill_log SET is_open = 0${freed} WHERE order_key = ? AND kind = 'operation' AND id = ?`,
    order_key,
    id,
  )
}
