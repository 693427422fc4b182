import { ConfigError, isConfigError } from '../errors.ts'
import { sha256Async } from '../lib/sha256.ts'
import { LOST } from '../money/drive.ts'
import { isOpen, type MoneyEnd, type MoneyOperation, type OrderState, versionOf } from '../money/protocol.ts'
import { describeUnsettled, type UnsettledOperation } from '../money/unsettled.ts'
import { foldSummaries } from '../orders/fold.ts'
import { needsPerson } from '../orders/needs-person.ts'
import type { ExpectedPayment, Order } from '../orders/order.ts'
import { orderText } from '../orders/order-key.ts'
import type { EventSummary } from '../orders/summary.ts'
import type { SqlValue, TillDatabase } from './database.ts'

const VERSION = 1
/**
 * `edgetill_log` is what happened to an order, in one sequence: whoever decides from an older state loses the insert, and decides again.
 * | kind | id | name | is_open |
 * | --- | --- | --- | --- |
 * | event, stray | eventKey | what it reports | its order has a flag; it names no order |
 * | payment | empty, unless it was rejected | | |
 * | operation | of the attempt | hash of the key, unless nothing was sent | it has no end |
 * | end | of the attempt | | it contradicts an earlier one |
 * `next_at`: when `onEvent` is called, or the service is asked; `attempts`: how often that was done.
 */
const TABLES = `
  CREATE TABLE edgetill_version (version integer PRIMARY KEY, recovered_at bigint, backup_at bigint);
  CREATE TABLE edgetill_log (order_key text NOT NULL, number integer NOT NULL, order_id text, kind text NOT NULL, id text NOT NULL,
    written_at bigint NOT NULL, name text, is_open integer NOT NULL, body text NOT NULL, next_at bigint, attempts integer NOT NULL,
    error text, PRIMARY KEY (order_key, number));
  CREATE UNIQUE INDEX edgetill_log_id ON edgetill_log (order_key, kind, id) WHERE kind <> 'end';
  CREATE UNIQUE INDEX edgetill_log_key ON edgetill_log (order_key, name) WHERE kind = 'operation';
  CREATE UNIQUE INDEX edgetill_log_one ON edgetill_log (order_key) WHERE kind = 'operation' AND is_open = 1;
  CREATE INDEX edgetill_log_open ON edgetill_log (written_at) WHERE is_open = 1;
  CREATE INDEX edgetill_log_due ON edgetill_log (kind, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX edgetill_log_first ON edgetill_log (written_at, order_key) WHERE number = 1`

type Tables = { database: TillDatabase }

/** Runs a statement. @throws {ConfigError} of an adapter, or where there are no tables; else it is not known what the database did. */
export async function run({ database }: Tables, sql: string, ...values: SqlValue[]): Promise<readonly Row[]> {
  try {
    return (await database.run(sql, values)) as readonly Row[]
  } catch (cause) {
    if (isConfigError(cause)) throw cause
    if (!/no such table|relation .* does not exist/.test(String((cause as Error | undefined)?.message)))
      throw Object.assign(new Error('The database failed.', { cause }), { name: 'StorageError' })
    throw new ConfigError('database', 'It has no tables: call `await till.migrate()` at start-up.', cause)
  }
}

/** Makes the tables. Where several processes do it at once, Postgres lets one of two equal statements fail. */
export async function migrate(tables: Tables): Promise<void> {
  const make = async () => {
    for (const sql of TABLES.split(';')) await run(tables, sql.replace(/TABLE|INDEX/, '$& IF NOT EXISTS'))
    await run(tables, 'INSERT INTO edgetill_version (version) VALUES (?) ON CONFLICT DO NOTHING', VERSION)
  }
  await make().catch(make).catch(make).catch(make).catch(make)
  const [newest] = await run(tables, 'SELECT max(version) AS number FROM edgetill_version')
  if (Number(newest?.number) === VERSION) return
  throw new ConfigError('database', 'A newer edgetill has made the tables: update this process too.')
}

type Kind = 'event' | 'payment' | 'operation' | 'end' | 'stray'

/** A row of `edgetill_log`, and what a query adds. A 64-bit integer may be a text. */
export type Row = Record<'order_key' | 'order_id' | 'id' | 'body', string> &
  Record<'number' | 'is_open' | 'attempts', number> &
  Record<'written_at' | 'next_at' | 'now' | 'recovered_at' | 'backup_at', SqlValue> &
  Record<'name' | 'error', string | null> & { kind: Kind }

type NewRow = { kind: Kind; id: string; body: object; name?: string | null; isOpen?: boolean; dueInMs?: number | null }
type Place = { order_key: string; order_id: string | null; next: number }

