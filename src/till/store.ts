import { merchantOf } from '../client/merchant.ts'
import { ConfigError, isConfigError } from '../errors.ts'
import { attemptId, attemptOf, baseOrderId, storedId } from '../orders/attempt-id.ts'
import { foldSummaries, holdsMoney, shownOf } from '../orders/fold.ts'
import type { Buyer } from '../orders/listed-order.ts'
import { needsPerson } from '../orders/needs-person.ts'
import type { ExpectedPayment, Order } from '../orders/order.ts'
import { type EventSummary, fieldsOf } from '../orders/summary.ts'
import { eventFrom } from './calls.ts'
import type { SqlStatement, SqlValue, TillDatabase } from './database.ts'
import { again, LOST } from './drive.ts'
import { LIST_TABLES } from './list-tables.ts'
import {
  asOfEvents,
  committed,
  findOpen,
  isOpen,
  type MoneyEnd,
  type MoneyOperation,
  type OrderState,
  versionOf,
} from './protocol.ts'
import type { Base } from './records.ts'
import { describeUnsettled, type UnsettledOperation } from './unsettled.ts'

const VERSION = 1
/**
 * `edgetill_log` is an order's history, in one sequence for all attempts at paying it: a decision from an older state
 * loses the insert, and is made again. `order_id` is the id that the shop knows (`mugs`), `attempt` 2 is `mugs~2` at
 * the service. A stray has `stray/` and its id, and `attempt` 0.
 * | kind | id | is_open |
 * | --- | --- | --- |
 * | event, stray | eventKey | its order has a flag; 2: it shows another end of an operation; it names no order |
 * | payment | empty, unless it was rejected, or is only announced | it has not ended for a day, see `markOpenPayments` |
 * | close | | |
 * | operation | a UUID | it has no end; 2: nothing is sent, a person settles it |
 * | end | of its operation | it contradicts an earlier end |
 * `name`: the hash of an operation's key, unless nothing was sent. `summary`: an event's fields for the fold; `body`:
 * the rest, see records.ts. An `end` with `event` counts as the event of its response. `unlisted`: when the row was
 * written, until the lists have it. `next_at`: when `onEvent` is called, or the service is asked; `attempts`: how often
 * that was done. `owner`: the POS and the address. `edgetill_closed` has a row while the till is closed, see log.ts.
 */
const TABLES = `
  CREATE TABLE edgetill_version (version integer PRIMARY KEY, owner text, started_at bigint, recovered_at bigint, backup_at bigint);
  CREATE TABLE edgetill_closed (at bigint, moved_to text);
  CREATE TABLE edgetill_log (order_id TEXT NOT NULL, number integer NOT NULL, attempt integer NOT NULL, kind text NOT NULL, id text NOT NULL,
    written_at bigint NOT NULL, name text, is_open integer NOT NULL, summary text, body text NOT NULL, next_at bigint, attempts integer NOT NULL,
    error text, unlisted bigint, PRIMARY KEY (order_id, number));
  CREATE UNIQUE INDEX edgetill_log_payment ON edgetill_log (order_id, attempt) WHERE kind = 'payment' AND id = '';
  CREATE UNIQUE INDEX edgetill_log_key ON edgetill_log (order_id, name) WHERE kind = 'operation';
  CREATE UNIQUE INDEX edgetill_log_one ON edgetill_log (order_id) WHERE kind = 'operation' AND is_open = 1;
  CREATE INDEX edgetill_log_open ON edgetill_log (written_at) WHERE is_open > 0;
  CREATE INDEX edgetill_log_due ON edgetill_log (kind, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX edgetill_log_unlisted ON edgetill_log (order_id, unlisted) WHERE unlisted IS NOT NULL;${LIST_TABLES}`

/** The hooks of a driver that the rows call. */
export interface StoreHooks {
  /**
   * Called after an event was stored, with the order that includes the event. `rows`: those of the statements `beside`.
   */
  stored?(after: Reading, rows: readonly (readonly object[])[]): unknown
  /** Where the webhooks of an attempt's operations go; undefined if that is not known. */
  addressOf?(order_id: string, payment: Reading['payment']): string | Promise<string> | undefined
}

type Tables = { database: TillDatabase; client: object } & StoreHooks

