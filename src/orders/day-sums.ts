import { ConfigError } from '../errors.ts'
import { dayIn, isDay, startOfDay } from '../lib/day.ts'
import type { TakingKind } from './takings.ts'

/** Operations of a kind on a day, in one currency by one way of payment. Amounts are hundredths. */
export interface DayTotal {
  day: string
  currency: string
  method: string
  kind: TakingKind
  count: number
  amount: number
  fee: number
}

/**
 * The takings of a day in one currency by one way of payment. Names that end in `_minor` are hundredths of the
 * currency's unit.
 */
export interface DaySum {
  day: string
  currency: string
  /** The way of payment; `unknown` where the service did not say. */
  method: string
  /** Holds, which do not count as taken. */
  authorized_minor: number
  paid_minor: number
  captured_minor: number
  refunded_minor: number
  voided_minor: number
  /** `paid_minor` and `captured_minor` without `refunded_minor`, and without the purchases that were voided. */
  taken_minor: number
  fee_minor: number
  /** How many operations. */
  count: number
}

const SIGNS: Partial<Record<DayTotal['kind'], number>> = { paid: 1, captured: 1, refunded: -1, given_back: -1 }

/** The amount that operations add to the takings, or take from them. */
export const takenOf = ({ kind, amount }: Pick<DayTotal, 'kind' | 'amount'>): number => (SIGNS[kind] ?? 0) * amount || 0

/** Adds totals up to a row for each day, currency and way of payment, in this order. */
export function sumDays(totals: readonly DayTotal[]): DaySum[] {
  const found = new Map<string, DaySum>()
  for (const { kind, count, amount, fee, day, currency, method } of totals) {
    const key = JSON.stringify([day, currency, method])
    const none = { authorized_minor: 0, paid_minor: 0, captured_minor: 0, refunded_minor: 0, voided_minor: 0 }
    const row = found.get(key) ?? { day, currency, method, ...none, taken_minor: 0, fee_minor: 0, count: 0 }
    found.set(key, row)
    row[`${kind === 'given_back' ? 'voided' : kind}_minor`] += amount
    row.fee_minor += fee
    row.count += count
    row.taken_minor += takenOf({ kind, amount })
  }
  return [...found.keys()].sort().map((key) => found.get(key) as DaySum)
}

/** Days such as `2026-11-23`, both inclusive, at most 92, in an IANA time zone. Default `UTC`. */
export interface DaysQuery {
  from: string
  to: string
  timeZone?: string | undefined
}

/** An operation that succeeded. Names that end in `_minor` are hundredths of the currency's unit. */
export interface TillOperation {
  /** When its success was received, ISO 8601, UTC. */
  at: string
  day: string
  /** Of its attempt. */
  order_id: string
  kind: 'authorized' | 'paid' | 'captured' | 'refunded' | 'voided'
  /** The way of payment; `unknown` where the service did not say. */
  method: string
  amount_minor: number
  /** The amount that it adds to the takings, or takes from them: 0 for a hold and its release. */
  taken_minor: number
  fee_minor: number
  currency: string
  reference: string | null
  description: string | null
  customer_name: string | null
  last_four: string | null
}

const DAY_MS = 86_400_000
const MOST_DAYS = 92

/**
 * The moments at which the first day begins and the last day ends. @throws {ConfigError} for a wrong day, too many days
 * or an unknown zone.
 */
export function boundsOf({ from, to, timeZone = 'UTC' }: DaysQuery): [start: number, end: number, zone: string] {
  for (const [field, day] of Object.entries({ from, to }))
    if (!isDay(day)) throw new ConfigError(field, `${field} must be a day such as 2026-11-23.`)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (!(days >= 1 && days <= MOST_DAYS))
    throw new ConfigError('to', `to must not be earlier than from, or ${MOST_DAYS} days later.`)
  if (dayIn(0, timeZone) === '') throw new ConfigError('timeZone', 'timeZone must be a name such as Europe/Kyiv.')
  const next = new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10)
  return [startOfDay(from, timeZone), startOfDay(next, timeZone), timeZone]
}
