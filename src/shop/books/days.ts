import type { BooksScope } from './scope.ts'
import type { Books, MoneyRow } from './tables.ts'

// What the shop's object of a month knows of its days: what was taken, and who did what.

/**
 * Takes the operations of an order that were received in this month into its totals, and what people did into its list. A row of
 * the order that is not among them does not count any more: it is known from elsewhere now, or by another id.
 */
export function putBooks({ shop }: Pick<BooksScope, 'shop'>, { version, orders, money, audit }: Books): void {
  shop.atomically(() => {
    const placeOf = ({ at, id }: TimePlace) => `${at} ${id}`
    const query = `SELECT version, row FROM money WHERE json_extract(row, '$.order_id') IN (SELECT value FROM json_each(?))`
    const ids = JSON.stringify(orders ?? money.map(({ order_id }) => order_id))
    const known = new Map(
      shop.all<{ version: number; row: string }>(query, ids).map(({ version, row }) => {
        const its = JSON.parse(row) as MoneyRow
        return [placeOf(its), { version, row, its }]
      }),
    )
    const rows = new Map(money.map((row) => [placeOf(row), row]))
    for (const [place, { its }] of orders ? known : []) if (!rows.has(place)) rows.set(place, { ...its, gone: true })
    for (const [place, row] of rows) {
      const before = known.get(place)
      const text = JSON.stringify(row)
      if (before ? before.version > version || before.row === text : row.gone) continue
      if (before) add(shop, before.its, -1)
      add(shop, row, 1)
      shop.all('INSERT OR REPLACE INTO money VALUES (?, ?, ?, ?, ?)', row.at, row.id, version, row.day, text)
    }
    for (const { at, key, entry } of audit) {
      const write = `INSERT INTO audit VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET entry = excluded.entry
        WHERE entry <> excluded.entry`
      shop.all(write, at, key, JSON.stringify(entry))
    }
  })
}

function add(
  shop: BooksScope['shop'],
  { day, currency, method, kind, amount, fee, gone }: MoneyRow,
  sign: number,
): void {
  if (gone) return
  shop.all(
    `INSERT INTO total VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET count = count + excluded.count, amount = amount + excluded.amount, fee = fee + excluded.fee`,
    ...[day, currency, method, kind, sign, sign * amount, sign * fee],
  )
}

/** The total of one kind of operation on a day. */
export interface DayTotal {
  day: string
  currency: string
  method: string
  kind: MoneyRow['kind']
  count: number
  amount: number
  fee: number
}

/** The totals of days, inclusive, as this month has them. */
export async function totalsOfMonth(
  { shop }: BooksScope,
  { from, to }: { from: string; to: string },
): Promise<DayTotal[]> {
  // SQLite adds up beyond the whole numbers that a number can be.
  const sums = 'count, CAST(amount AS REAL) AS amount, CAST(fee AS REAL) AS fee'
  const query = `SELECT day, currency, method, kind, ${sums} FROM total WHERE day BETWEEN ? AND ? AND count > 0`
  return shop.all<DayTotal>(query, from, to)
}

const DAY_MS = 86_400_000

/** A place in a list that is sorted by time. */
export interface TimePlace {
  at: number
  id: string
}

/** The operations of days that were received in this month, the oldest first. */
export async function moneyOfMonth(
  { shop }: BooksScope,
  { from, to, limit, after }: { from: string; to: string; limit: number; after?: TimePlace | undefined },
): Promise<MoneyRow[]> {
  const rows = shop.all<{ row: string }>(
    `SELECT row FROM money WHERE at BETWEEN ? AND ? AND (at, id) > (?, ?) AND day BETWEEN ? AND ?
       AND json_extract(row, '$.gone') IS NULL ORDER BY at, id LIMIT ?`,
    // A day of the shop begins up to 14 hours before the day of UTC, and ends up to 12 hours later.
    ...[Date.parse(from) - DAY_MS, Date.parse(to) + 2 * DAY_MS, after?.at ?? 0, after?.id ?? '', from, to, limit],
  )
  return rows.map(({ row }) => JSON.parse(row) as MoneyRow)
}

/** What people did in this month, the newest first. */
export async function auditOfMonth(
  { shop }: BooksScope,
  { limit, after }: { limit: number; after?: TimePlace | undefined },
): Promise<(TimePlace & { entry: object })[]> {
  const query = `SELECT at, id, entry FROM audit ${after ? 'WHERE (at, id) < (?, ?)' : ''} ORDER BY at DESC, id DESC LIMIT ?`
  const rows = shop.all<TimePlace & { entry: string }>(query, ...(after ? [after.at, after.id] : []), limit)
  return rows.map((row) => ({ ...row, entry: JSON.parse(row.entry) as object }))
}