/**
 * Runs a statement.
 * @throws {ConfigError} of an adapter, or if there are no tables. After any other error the statement may have been
 * executed.
 */
export async function run<T = Row>(
  { database }: Pick<Tables, 'database'>,
  sql: string,
  ...values: SqlValue[]
): Promise<readonly T[]> {
  return checked(() => database.run(sql, values))
}

/** Runs statements in one batch, or in turn. @returns Their rows. */
export async function runAll(tables: Tables, statements: readonly SqlStatement[]): Promise<(readonly object[])[]> {
  const { database } = tables
  if (database.batch && statements.length > 1) return checked(() => database.batch?.(statements))
  const all: (readonly object[])[] = []
  for (const [sql, values] of statements) all.push(await run(tables, sql, ...values))
  return all
}

async function checked<T>(work: () => Promise<unknown> | undefined, tries = 9): Promise<T> {
  try {
    return (await work()) as T
  } catch (cause) {
    if (isConfigError(cause)) throw cause
    // Postgres has rolled it back for another process: at a stricter isolation than its default, or in a deadlock.
    if (tries > 1 && /^40(001|P01)$/.test(`${(cause as { code?: string } | null)?.code}`))
      return checked(work, tries - 1)
    if (!/no such table|relation .* does not exist/.test(String((cause as Error | undefined)?.message)))
      throw Object.assign(new Error('The database failed.', { cause }), { name: 'StorageError' })
    throw new ConfigError('database', 'It has no tables: call `await till.migrate()` at start-up.', cause)
  }
}

/** @returns Null while the merchant is not known: a shop stores webhooks also before it is configured. */
const ownerOf = ({ client }: Tables): string | null => {
  const { posId, baseUrl } = merchantOf(client)
  return posId === '' ? null : `${posId.toLowerCase()} at ${baseUrl}`
}

/**
 * @throws {ConfigError} for another merchant's tables: two shops in one set of tables would settle each other's calls.
 */
export function checkOwner(tables: Tables, { owner }: Pick<Row, 'owner'>): void {
  const own = ownerOf(tables)
  const cure = 'Use a database for each. If the service has moved, set edgetill_version.owner.'
  if (owner !== own && owner !== null && own !== null)
    throw new ConfigError('database', `Its tables belong to ${owner}, and the client to ${own}. ${cure}`)
}

/** Makes tables and indexes that are missing. Repeats a failure: on Postgres, two processes can collide here. */
export async function makeTables(tables: Pick<Tables, 'database'>, statements: string): Promise<void> {
  // Only SQLite has this function, and it compares texts by their bytes. Postgres does so with the collation "C".
  const byBytes = await run(tables, "SELECT instr('a', 'a') AS found").then(
    () => ' text',
    () => ' text COLLATE "C"',
  )
  for (const sql of statements.split(';'))
    await make(tables, sql.replace(/TABLE|INDEX/, '$& IF NOT EXISTS').replaceAll(' TEXT', byBytes))
}

const make = (tables: Pick<Tables, 'database'>, sql: string, ...values: SqlValue[]) =>
  again(
    () => run(tables, sql, ...values),
    (error) => !isConfigError(error),
    10,
  )

/** Makes the tables, and binds them to the client's POS and address. */
export async function migrate(tables: Tables): Promise<void> {
  await makeTables(tables, TABLES)
  const first = 'INSERT INTO edgetill_version (version, owner) VALUES (?, ?) ON CONFLICT DO NOTHING'
  await make(tables, first, VERSION, ownerOf(tables))
  await make(tables, 'UPDATE edgetill_version SET owner = ? WHERE owner IS NULL', ownerOf(tables))
  const [row] = await run(tables, 'SELECT * FROM edgetill_version ORDER BY version DESC LIMIT 1')
  const { version } = row as unknown as { version: number }
  if (row?.recovered_at === undefined) throw new ConfigError('database', 'Use a handle that does not rename columns.')
  if (Number(version) > VERSION)
    throw new ConfigError('database', 'A newer edgetill has made the tables: update this one.')
  checkOwner(tables, row)
  await make(tables, `UPDATE edgetill_version SET started_at = ${tables.database.clock}`)
}

type Kind = 'event' | 'payment' | 'operation' | 'end' | 'close' | 'stray'

