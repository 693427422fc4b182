import { date } from '../../schemas/input.ts'
import { listDays, listOperations } from '../../till/days.ts'
import { listActs } from '../engine/record.ts'
import { DAY_MS } from '../lib/day.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import type { Scope } from '../scope.ts'
import { invalidParameter, PAGE, type Routes, route } from './route.ts'

const DAYS = { from: date, to: date }
type Days = Record<keyof typeof DAYS, string>

const zoneOf = ({ env }: Scope): { timeZone?: string } => (env.SHOP_TZ ? { timeZone: env.SHOP_TZ } : {})

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
    id: 'listDays',
    may: 'view',
    needs: 'orders',
    query: DAYS,
    async run(_, scope, { query }) {
      checkDays(query)
      return { days: await listDays(scope.till, { ...query, ...zoneOf(scope) }) }
    },
  }),
  // The operations of days, the oldest first, for closing a day and for its file.
  'GET /api/operations': route({
    id: 'listOperations',
    may: 'view',
    needs: 'orders',
    query: { ...DAYS, ...PAGE },
    async run(_, scope, { query: { limit, cursor, ...days } }) {
      checkDays(days)
      const listing = `operations ${days.from} ${days.to}`
      const after = { limit, cursor: openCursor<string>(cursor, listing) }
      const page = await listOperations(scope.till, { ...days, ...zoneOf(scope), ...after })
      return { operations: page.operations, cursor: sealCursor(page.cursor ?? undefined, listing) }
    },
  }),
  // The acts of people, the newest first.
  'GET /api/audit': route({
    id: 'listAudit',
    may: 'view',
    needs: 'orders',
    query: PAGE,
    async run(_, scope, { query: { limit, cursor } }) {
      const after = openCursor<[at: number, id: string]>(cursor, 'audit')
      const { entries, next } = await listActs(scope, { limit, after })
      return { entries, cursor: sealCursor(next, 'audit') }
    },
  }),
}
