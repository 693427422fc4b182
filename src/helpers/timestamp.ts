import { InvalidInputError } from '../errors.ts'
import { kindOf } from '../lib/kind.ts'
import type { Timestamp } from '../schemas/values.ts'

const FORM = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?$/

function parts(operation: string, path: string, timestamp: unknown): [seconds: string, fraction: string] {
  const match = typeof timestamp === 'string' ? FORM.exec(timestamp) : null
  const [, seconds = '', fraction = ''] = match ?? []
  // Parsed as if in UTC, only to see whether the date exists: 2026-02-30 becomes another day, or nothing.
  const at = new Date(`${seconds}Z`)
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(seconds)) {
    throw new InvalidInputError(operation, [
      { path, message: 'must be a real time as yyyy-MM-ddTHH:mm:ss.SSS without a zone', received: kindOf(timestamp) },
    ])
  }
  return [seconds, fraction]
}

/**
 * Orders two timestamps of the service, with or without a fraction: `10:00:00` and `10:00:00.000` are the same time.
 * Both are in the same zone, so that no zone is needed.
 *
 * @returns Less than 0, 0, or more than 0, as `Array.sort` wants it.
 * @throws {InvalidInputError} when either is not a timestamp.
 * @see The API document, "Common types", TIMESTAMP.
 * @example
 * import { compareTimestamps } from 'edgetill'
 * compareTimestamps('2026-01-01T10:00:00', '2026-01-01T10:00:00.001') // < 0
 */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  const [x, y] = [parts('compareTimestamps', 'a', a), parts('compareTimestamps', 'b', b)].map(
    ([seconds, fraction]) => seconds + fraction.padEnd(9, '0'),
  ) as [string, string]
  return x < y ? -1 : x > y ? 1 : 0
}

/**
 * The instant of a timestamp in an explicit zone. The service's zone is not shown: yours to find out, with its support
 * or from a payment of your own.
 *
 * A time that a change to summer time skips is read with the offset from before the change; a time that occurs twice is
 * read as the first.
 *
 * @param timestamp As the service sends it; fractions beyond milliseconds are cut off.
 * @param zone `UTC`, an offset such as `+02:00`, or a name such as `Europe/Kyiv`.
 * @throws {InvalidInputError} when either is invalid.
 * @see The API document, "Common types", TIMESTAMP.
 * @example
 * import { timestampToDate } from 'edgetill'
 * timestampToDate('2026-01-01T10:00:00.000', 'Europe/Kyiv').toISOString() // 2026-01-01T08:00:00.000Z
 */
export function timestampToDate(timestamp: Timestamp, zone: string): Date {
  const [seconds, fraction] = parts('timestampToDate', 'timestamp', timestamp)
  // Without a zone the machine's own would be taken, silently.
  if (typeof zone !== 'string' || zone === '') {
    const message = 'must be a zone: UTC, an offset such as +02:00, or a name such as Europe/Kyiv'
    throw new InvalidInputError('timestampToDate', [{ path: 'zone', message, received: kindOf(zone) }])
  }
  const wall = Date.parse(`${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const fixed = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(zone)
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3])
    return new Date(wall - (fixed[1] === '-' ? -minutes : minutes) * 60_000)
  }
  // The zone's offset depends on the instant, which is not known yet. Unless the clocks change, it is the offset of the
  // day before; otherwise that of the day before or of the day after. An offset is right when the zone's clocks show
  // the timestamp at the instant that it gives. A time that is skipped fits neither, and takes the one from before.
  const before = wall - offset(zone, wall - 86_400_000)
  if (before + offset(zone, before) === wall) return new Date(before)
  const after = wall - offset(zone, wall + 86_400_000)
  return new Date(after + offset(zone, after) === wall ? after : before)
}

/** Milliseconds by which a zone's clocks are ahead of UTC at an instant. */
function offset(zone: string, at: number): number {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw new InvalidInputError('timestampToDate', [
      {
        path: 'zone',
        message: 'must be UTC, an offset such as +02:00, or a name such as Europe/Kyiv',
        received: kindOf(zone),
      },
    ])
  }
  const whole = Math.floor(at / 1000) * 1000
  const of: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of format.formatToParts(whole)) of[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = of
  // Date.UTC takes the year 1 for 1901.
  return new Date(Date.UTC(2000, month - 1, day, hour, minute, second)).setUTCFullYear(year, month - 1, day) - whole
}
