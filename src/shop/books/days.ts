import { baseOrderId } from '../lib/attempt-id.ts'
import { DAY_MS } from '../lib/day.ts'
import { type Answer, answer } from './register.ts'
import type { BooksScope } from './scope.ts'
import { LATEST, type ListedRow, type MoneyRow, type Position } from './tables.ts'

// The days in a book: the takings, and who did what.

/**
 * Takes the operations of an order into the totals, and what people did into the list of acts. A row of the order that is not
 * among them does not count any more: it is known by another id now.
 */
export function putMoney({ shop }: BooksScope, { version, attempts, money, audit }: ListedRow): void {
  const placeOf = ({ at, id }: TimePlace) => `${at} ${id}`
  const query = `SELECT row FROM money WHERE json_extract(row, '$.order_id') IN (SELECT value FROM json_each(?))`
  const known = new Map(
    shop.all<{ row: string }>(query, JSON.stringify(attempts)).map(({ row }) => {
      const its = JSON.parse(row) as MoneyRow
      return [placeOf(its), { row, its }]
    }),
  )
  const rows = new Map(money.map((row) => [placeOf(row), row]))
  for (const [place, { its }] of known) if (!rows.has(place)) rows.set(place, { ...its, gone: true })
  for (const [place, row] of rows) {
    const before = known.get(place)
    const text = JSON.stringify(row)
    if (before ? before.row === text : row.gone) continue
    if (before) add(shop, before.its, -1)
    add(shop, row, 1)
    shop.all('INSERT OR REPLACE INTO money VALUES (?, ?, ?, ?, ?)', row.at, row.id, version, row.day, text)
    shop.all('INSERT OR IGNORE INTO sum VALUES (0, ?, 1, 1, 0)', row.day)
  }
  for (const { at, key, entry } of audit) {
    const write = `INSERT INTO audit VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET entry = excluded.entry
      WHERE entry <> excluded.entry`
    shop.all(write, at, key, JSON.stringify(entry))
  }
}

function add(shop: BooksScope['shop'], row: MoneyRow, sign: number): void {
  const { day, currency, method, amount, fee, taken, gone } = row
  if (gone) return
  const kind: DayTotal['kind'] = row.kind === 'voided' && taken < 0 ? 'given_back' : row.kind
  shop.all(
    `INSERT INTO total VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET count = count + excluded.count, amount = amount + excluded.amount, fee = fee + excluded.fee`,
    ...[day, currency, method, kind, sign, sign * amount, sign * fee],
  )
}

export interface DayTotal {
  day: string
  currency: string
  method: string
  /** `given_back`: a purchase that was voided. */
  kind: MoneyRow['kind'] | 'given_back'
  count: number
  amount: number
  fee: number
}

/** Days, both inclusive. */
export interface Days {
  from: string
  to: string
}

export function totalsOfBook({ shop }: BooksScope, days: Days): Answer<DayTotal> {
  // SQLite adds up beyond the whole numbers that a number can be.
  const sums = 'count, CAST(amount AS REAL) AS amount, CAST(fee AS REAL) AS fee'
  const query = `SELECT day, currency, method, kind, ${sums} FROM total WHERE day BETWEEN ? AND ? AND count > 0`
  return answer(shop, shop.all<DayTotal>(query, days.from, days.to), days.from, days.to)
}

/** A row of a list that is sorted by time. */
export interface TimePlace {
  at: number
  id: string
}

/** The goods of an operation, their buyer, and the card's last four digits. */
export type Bought = Record<'description' | 'customer_name' | 'last_four', string | null>

/** The operations of days, the oldest first. */
export function moneyOfBook(
  { shop }: BooksScope,
  { limit, after = [0, ''], ...days }: Days & { limit: number; after?: Position | undefined },
): Answer<MoneyRow & Bought> {
  const { from, to } = days
  const rows = shop.all<{ row: string }>(
    `SELECT row FROM money WHERE at BETWEEN ? AND ? AND (at, id) > (?, ?) AND day BETWEEN ? AND ?
       AND json_extract(row, '$.gone') IS NULL ORDER BY at, id LIMIT ?`,
    // A day of the shop begins up to 14 hours before the day of UTC, and ends up to 12 hours later.
    ...[Date.parse(from) - DAY_MS, Date.parse(to) + 2 * DAY_MS, ...after, from, to, limit],
  )
  const found = rows.map(({ row }) => JSON.parse(row) as MoneyRow)
  // Their orders as they are now: of one that was erased nothing is left.
  const query = `SELECT order_id AS id, last_four, summary ->> 'description' AS description,
       summary ->> 'customer_name' AS customer_name FROM listed WHERE order_id IN (SELECT value FROM json_each(?))`
  const ids = JSON.stringify(found.map(({ order_id }) => baseOrderId(order_id)))
  const known = new Map(shop.all<Bought & { id: string }>(query, ids).map(({ id, ...bought }) => [id, bought]))
  const none = { description: null, customer_name: null, last_four: null }
  const whole = found.map((row) => ({ ...row, ...(known.get(baseOrderId(row.order_id)) ?? none) }))
  return answer(shop, whole, days.from, days.to)
}

/** The acts of people, the newest first. */
export function auditOfBook(
  { shop }: BooksScope,
  { limit, after = LATEST }: { limit: number; after?: Position | undefined },
): Answer<TimePlace & { entry: object }> {
  const query = 'SELECT at, id, entry FROM audit WHERE (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?'
  const rows = shop.all<TimePlace & { entry: string }>(query, ...after, limit)
  const found = rows.map((row) => ({ ...row, entry: JSON.parse(row.entry) as object }))
  return answer(shop, found)
}
