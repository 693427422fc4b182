import type { OrderScope } from '../scope.ts'
import type { Books, MoneyRow } from '../store/shop-tables.ts'

// What the shop's object of a month knows of its days: what was taken, and who did what.

/** Takes the operations of an order that were received in this month into its totals, and what people did into its list. */
export function putBooks({ shop }: Pick<OrderScope, 'shop'>, { version, money, audit }: Books): void {
  shop.atomically(() => {
    for (const row of money) {
      const where = 'WHERE at = ? AND id = ?'
      const query = `SELECT version, row FROM money ${where}`
      const [known] = shop.all<{ version: number; row: string }>(query, row.at, row.id)
      const text = JSON.stringify(row)
      if (known ? known.version > version || known.row === text : row.gone) continue
      if (known) add(shop, JSON.parse(known.row), -1)
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
  shop: OrderScope['shop'],
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
  { shop }: OrderScope,
  _: string,
  { from, to }: { from: string; to: string },
): Promise<DayTotal[]> {
  return shop.all<DayTotal>('SELECT * FROM total WHERE day BETWEEN ? AND ? AND count > 0', from, to)
}

const DAY_MS = 86_400_000

/** A place in a list that is sorted by time. */
export interface TimePlace {
  at: number
  id: string
}

/** The operations of days that were received in this month, the oldest first. */
export async function moneyOfMonth(
  { shop }: OrderScope,
  _: string,
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
  { shop }: OrderScope,
  _: string,
  { limit, after }: { limit: number; after?: TimePlace | undefined },
): Promise<(TimePlace & { entry: object })[]> {
  const query = `SELECT at, id, entry FROM audit ${after ? 'WHERE (at, id) < (?, ?)' : ''} ORDER BY at DESC, id DESC LIMIT ?`
  const rows = shop.all<TimePlace & { entry: string }>(query, ...(after ? [after.at, after.id] : []), limit)
  return rows.map((row) => ({ ...row, entry: JSON.parse(row.entry) as object }))
}
