import { date } from '../../schemas/input.ts'
import { askAll, askPage } from '../books/ask.ts'
import { auditOfBook, type Days, type DayTotal, moneyOfBook, type TimePlace, totalsOfBook } from '../books/days.ts'
import type { Position } from '../books/tables.ts'
import { DAY_MS } from '../lib/day.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { type RecordRow, shownEntry } from '../order/record.ts'
import type { ShopDay } from './results.ts'
import { invalidParameter, PAGE, type Routes, route } from './route.ts'

const DAYS = { from: date, to: date }

const SIGNS: Partial<Record<DayTotal['kind'], number>> = { paid: 1, captured: 1, refunded: -1, given_back: -1 }

function addTo(found: Map<string, ShopDay>, { kind, count, amount, fee, ...where }: DayTotal): void {
  const { day, currency, method } = where
  const key = JSON.stringify([day, currency, method])
  const none = { authorized_minor: 0, paid_minor: 0, captured_minor: 0, refunded_minor: 0, voided_minor: 0 }
  const row = found.get(key) ?? { ...where, ...none, taken_minor: 0, fee_minor: 0, count: 0 }
  found.set(key, row)
  row[`${kind === 'given_back' ? 'voided' : kind}_minor`] += amount
  row.fee_minor += fee
  row.count += count
  row.taken_minor += (SIGNS[kind] ?? 0) * amount
}

export const placeOf = ({ at, id }: TimePlace): Position => [at, id]

const MOST_DAYS = 92

/** @throws {ProblemError} for days, both inclusive, that end before they begin, or are too many. */
function checkDays({ from, to }: Days): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (!(days >= 1 && days <= MOST_DAYS))
    throw invalidParameter('to', `must not be earlier than from, or ${MOST_DAYS} days later`)
}

export const DAY_ROUTES: Routes<'GET /api/days' | 'GET /api/operations' | 'GET /api/audit'> = {
  // The takings of each day in the shop's time zone.
  'GET /api/days': route({
    may: 'view',
    needs: 'orders',
    query: DAYS,
    async run(_, scope, { query }) {
      checkDays(query)
      const found = new Map<string, ShopDay>()
      for (const total of await askAll(scope, totalsOfBook, query)) addTo(found, total)
      return { days: [...found.keys()].sort().map((key) => found.get(key) as ShopDay) }
    },
  }),
  // The operations of days, the oldest first, for closing a day and for its file.
  'GET /api/operations': route({
    may: 'view',
    needs: 'orders',
    query: { ...DAYS, ...PAGE },
    async run(_, scope, { query: { limit, cursor, ...days } }) {
      checkDays(days)
      const listing = `operations ${days.from} ${days.to}`
      const after = openCursor<Position>(cursor, listing)
      const { page, next } = await askPage(scope, moneyOfBook, { ...days, limit, after }, { place: placeOf })
      const operations = page.map(({ at, id: _, amount, taken, fee, ...row }) => {
        const money = { amount_minor: amount, taken_minor: taken, fee_minor: fee }
        return { at: new Date(at).toISOString(), ...row, ...money }
      })
      return { operations, cursor: sealCursor(next, listing) }
    },
  }),
  // The acts of people, the newest first.
  'GET /api/audit': route({
    may: 'view',
    needs: 'orders',
    query: PAGE,
    async run(_, scope, { query: { limit, cursor } }) {
      const after = openCursor<Position>(cursor, 'audit')
      const { page, next } = await askPage(scope, auditOfBook, { limit, after }, { place: placeOf, newestFirst: true })
      const entries = page.map(({ at, entry }) => shownEntry(at, entry as RecordRow['entry'] & { order_id: string }))
      return { entries, cursor: sealCursor(next, 'audit') }
    },
  }),
}