/** A row of `edgetill_log`, with columns that a query adds. A 64-bit integer may be a text. */
export type Row = Record<'order_id' | 'id' | 'body', string> &
  Record<'number' | 'attempt' | 'is_open' | 'attempts', number> &
  Record<'written_at' | 'next_at' | 'unlisted' | 'now' | 'recovered_at' | 'backup_at', SqlValue> &
  Record<'name' | 'error' | 'summary', string | null> & { kind: Kind; owner: string }

type NewRow = {
  kind: Kind
  id: string
  body: object
  summary?: object | undefined
  name?: string | null
  isOpen?: boolean | 2
  dueInMs?: number | null
  attempts?: number
}
type Place = Pick<Reading, 'base_id' | 'attempt' | 'next'>

/** The condition that the till is closed: its rows are copied elsewhere, and a new row would be lost. */
export const CLOSED = 'EXISTS (SELECT at FROM edgetill_closed)'

/**
 * Writes an order's next row. A closed till takes only ends: any other row would get the key NULL, and fails.
 * @param beside Statements that are written with the row. @returns The row, and the rows of those statements.
 * @throws LOST if another process has written a row since the order was read.
 */
export async function append(
  tables: Tables,
  order: Place,
  row: NewRow,
  beside: readonly SqlStatement[] = [],
): Promise<[Row, ...(readonly object[])[]]> {
  const { kind, id, body, summary, name = null, isOpen = false, dueInMs = null, attempts = 0 } = row
  const { clock } = tables.database
  const { base_id, attempt } = order
  const sql = `INSERT INTO edgetill_log (order_id, number, attempt, kind, id, name, is_open, body, summary, written_at, next_at,
    attempts, unlisted) VALUES (${kind === 'end' ? '?' : `(SELECT ? WHERE NOT ${CLOSED})`}, ?, ?, ?, ?, ?, ?, ?, ?, ${clock}, ${clock} + ${dueInMs}, ${attempts}, ${attempt === 0 ? null : clock})
    ON CONFLICT DO NOTHING RETURNING *`
  const place = [base_id, order.next++, attempt, kind, id]
  const rest = [name, Number(isOpen), JSON.stringify(body), summary ? JSON.stringify(summary) : null]
  const values = [...place, ...rest]
  const [[written] = [], ...rows] = await runAll(tables, [[sql, values], ...beside])
  if (!written) throw LOST
  return [written as Row, ...rows]
}

/** The condition that selects one row. */
export const ONE = 'order_id = ? AND number = ?'

/** The statement of every change of a stored row. */
export const update = (set: string, where: string): string => `UPDATE edgetill_log SET ${set} WHERE ${where}`

/**
 * An order, shown by one attempt at paying it. `attempts`: captures, refunds and voids without an outcome. `version`:
 * the money that the order holds, as one word, for `ifVersion`. `url`: where the customer pays, if that is known.
 */
export interface TillOrder extends Order {
  /** Of the attempt: `mugs`, or `mugs~2`. */
  order_id: string
  attempts: UnsettledOperation[]
  version: string
  url: string | null
  /** The order of this attempt, unless it is the first attempt. */
  replaces?: string
  /** The newest attempt, if this is an earlier one. */
  replaced_by?: string
}

/** The request that created a payment; `url` once it was. */
export type Payment = {
  terms: ExpectedPayment
  buyer?: Buyer
  server_url?: string | undefined
  url?: string | null
  /** The call that creates it has ended without saying whether it was created. */
  lost?: true
  link?: PaymentLink
}
/**
 * The link that opened a payment. `page`: data for the customer's pages; the times are those of `OpenCheckout`, see
 * protocol-checkout.ts.
 */
export type PaymentLink = { page: object; expires_at: number; opened_at?: number; expired?: true }

/**
 * An attempt at paying an order, as read at one moment: `now` by the database's clock, `read_at` by this machine's.
 * `state` is for the protocol. `base_id`: the order_id that the shop knows. `attempts`: the order's used attempts by
 * number, or its known attempts if none was used. `announced`: the highest number. `isClosed`: the shop has cancelled
 * the order.
 */
