import * as v from 'valibot'
import { fields, InputError, parseInput } from '../parse-input.ts'
import { type Duration, parseInstant } from './time.ts'

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

/** The units of a duration, for an object that has them beside other fields. */
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
  if (typeof input !== 'object') throw new InputError('A duration is an object such as { days: 1 }.')
  return parseInput(DURATION, input) as Duration
}

/** Milliseconds since the epoch of a number or a time with its zone. @throws {ConfigError} when it is neither. */
export function parseMoment(at: number | string): number {
  const ms = typeof at === 'string' ? parseInstant(at) : at
  if (!Number.isFinite(ms) || ms === undefined)
    throw new InputError(`${JSON.stringify(at)} is not a time; write 2026-01-31T10:00:00Z.`)
  return ms
}
