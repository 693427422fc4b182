import type { Order } from '../lib/shown-order.ts'
import type { Schema, Tables } from '../lib/tables.ts'
import type { SqlValue } from '../runtime.ts'

/** An order as a list shows it. Amounts are the wire's numbers, totals are minor units. */
export interface OrderSummary extends Omit<Order, 'operations' | 'events' | 'attempts' | 'customer_email'> {
  /** The goods and their buyer, as the link had them; gone when the personal data was removed. */
  description?: string
  customer_name?: string
}

/** An event that `onEvent` fails on. */
export interface FailingRow {
  event_id: string
  /** The attempt that it is of. */
  order_id: string
}

/** A matter for a person, with a sentence about it. */
export interface Attention {
  kind: string
  order_id: string | null
  text: string
  [detail: string]: unknown
}

/** One operation that succeeded. Amounts are minor units. */
export interface MoneyRow {
  /** Of the shop's time zone, `2026-11-23`. */
  day: string
  /** Milliseconds since 1970: when its success was received. */
  at: number
  id: string
  order_id: string
  kind: 'authorized' | 'paid' | 'captured' | 'refunded' | 'voided'
  /** The way of payment; `unknown` where the service did not say. */
  method: string
  amount: number
  /** The amount that it adds to the takings, or takes from them: 0 for a reservation and its release. */
  taken: number
  currency: string
  fee: number
  reference: string | null
  /** It does not count any more: the service has taken the success back. */
  gone?: true
}

/** An order as its gate reports it to the shop's list. */
export interface ListedRow {
  summary: OrderSummary
  /** The id that the shop knows: without `~2`. */
  order_id: string
  /** Milliseconds since 1970: when its first event or opening came. */
  since: number
  /** Counts the changes of the order: an older one changes nothing. */
  version: number
  email: string | null
  phone?: string | null
  /** Of the card. */
  last_four: string | null
  isOpen: boolean
  /** When its gate is to do something next, milliseconds since 1970. */
  due_at: number | null
  attention: Attention[]
  failing: FailingRow[]
  attempts: string[]
  /** All their operations that have succeeded. */
  money: MoneyRow[]
  /** The acts of people on it. */
  audit: { at: number; key: string; entry: object }[]
}

