/** Calendar and clock arithmetic in UTC, on milliseconds since the epoch. */
import * as v from 'valibot'
import { fields, InputError, parseInput } from '../parse-input.ts'
import { shared } from './state.ts'

export const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
export const YEAR: number = 365 * DAY

/** The last moment that the clock can show: token and expiry dates a year later still have a year of four digits. */
export const LAST_MOMENT: number = Date.UTC(9998, 11, 31, 23, 59, 59, 999)

/** A length of time. Months and years are calendar months: 31 January and one month is the last day of February. */
export interface Duration {
  ms?: number
  seconds?: number
  minutes?: number
  hours?: number
  days?: number
  weeks?: number
  months?: number
  years?: number
}

/**
 * How long something takes in real time; 0 under a clock that stands still, so that the same run gives the same bytes.
 */
export function stopwatch({ clockMoves }: { clockMoves: boolean }): () => number {
  const began = performance.now()
  return () => (clockMoves ? Math.round(performance.now() - began) : 0)
}

/**
 * TIMESTAMP of the API document: `yyyy-MM-ddTHH:mm:ss.SSS`, no zone. The emulator writes UTC (assumption: the zone is
 * not shown).
 */
export function timestamp(ms: number): string {
  return shared(new Date(ms).toISOString().slice(0, 23))
}

/** TIMESTAMP without its fraction, as `cc_token_expiration` may come. */
export function timestampWithoutFraction(ms: number): string {
  return shared(new Date(ms).toISOString().slice(0, 19))
}

/** Date of the API document: `YYYY-MM-DD`. */
export function date(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Adds calendar months and keeps the day, or takes the month's last day if that day does not exist. */
export function addMonths(ms: number, months: number): number {
  const from = new Date(ms)
  const month = from.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), lastDay)) + timeOfDay(ms)
}

export function timeOfDay(ms: number): number {
  return ((ms % DAY) + DAY) % DAY
}

export function addDuration(ms: number, duration: Duration): number {
  const months = (duration.months ?? 0) + 12 * (duration.years ?? 0)
  const days = (duration.days ?? 0) + 7 * (duration.weeks ?? 0)
  const minutes = (duration.minutes ?? 0) + 60 * (duration.hours ?? 0)
  return addMonths(ms, months) + days * DAY + minutes * 60_000 + (duration.seconds ?? 0) * 1000 + (duration.ms ?? 0)
}

/** Milliseconds of midnight of a `YYYY-MM-DD` that names an existing day; undefined for anything else. */
export function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  return Number.isNaN(ms) || date(ms) !== text ? undefined : ms
}

/**
 * Milliseconds since the epoch of a time with its zone such as `2026-01-31T10:00:00Z`, or of a day (UTC); undefined for
 * anything else. `Date` would read `5`, and 30 February, and without a zone another moment on each machine.
 */
export function parseInstant(text: string): number | undefined {
  const [, day = '', time = ''] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const ms = parseDate(day) === undefined ? Number.NaN : Date.parse(`${day}${time}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Milliseconds since midnight of a `HH:MM:SS`; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/.exec(text)
  if (!match) return undefined
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])) * 1000
}

// Text as well as a number: `{"hours":"2"}` comes from shells.
const message = 'must be a number, and not negative: set the clock to move it back.'
const number = v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+(\.\d+)?$/), v.transform(Number))], message)
const length = v.pipe(
  number,
  v.check((value) => Number.isFinite(value) && value >= 0, message),
)
const whole = v.pipe(
  length,
  v.check((value) => Number.isInteger(value), 'must be a whole number.'),
)

type Length = v.GenericSchema<unknown, number | undefined>
const any: Length = v.optional(length)
const calendar: Length = v.optional(whole)

export const DURATION_ENTRIES: Record<keyof Duration, Length> = {
  ms: any,
  seconds: any,
  minutes: any,
  hours: any,
  days: any,
  weeks: any,
  months: calendar,
  years: calendar,
}

const DURATION = fields('time unit', DURATION_ENTRIES)

/** @throws {ConfigError} for an unknown unit, a negative number or a fraction of a month. */
export function parseDuration(input: unknown): Duration {
  if (typeof input !== 'object' || input === null) throw new InputError('A duration is an object such as { days: 1 }.')
  return parseInput(DURATION, input) as Duration
}

/** Milliseconds since the epoch of a number or a time with its zone. @throws {ConfigError} when it is neither. */
export function parseMoment(at: number | string): number {
  const ms = typeof at === 'string' ? parseInstant(at) : at
  if (!Number.isFinite(ms) || ms === undefined)
    throw new InputError(`${JSON.stringify(at)} is not a time; write 2026-01-31T10:00:00Z.`)
  return ms
}
