import { askAll, askPage } from '../books/ask.ts'
import { auditOfBook, type Days, type DayTotal, moneyOfBook, type TimePlace, totalsOfBook } from '../books/days.ts'
import { invalidParameter, limitOf, openCursor, parseTime, queryOf, sealCursor } from '../lib/query.ts'
import type { C, Handler, Scope } from '../scope.ts'
import { PAGE_QUERY } from './orders.ts'

export const DAYS_QUERY: readonly string[] = ['from', 'to']
export const OPERATIONS_QUERY: readonly string[] = [...DAYS_QUERY, ...PAGE_QUERY]

/** The takings of a day in one currency by one way of payment. Amounts are minor units. */
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
  /** `paid` and `captured` without `refunded`, and without the purchases that were voided. */
  taken: number
  fee: number
  /** How many operations. */
  count: number
}

/** `GET /api/days`: what was taken on days of the shop's time zone. */
export const showDays: Handler = async (c, scope) => c.json({ days: await listDays(scope, daysOf(c, DAYS_QUERY)) })

async function listDays(scope: Scope, days: Days): Promise<ShopDay[]> {
  const found = new Map<string, ShopDay>()
  for (const total of await askAll(scope, totalsOfBook, days)) addTo(found, total)
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day)
}

const SIGNS: Partial<Record<DayTotal['kind'], number>> = { paid: 1, captured: 1, refunded: -1, given_back: -1 }

function addTo(found: Map<string, ShopDay>, { kind, count, amount, fee, ...where }: DayTotal): void {
  const { day, currency, method } = where
  const key = JSON.stringify([day, currency, method])
  const none = { authorized: 0, paid: 0, captured: 0, refunded: 0, voided: 0, taken: 0, fee: 0, count: 0 }
  const row = found.get(key) ?? { ...where, ...none }
  found.set(key, row)
  row[kind === 'given_back' ? 'voided' : kind] += amount
  row.fee += fee
  row.count += count
  row.taken += (SIGNS[kind] ?? 0) * amount
}

/** `GET /api/operations`: the operations of days, the oldest first, for closing a day and for its file. */
export const listOperations: Handler = async (c, scope) => {
  const query = queryOf(c, OPERATIONS_QUERY)
  const days = daysOf(c, OPERATIONS_QUERY)
  const listing = `operations ${days.from} ${days.to}`
  const after = openCursor(query.cursor, listing) as TimePlace | undefined
  const limit = limitOf(query)
  const rows = await askPage(scope, moneyOfBook, { ...days, limit: limit + 1, after }, { place: placeOf })
  const page = rows.slice(0, limit)
  const operations = page.map(({ at, id: _, ...row }) => ({ at: new Date(at).toISOString(), ...row }))
  return c.json({ operations, cursor: sealCursor(placeAfter(page, rows.length > limit), listing) })
}

/** `GET /api/audit`: what people did, the newest first. */
export const listAudit: Handler = async (c, scope) => {
  const query = queryOf(c, PAGE_QUERY)
  const after = openCursor(query.cursor, 'audit') as TimePlace | undefined
  const limit = limitOf(query)
  const rows = await askPage(scope, auditOfBook, { limit: limit + 1, after }, { place: placeOf, newestFirst: true })
  const page = rows.slice(0, limit)
  const entries = page.map(({ at, entry }) => ({ at: new Date(at).toISOString(), ...entry }))
  return c.json({ entries, cursor: sealCursor(placeAfter(page, rows.length > limit), 'audit') })
}

const placeOf = ({ at, id }: TimePlace): [number, string] => [at, id]

function placeAfter(page: readonly TimePlace[], isMore: boolean): TimePlace | undefined {
  const last = page.at(-1)
  return isMore && last ? { at: last.at, id: last.id } : undefined
}

const DAY_MS = 86_400_000
const MOST_DAYS = 92

/** The days of a query, both inclusive. */
function daysOf(c: C, known: readonly string[]): Days {
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