export interface Reading
  extends Record<'attempt' | 'announced' | 'next' | 'now' | 'read_at', number>,
    Record<'base_id' | 'order_id', string> {
  payment: (Payment & Row) | undefined
  events: (StoredSummary & Pick<Row, 'written_at' | 'number'>)[]
  /** Responses, with which the records of later events are compared. */
  bases: readonly Base[]
  calls: readonly MoneyOperation[]
  state: OrderState
  order: TillOrder
  attempts: readonly Reading[]
  isClosed: boolean
  /** The attempt as it was when its order's last row had this number. */
  upTo(number: number): Judged
}

/** An event's summary, with the price that its webhook's address may contain, and its fields of an odd shape. */
export type StoredSummary = EventSummary & { expected?: ExpectedPayment | undefined; odd?: string[] }
export type Judged = Pick<Reading, 'order' | 'calls'>

/** The rows of an order. An event's record is read only for `onEvent`. */
export const selectOrder = ({ database }: Pick<Tables, 'database'>, base_id: string): SqlStatement => [
  `SELECT ${database.clock} AS now, v.*, l.order_id, l.number, l.attempt, l.kind, l.id, l.written_at, l.name, l.is_open, l.next_at,
    CASE WHEN l.kind = 'event' THEN l.summary ELSE l.body END AS body FROM (SELECT max(recovered_at) AS recovered_at, max(backup_at) AS
    backup_at, max(owner) AS owner FROM edgetill_version) v LEFT JOIN edgetill_log l ON l.order_id = ? AND l.attempt > 0 ORDER BY l.number`,
  [storedId(base_id)],
]

/**
 * Reads all attempts of an order in one statement, and clears `is_open` where it no longer applies. `listedId`:
 * the attempt whose operations the service has listed just now. `more`: an event that counts as stored; then nothing is
 * written. `given`: rows that were read before.
 * @returns The attempt with this order_id.
 */
export async function readOrder(
  tables: Tables,
  order_id: string,
  listedId = '',
  more: readonly StoredSummary[] = [],
  given?: readonly Row[],
): Promise<Reading> {
  const { base_id, attempt } = attemptOf(order_id)
  const read_at = Date.now()
  const [sql, values] = selectOrder(tables, base_id)
  const read = given ?? (await run(tables, sql, ...values))
  const [first] = read as [Row]
  checkOwner(tables, first)
  const rows = read.filter(({ kind }) => kind !== null)
  const numbers = [...new Set([attempt, ...rows.map((row) => Number(row.attempt))])].sort((a, b) => a - b)
  const place = {
    ...{ base_id, read_at, now: Number(first.now), next: Number(rows.at(-1)?.number ?? 0) + 1 },
    announced: Math.max(1, ...rows.map((row) => Number(row.attempt))),
    isClosed: rows.some(({ kind }) => kind === 'close'),
    attempts: [] as Reading[],
  }
  const parsed = numbers.map((number) => parse(tables, base_id, number, rows, number === attempt ? more : []))
  const all = parsed.map((one): Reading => {
    const isPaidElsewhere = parsed.some((other) => other !== one && holdsMoney(other.folded.totals))
    const judged = (parsedAttempt: Parsed, isListed = false) =>
      judge(tables, parsedAttempt, first, isPaidElsewhere, isListed)
    return {
      ...{ ...place, ...judged(one, one.order_id === listedId) },
      upTo: (last) =>
        judged(
          parse(
            tables,
            base_id,
            one.attempt,
            rows.filter(({ number }) => number <= last),
          ),
        ),
    }
  })
  if (more.length === 0)
    for (const [i, { order, calls }] of all.entries()) {
      const isDoubted = calls.some(({ late }) => late)
      for (const { kind, id, name, number } of parsed[i]?.rows.filter(({ is_open }) => Number(is_open) > 0) ?? []) {
        const own = calls.find((one) => one.id === id)
        const isOver =
          kind === 'event' ? !isDoubted && !needsPerson(order) : own && !(kind === 'end' ? own.late : isOpen(own))
        // If nothing was sent, the key is free again.
        const taken = own?.outcome === 'not_sent' ? null : name
        if (isOver) await run(tables, update('is_open = 0, name = ?', ONE), taken, base_id, number)
      }
    }
  const known = all.filter(({ state }) => state.order.isKnown)
  const used = known.filter((one) => one.payment || one.events.length > 0 || one.calls.length > 0)
  place.attempts.push(...(used.length > 0 ? used : known))
  link(all)
  return all.find((one) => one.attempt === attempt) as Reading
}