/** Writes the next row of an order. @throws LOST where another process has written one since the order was read. */
export async function append(tables: Tables, order: Place, row: NewRow): Promise<undefined> {
  const { kind, id, body, name = null, isOpen = false, dueInMs = null } = row
  const sql = `INSERT INTO edgetill_log (order_key, number, kind, id, order_id, written_at, name, is_open, body, next_at, attempts)
    VALUES (?, ?, ?, ?, ?, ${tables.database.clock}, ?, ?, ?, ${tables.database.clock} + ${dueInMs}, 0) ON CONFLICT DO NOTHING
    RETURNING number`
  const values = [order.order_key, order.next++, kind, id, order.order_id, name, Number(isOpen), JSON.stringify(body)]
  const rows = await run(tables, sql, ...values)
  if (rows.length === 0) throw LOST
}

export const ONE = 'WHERE order_key = ? AND number = ?'

/**
 * An order as the till knows it. `attempts`: captures, refunds and voids without an outcome. `version`: the money that it holds, as one
 * word, for `ifVersion`. `url`: where the customer pays, as long as it is known.
 */
export type TillOrder = Order & {
  order_id: string
  attempts: UnsettledOperation[]
  version: string
  url: string | null
}

/** The request that created a payment; `url` once it was. */
export type Payment = { terms: ExpectedPayment; server_url?: string | undefined; url?: string | null }

/** An order as the database has it at one moment: `now` by its clock, `asked_at` by this machine's; `state` is for the protocol. */
export interface Reading extends Record<'next' | 'now' | 'asked_at', number>, Record<'order_key' | 'order_id', string> {
  payment: (Payment & Row) | undefined
  events: (EventSummary & Pick<Row, 'name'>)[]
  made: readonly MoneyOperation[]
  state: OrderState
  order: TillOrder
}

/** Reads an order in one statement, and closes the rows that are over. `wasAsked`: the service, what was made before. */
export async function readOrder(tables: Tables, order_id: string, wasAsked = false): Promise<Reading> {
  const order_key = await sha256Async(orderText(order_id))
  const asked_at = Date.now()
  const sql = `SELECT ${tables.database.clock} AS now, v.*, l.* FROM (SELECT max(recovered_at) AS recovered_at, max(backup_at) AS
    backup_at FROM edgetill_version) v LEFT JOIN edgetill_log l ON l.order_key = ? ORDER BY l.number`
  const rows = await run(tables, sql, order_key)
  const [first] = rows as [Row]
  const of = (kind: Kind) => rows.flatMap((row) => (row.kind === kind ? { ...row, ...JSON.parse(row.body) } : []))
  const payment = of('payment').find(({ id }) => id === '')
  const events = of('event').map(({ summary, name, written_at }) => ({ ...summary, name, written_at }))
  const made: MoneyOperation[] = of('operation').map((one) => withEnd(one, of('end')))
  const order = { ...foldSummaries(order_id, events, payment?.terms), order_id }
  for (const row of rows.filter(({ is_open }) => Number(is_open) === 1)) {
    const own = made.find(({ id }) => id === row.id)
    const isOver = row.kind === 'event' ? !needsPerson(order) : own && !(row.kind === 'end' ? own.late : isOpen(own))
    // Another operation may begin now; where nothing was sent, under the same key too.
    const name = own?.outcome === 'not_sent' ? null : row.name
    if (isOver) await run(tables, `UPDATE edgetill_log SET is_open = 0, name = ? ${ONE}`, name, order_key, row.number)
  }
  // Of an order that the service has created for this till, nothing was made before; and it was asked before the first operation.
  const lostAt = Number(first.recovered_at)
  const isOurs = payment?.url !== undefined && Number(payment.written_at) > lostAt
  const isAsked = wasAsked || isOurs || made.some(({ started_at }) => started_at > lostAt)
  // An operation from before the backup needs no key.
  const kept = events.filter(({ written_at }) => Number(written_at) <= Number(first.backup_at))
  const idsOf = (some: typeof events) => some.flatMap(({ operation_id }) => operation_id ?? [])
  const state: OrderState = {
    order: { ...order, isKnown: first.kind !== null, isAddressable: true, operation_ids: idsOf(events) },
    operations: made,
    ...(((lostAt > 0 && !isOurs) || !isAsked) && { loss: { at: lostAt, isAsked, kept: idsOf(kept) } }),
  }
  const place = { order_key, order_id, next: Number(rows.at(-1)?.number ?? 0) + 1, now: Number(first.now), asked_at }
  const attempts = made.filter(isOpen).map(describeUnsettled)
  const shown = { ...order, attempts, version: versionOf(order, made), url: payment?.url ?? null }
  return { ...place, payment, events, made, state, order: shown }
}

/** With the end that counts: of two the one that a person has chosen, which is a third row, else the first. */
function withEnd(operation: MoneyOperation, rows: readonly MoneyOperation[]): MoneyOperation {
  const ends = rows.filter(({ id }) => id === operation.id)
  const [first = ends[0], late, chosen] = ends.filter(({ outcome }) => outcome !== 'unknown')
  const { outcome, answer, operation_id } = chosen ?? first ?? operation
  return { ...operation, outcome, answer, operation_id, late: chosen ? undefined : (late as MoneyEnd | undefined) }
}