/** The tables of a book. The first one is the register as well: it knows of the others. */
export const SHOP: Schema = {
  listed: [
    `CREATE TABLE listed (order_id TEXT PRIMARY KEY, version INTEGER NOT NULL, since INTEGER NOT NULL, status TEXT,
       reference TEXT, email TEXT, last_four TEXT, amount INTEGER, is_open INTEGER NOT NULL, has_flags INTEGER NOT NULL, due_at INTEGER,
       attention TEXT, summary TEXT NOT NULL) WITHOUT ROWID`,
    'CREATE INDEX listed_since ON listed (since, order_id)',
    'CREATE INDEX listed_status ON listed (status, since, order_id)',
    'CREATE INDEX listed_reference ON listed (reference, since, order_id) WHERE reference IS NOT NULL',
    'CREATE INDEX listed_last_four ON listed (last_four) WHERE last_four IS NOT NULL',
    'CREATE INDEX listed_amount ON listed (amount, since)',
    'CREATE INDEX listed_email ON listed (email) WHERE email IS NOT NULL',
    'CREATE INDEX listed_open ON listed (since, order_id) WHERE is_open = 1',
    'CREATE INDEX listed_flags ON listed (since, order_id) WHERE has_flags = 1',
    'CREATE INDEX listed_attention ON listed (since, order_id) WHERE attention IS NOT NULL',
    'CREATE INDEX listed_due ON listed (due_at) WHERE due_at IS NOT NULL',
    // Small letters of all that a person remembers of it: a search by words reads it row by row.
    'ALTER TABLE listed ADD COLUMN words TEXT',
  ],
  flag: [
    'CREATE TABLE flag (flag TEXT, since INTEGER, order_id TEXT, PRIMARY KEY (flag, since, order_id)) WITHOUT ROWID',
  ],
  failing: [
    `CREATE TABLE failing (event_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, listed TEXT NOT NULL) WITHOUT ROWID`,
    'CREATE INDEX failing_listed ON failing (listed)',
  ],
  money: [
    `CREATE TABLE money (at INTEGER, id TEXT, version INTEGER NOT NULL, day TEXT NOT NULL, row TEXT NOT NULL,
       PRIMARY KEY (at, id)) WITHOUT ROWID`,
    "CREATE INDEX money_order ON money (json_extract(row, '$.order_id'))",
  ],
  total: [
    `CREATE TABLE total (day TEXT, currency TEXT, method TEXT, kind TEXT, count INTEGER, amount INTEGER, fee INTEGER,
       PRIMARY KEY (day, currency, method, kind)) WITHOUT ROWID`,
  ],
  audit: ['CREATE TABLE audit (at INTEGER, id TEXT, entry TEXT NOT NULL, PRIMARY KEY (at, id)) WITHOUT ROWID'],
  // The links of POST /api/links that were made while this was the current book.
  link: [
    `CREATE TABLE link (short TEXT PRIMARY KEY, id TEXT NOT NULL, order_id TEXT NOT NULL, amount INTEGER NOT NULL,
       currency TEXT NOT NULL, description TEXT, customer_name TEXT, token TEXT, created_at INTEGER NOT NULL,
       expires_at INTEGER NOT NULL, revoked_at INTEGER, by TEXT NOT NULL) WITHOUT ROWID`,
    'CREATE INDEX link_created ON link (created_at, short)',
    'CREATE INDEX link_order ON link (order_id)',
    'CREATE INDEX link_kept ON link (created_at) WHERE token IS NOT NULL',
    'CREATE INDEX link_unmarked ON link (expires_at) WHERE length(short) = 12',
  ],
  // Of the register: the links that anybody may pay with, by the first 16 characters of their token, and how many orders they made.
  reusable: [
    `CREATE TABLE reusable (nonce TEXT PRIMARY KEY, short TEXT NOT NULL UNIQUE, max_orders INTEGER,
       max_per_hour INTEGER NOT NULL, made INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
  ],
  // The orders of those. `tries`: how often closing has tried to end one; null once it has ended.
  reuse: [
    `CREATE TABLE reuse (nonce TEXT, at INTEGER, order_id TEXT UNIQUE, visitor TEXT NOT NULL, tries INTEGER DEFAULT 0,
       PRIMARY KEY (nonce, at, order_id)) WITHOUT ROWID`,
    'CREATE INDEX reuse_visitor ON reuse (nonce, visitor, at)',
    'CREATE INDEX reuse_open ON reuse (nonce, tries, at) WHERE tries IS NOT NULL',
  ],
  // How far the cron has come, and when something was last said.
  progress: ['CREATE TABLE progress (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'],
  // Of the register: how many orders each book has taken, and between which times what is in it came.
  book: ['CREATE TABLE book (number INTEGER PRIMARY KEY, taken INTEGER NOT NULL, first INTEGER, last INTEGER)'],
  // Counts of what a book has, and its days with money: its own (0), and in the register those of each other book. `told`: the
  // change that the register has of it.
  sum: [
    `CREATE TABLE sum (book INTEGER, name TEXT, value INTEGER NOT NULL, change INTEGER NOT NULL, told INTEGER NOT NULL,
       PRIMARY KEY (book, name)) WITHOUT ROWID`,
  ],
  // Of the register: the webhooks in KV that name no order.
  stray: [
    `CREATE TABLE stray (id TEXT PRIMARY KEY, since INTEGER NOT NULL, until INTEGER, attention TEXT NOT NULL) WITHOUT ROWID`,
  ],
}

/** Takes an order into the list, unless this has a newer state of it. @returns Whether it did. */
export function putListed(tables: Tables, row: ListedRow): boolean {
  const { order_id, since, version, summary, attention } = row
  const { status, reference, flags, amount } = summary
  const columns: Record<string, SqlValue> = {
    ...{ version, since, status, reference: reference ?? null, email: row.email?.toLowerCase() ?? null },
    ...{ last_four: row.last_four, amount: amount === null ? null : Math.round(amount * 100) },
    ...{ is_open: Number(row.isOpen), has_flags: Number(flags.some((flag) => flag !== 'paid_after_failure')) },
    ...{ due_at: row.due_at, attention: attention.length > 0 ? JSON.stringify(attention) : null },
    ...{ summary: JSON.stringify(summary), words: wordsOf(order_id, row.phone, summary) },
  }
  const [known] = tables.all<Record<string, SqlValue>>('SELECT * FROM listed WHERE order_id = ?', order_id)
  if (known && Number(known.version) > version) return false
  // An index is written only where its columns are.
  const changed = Object.keys(columns).filter((name) => known?.[name] !== columns[name])
  const values = changed.map((name) => columns[name] as SqlValue)
  if (!known) {
    const names = ['order_id', ...changed]
    tables.all(`INSERT INTO listed (${names}) VALUES (${names.map(() => '?')})`, order_id, ...values)
  } else if (changed.length > 0) {
    tables.all(`UPDATE listed SET ${changed.map((name) => `${name} = ?`)} WHERE order_id = ?`, ...values, order_id)
  }
  const before = known ? (JSON.parse(String(known.summary)) as OrderSummary).flags : []
  const gone = before.filter((flag) => !flags.includes(flag))
  const flag = 'SELECT value, ?, ? FROM json_each(?)'
  tables.all(`DELETE FROM flag WHERE (flag, since, order_id) IN (${flag})`, since, order_id, JSON.stringify(gone))
  tables.all(`INSERT OR IGNORE INTO flag ${flag}`, since, order_id, JSON.stringify(flags))
  const failing = JSON.stringify(row.failing)
  const handled = "listed = ? AND event_id NOT IN (SELECT value ->> 'event_id' FROM json_each(?)) RETURNING 1"
  const fewer = tables.all(`DELETE FROM failing WHERE ${handled}`, order_id, failing)
  const ids = "SELECT value ->> 'event_id', value ->> 'order_id', ? FROM json_each(?) RETURNING 1"
  const more = tables.all(`INSERT OR IGNORE INTO failing ${ids}`, order_id, failing)
  const items = known?.attention ? (JSON.parse(String(known.attention)) as unknown[]).length : 0
  addToSum(tables, 'attention', attention.length - items)
  addToSum(tables, 'failing', more.length - fewer.length)
  return true
}

function addToSum(tables: Tables, name: string, more: number): void {
  if (more === 0) return
  const write = `INSERT INTO sum VALUES (0, ?, ?, 1, 0)
    ON CONFLICT DO UPDATE SET value = value + excluded.value, change = change + 1`
  tables.all(write, name, more)
}

/** The words by which a person remembers an order, in small letters; a phone's digits too, however they are grouped. */
function wordsOf(order_id: string, phone: string | null | undefined, summary: OrderSummary): string {
  const { reference, description, customer_name } = summary
  const known = [order_id, reference, description, customer_name, phone, phone?.replaceAll(/\D/g, '')]
  return known.filter(Boolean).join(' ').toLowerCase()
}

export interface OrderFilter {
  status?: string | undefined
  flag?: string | undefined
  reference?: string | undefined
  open?: boolean | undefined
  /** Milliseconds since 1970, inclusive. */
  from?: number | undefined
  /** Milliseconds since 1970, exclusive. */
  to?: number | undefined
  /**
   * The beginning of an order_id, of a reference or of an e-mail address; the last four digits of a card; an amount; or words of
   * what was bought, a name, a phone or an address, of orders since `wordsSince`.
   */
  search?: string | undefined
  /** Milliseconds since 1970. */
  wordsSince?: number | undefined
}

/** A place in a list: what its rows are sorted by. */
export type Position = [time: number, id: string]

/** The place before a list's first row, where the newest comes first. */
export const LATEST: Position = [Number.MAX_SAFE_INTEGER, '']

/** A place in the list of orders. */
export interface Place {
  since: number
  order_id: string
}

/** Orders of a book, newest first. */
export function listBook(
  tables: Tables,
  { status, flag, reference, open, from, to, search, wordsSince = 0 }: OrderFilter,
  limit: number,
  after?: Position,
): (Place & { summary: OrderSummary })[] {
  const conditions: string[] = []
  const bindings: SqlValue[] = []
  const where = (condition: string, ...values: SqlValue[]): void => {
    conditions.push(condition)
    bindings.push(...values)
  }
  const isOneFlag = flag !== undefined && flag !== 'any'
  if (isOneFlag) where('f.flag = ?', flag)
  if (flag === 'any') where('l.has_flags = 1')
  if (status !== undefined) where('l.status = ?', status)
  if (reference !== undefined) where('l.reference = ?', reference)
  if (open) where('l.is_open = 1')
  const row = isOneFlag ? 'f' : 'l'
  if (from !== undefined) where(`${row}.since >= ?`, from)
  if (to !== undefined) where(`${row}.since < ?`, to)
  if (after) where(`(${row}.since, ${row}.order_id) < (?, ?)`, ...after)
  const order = `ORDER BY ${row}.since DESC, ${row}.order_id DESC LIMIT ?`
  const listed = isOneFlag ? 'flag f CROSS JOIN listed l ON l.order_id = f.order_id' : 'listed l'
  const select = (columns: string, tablesOf = listed): string =>
    `SELECT ${columns} FROM ${tablesOf} WHERE ${conditions.join(' AND ') || 'true'} ${order}`
  const read = (query: string, ...values: SqlValue[]): (Place & { summary: OrderSummary })[] =>
    tables
      .all<Place & { summary: string }>(query, ...values)
      .map(({ since, order_id, summary }) => ({ since, order_id, summary: JSON.parse(summary) }))
  if (search === undefined) return read(select(LISTED), ...bindings, limit)
  const [ways, values] = waysOf(search, wordsSince, to)
  // The newest orders have a page of what a broad search finds, which would be long to sort as a whole.
  const newest = `SELECT ${LISTED} FROM (${select('l.*')}) l WHERE ${ways.join(' OR ')} ORDER BY l.since DESC, l.order_id DESC LIMIT ?`
  const page = read(newest, ...bindings, NEWEST, ...values, limit)
  if (page.length === limit) return page
  // The rows that each way finds by its index come first: else SQLite reads the whole book.
  const each = ways.map((way) => `SELECT order_id AS id FROM listed WHERE ${way}`).join(' UNION ')
  const flags = isOneFlag ? ' CROSS JOIN flag f ON f.since = l.since AND f.order_id = l.order_id' : ''
  const those = `(${each}) CROSS JOIN listed l ON l.order_id = id${flags}`
  return read(select(LISTED, those), ...values, ...bindings, limit)
}

const LISTED = 'l.since, l.order_id, l.summary'
const NEWEST = 1000
/** A search by words has so many letters at least, and so many words of it are compared. */
const WORD = 3
const WORDS = 8
/** Small letters, as `words`; the address stands in another column. */
const SPOKEN = "coalesce(words, '') || ' ' || coalesce(email, '')"

/** The conditions of a search, by the indexes and by words, and what they compare with. The runtime takes five at most. */
function waysOf(search: string, wordsSince: number, to = 1e15): [ways: string[], values: SqlValue[]] {
  const begins = (column: string): string => `${column} >= ? AND ${column} < ?`
  const known = [begins('order_id'), begins('reference'), begins('email'), 'last_four = ?', 'amount = ?']
  const [small, end] = [search.toLowerCase(), '\u{10ffff}']
  const amount = Math.round(Number(search.replace(',', '.')) * 100)
  const values = [search, search + end, search, search + end, small, small + end, search]
  const compared = [...values, Number.isNaN(amount) ? null : amount]
  // Fewer letters stand in almost every row.
  const words = small.length < WORD ? [] : small.split(/\s+/).filter(Boolean).slice(0, WORDS)
  if (words.length === 0) return [[known.join(' OR ')], compared]
  const spoken = `since >= ? AND since < ?${words.map(() => ` AND instr(${SPOKEN}, ?) > 0`).join('')}`
  return [
    [known.join(' OR '), spoken],
    [...compared, wordsSince, to, ...words],
  ]
}