/** Reads orders in one batch. @param base_ids Of their first attempts. */
export async function readOrders(tables: Tables, base_ids: readonly string[]): Promise<Reading[]> {
  const rows = (await runAll(
    tables,
    base_ids.map((id) => selectOrder(tables, id)),
  )) as Row[][]
  return Promise.all(base_ids.map((id, i) => readOrder(tables, id, '', [], rows[i])))
}

/** Adds the facts of the other attempts to each attempt. */
function link(all: readonly Reading[]): void {
  const newest = all[0]?.attempts.at(-1)
  // Read each version before it includes the other attempts.
  const paid = all.filter(({ order }) => holdsMoney(order.totals)).map((one) => [one, one.order.version] as const)
  for (const reading of all) {
    const { order, state, calls, attempt } = reading
    const beside = all.filter((one) => one !== reading)
    state.order.refundedElsewhere = beside.reduce((sum, one) => sum + committed(one.order, one.calls).refunded_minor, 0)
    state.order.openElsewhere = findOpen(beside.flatMap((one) => one.calls))
    state.order.versionsBeside = paid.flatMap(([one, version]) => (one === reading ? [] : version))
    order.version = versionOf(state.order, calls)
    if (attempt > 1) order.replaces = reading.base_id
    if (newest && newest.attempt > attempt) order.replaced_by = newest.order_id
  }
}

type Parsed = ReturnType<typeof parse>

/**
 * Parses an attempt's rows, and folds its events.
 * @param more Events that count as stored. If omitted, no response counts as an event.
 */
function parse(tables: Tables, base_id: string, attempt: number, all: readonly Row[], more?: readonly StoredSummary[]) {
  const order_id = attemptId(base_id, attempt)
  const rows = all.filter((row) => Number(row.attempt) === attempt)
  const of = <Body>(kind: Kind): [Row, Body][] => {
    const found = rows.filter((row) => row.kind === kind)
    const bodies: Body[] = JSON.parse(`[${found.map(({ body }) => body).join()}]`)
    return found.map((row, i) => [row, bodies[i] as Body])
  }
  const [paid] = of<Payment>('payment').filter(([{ id }]) => id === '')
  const payment = paid && { ...paid[0], ...paid[1] }
  const ends = of<MoneyEnd & { event?: string }>('end').map(([{ id, number, written_at }, body]) => {
    return { ...body, id, number: Number(number), written_at }
  })
  const bases = ends.flatMap(({ number, answer }): Base[] =>
    answer.code === 'executed' ? [{ number, record: answer.record as Base['record'] }] : [],
  )
  const received = of<Omit<StoredSummary, 'id'>>('event').map(([{ id, number, written_at }, summary]) => {
    return { id, ...summary, number, written_at }
  })
  const stored = of<MoneyOperation>('operation').map(([{ id, name }, body]) =>
    withEnd({ ...body, id, keyHash: name ?? '' }, ends as never),
  )
  const added = more ?? []
  // The response to a call is an event until its webhook has come.
  const reportOf = ({ method, operation_id, status }: EventSummary) => `${method} ${operation_id} ${status}`
  const reported = new Set(ends.length > 0 ? [...received, ...added].map(reportOf) : [])
  const responses = ends.flatMap(({ id, number, written_at, event, answer }) => {
    if (!more || event === undefined || answer.code !== 'executed') return []
    const summary = { ...fieldsOf(eventFrom(event, { ...answer.record, order_id })), id, number, written_at }
    return reported.has(reportOf(summary)) ? [] : summary
  })
  const events = [...received, ...responses]
  const sealed = [...received, ...added].find(({ expected }) => expected)?.expected
  const terms = { ...payment?.terms, ...sealed, pos_id: merchantOf(tables.client).posId }
  const folded = foldSummaries(order_id, [...events, ...added], terms)
  // This till has neither created the payment nor moved its money.
  if (!payment && !sealed && stored.length === 0 && folded.events.length > 0) folded.flags.unshift('unknown_order')
  return { attempt, order_id, rows, payment, events, bases, stored, folded }
}

