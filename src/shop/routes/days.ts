import { actShop } from '../books/actions.ts'
import { auditOfMonth, type DayTotal, moneyOfMonth, type TimePlace, totalsOfMonth } from '../books/days.ts'
import { monthsOfShop } from '../books/orders.ts'
import { type MoneyRow, monthOf } from '../books/tables.ts'
import { monthsOfDays } from '../lib/day.ts'
import { invalidParameter, limitOf, openCursor, parseTime, queryOf, sealCursor } from '../lib/query.ts'
import type { C, Handler, Scope } from '../scope.ts'
import { PAGE_QUERY } from './orders.ts'

export const DAYS_QUERY: readonly string[] = ['from', 'to']
export const OPERATIONS_QUERY: readonly string[] = [...DAYS_QUERY, ...PAGE_QUERY]

/** What a shop took on a day in one currency by one way of payment. Amounts are minor units. */
export interface ShopDay {
  day: string
  currency: string
  /** The way of payment; `unknown` where the service did not say. */
  method: string
  /** Holds: nothing is taken by them. */
  authorized: number
  paid: number
  captured: number
  refunded: number
  voided: number
  /** `paid` and `captured` without `refunded`. */
  taken: number
  fee: number
  /** How many operations. */
  count: number
}

/** `GET /api/days`: what was taken on days of the shop's time zone. */
export const showDays: Handler = async (c, scope) => c.json({ days: await listDays(scope, daysOf(c, DAYS_QUERY)) })

async function listDays(scope: Scope, days: { from: string; to: string }): Promise<ShopDay[]> {
  const found = new Map<string, ShopDay>()
  for (const month of await monthsFor(scope, days)) {
    for (const total of await actShop(scope, month, totalsOfMonth, days)) addTo(found, total)
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day)
}

function addTo(found: Map<string, ShopDay>, { kind, count, amount, fee, ...where }: DayTotal): void {
  const { day, currency, method } = where
  const key = JSON.stringify([day, currency, method])
  const none = { authorized: 0, paid: 0, captured: 0, refunded: 0, voided: 0, taken: 0, fee: 0, count: 0 }
  const row = found.get(key) ?? { ...where, ...none }
  found.set(key, row)
  row[kind] += amount
  row.fee += fee
  row.count += count
  row.taken = row.paid + row.captured - row.refunded
}

/** `GET /api/operations`: the operations of days, the oldest first, for closing a day and for its file. */
export const listOperations: Handler = async (c, scope) => {
  const query = queryOf(c, OPERATIONS_QUERY)
  const days = daysOf(c, OPERATIONS_QUERY)
  const listing = `operations ${days.from} ${days.to}`
  const after = (await openCursor(query.cursor, listing)) as TimePlace | undefined
  const limit = limitOf(query)
  const rows: MoneyRow[] = []
  for (const month of (await monthsFor(scope, days)).reverse()) {
    if (rows.length > limit || (after && month < monthOf(after.at))) continue
    rows.push(...(await actShop(scope, month, moneyOfMonth, { ...days, limit: limit + 1 - rows.length, after })))
  }
  const page = rows.slice(0, limit)
  const operations = page.map(({ at, id: _, ...row }) => ({ at: new Date(at).toISOString(), ...row }))
  return c.json({ operations, cursor: await sealCursor(placeAfter(page, rows.length > limit), listing) })
}

/** `GET /api/audit`: what people did, the newest first. */
export const listAudit: Handler = async (c, scope) => {
  const query = queryOf(c, PAGE_QUERY)
  const after = (await openCursor(query.cursor, 'audit')) as TimePlace | undefined
  const limit = limitOf(query)
  const rows: (TimePlace & { entry: object })[] = []
  for (const month of await actShop(scope, undefined, monthsOfShop)) {
    if (rows.length > limit || (after && month > monthOf(after.at))) continue
    rows.push(...(await actShop(scope, month, auditOfMonth, { limit: limit + 1 - rows.length, after })))
  }
  const page = rows.slice(0, limit)
  const entries = page.map(({ at, entry }) => ({ at: new Date(at).toISOString(), ...entry }))
  return c.json({ entries, cursor: await sealCursor(placeAfter(page, rows.length > limit), 'audit') })
}

function placeAfter(page: readonly TimePlace[], isMore: boolean): TimePlace | undefined {
  const last = page.at(-1)
  return isMore && last ? { at: last.at, id: last.id } : undefined
}

async function monthsFor(scope: Scope, { from, to }: { from: string; to: string }): Promise<string[]> {
  const months = monthsOfDays(from, to)
  return (await actShop(scope, undefined, monthsOfShop)).filter((month) => months.has(month))
}

const DAY_MS = 86_400_000
const MOST_DAYS = 92

/** The days of a query, both inclusive. */
function daysOf(c: C, known: readonly string[]): { from: string; to: string } {
  const { from = '', to = '' } = queryOf(c, known)
  for (const [name, day] of Object.entries({ from, to })) {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && Number.isFinite(parseTime(day))
    if (!isDay) throw invalidParameter(name, 'must be a day such as 2026-03-01')
  }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (!(days >= 1 && days <= MOST_DAYS))
    throw invalidParameter('to', `must not be earlier than from, or ${MOST_DAYS} days later`)
  return { from, to }
}