/** Judges an attempt's money. `isPaidElsewhere`: another attempt holds money. */
function judge(
  tables: Tables,
  { attempt, order_id, rows, payment, events, bases, stored, folded }: Parsed,
  { recovered_at, backup_at }: Row,
  isPaidElsewhere: boolean,
  isListed: boolean,
) {
  const isTwice = isPaidElsewhere && holdsMoney(folded.totals) && !folded.flags.includes('paid_twice')
  const order = { ...folded, order_id, flags: isTwice ? [...folded.flags, 'paid_twice' as const] : folded.flags }
  // An order that this till created since the loss has no earlier operations. For any other order, the service is asked
  // before the first operation after the loss.
  const lostAt = Number(recovered_at)
  const isOurs = payment?.url !== undefined && Number(payment.written_at) > lostAt
  const askedAt = stored.find(({ started_at }) => started_at > lostAt)?.started_at
  const isAsked = isListed || isOurs || askedAt !== undefined
  const idsOf = (isIn: (writtenAt: number) => boolean) =>
    events.flatMap(({ operation_id, written_at }) => (operation_id && isIn(Number(written_at)) ? operation_id : []))
  // An operation from before the backup needs no key, nor does an operation that was made after the service was asked.
  const operation_ids = idsOf(() => true)
  const listedIds = new Set(idsOf((at) => at <= (askedAt ?? Number.POSITIVE_INFINITY)))
  const keyless = idsOf((at) => at <= Number(backup_at)).concat(operation_ids.filter((id) => !listedIds.has(id)))
  const lost = ((lostAt > 0 && !isOurs) || !isAsked) && { loss: { at: lostAt, isAsked, keyless } }
  const calls = asOfEvents({ order, operations: stored, ...lost })
  const isAddressable = !tables.addressOf || tables.addressOf(order_id, payment) !== undefined
  const facts = { ...order, isKnown: rows.length > 0, isAddressable, operation_ids }
  const state: OrderState = { order: facts, operations: calls, ...lost }
  const open = calls.filter(isOpen).map(describeUnsettled)
  const shown: TillOrder = {
    ...order,
    attempts: open,
    version: versionOf(order, calls),
    url: payment?.url ?? null,
  }
  return { attempt, order_id, payment, events, bases, calls, state, order: shown }
}

/** The order as its shop sees it, with the open operations of all attempts. */
export function orderOf(attempts: readonly Reading[]): TillOrder | undefined {
  const shown = shownOf(attempts)
  return shown && { ...shown.order, attempts: attempts.flatMap(({ order }) => order.attempts) }
}

/**
 * Reads the order that a shop names, or one attempt: `mugs~1` is the first attempt, unless another program has used
 * this id.
 * @returns `isWhole`: the order is meant, not only this attempt.
 */
export async function readNamed(
  tables: Tables,
  named: string,
  listedId = '',
): Promise<[reading: Reading, isWhole: boolean]> {
  const reading = await readOrder(tables, named, listedId)
  const base_id = baseOrderId(named)
  if (reading.state.order.isKnown || named !== `${base_id}~1`) return [reading, reading.attempt === 1]
  return [await readOrder(tables, base_id, listedId), false]
}

/**
 * Finds an operation of an order, or of an attempt.
 * @returns The operation's attempt, else the named one; and the call that made the operation, if any.
 */
export async function findOperation(
  tables: Tables,
  named: string,
  id: string,
): Promise<{ order_id: string; found: MoneyOperation | undefined }> {
  const [reading] = await readNamed(tables, named)
  const has = ({ calls, order }: Reading) => [...calls, ...order.operations].some((one) => one.id === id)
  const { order_id, calls } = reading.attempts.find(has) ?? reading
  return { order_id, found: calls.find((one) => one.id === id) }
}

/** Adds to an operation the end that counts: a person's last choice (it has `known`), else the first known outcome. */
function withEnd(operation: MoneyOperation, rows: readonly MoneyOperation[]): MoneyOperation {
  const ends = rows.filter(({ id }) => id === operation.id)
  const chosen = ends.filter((one) => 'known' in one).at(-1)
  const [first = ends[0], late] = ends.filter(({ outcome }) => outcome !== 'unknown')
  const { outcome, answer, operation_id, known = operation.known } = chosen ?? first ?? operation
  return {
    ...operation,
    known,
    outcome,
    answer,
    operation_id,
    late: chosen ? undefined : (late as MoneyEnd | undefined),
  }
}
