import { dateFormat } from './formats.ts'

/** How a time zone writes a day; undefined for an unknown zone. */
export function zoneOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return dateFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch {
    return undefined
  }
}

/** The day of a moment in a time zone, `2026-11-23`; empty for an unknown zone. */
export function dayIn(time: number, timeZone: string): string {
  const parts = zoneOf(timeZone)?.formatToParts(time)
  return ['year', 'month', 'day'].flatMap((type) => parts?.find((part) => part.type === type)?.value ?? []).join('-')
}

const QUARTER_MS = 900_000
const HOUR_MS = 4 * QUARTER_MS

/**
 * The first moment of a day in a known zone, which is at most 14 hours before UTC; each zone begins its days at a
 * quarter of an hour.
 */
export function startOfDay(day: string, timeZone: string): number {
  let time = Date.parse(day) - 14 * HOUR_MS
  while (dayIn(time, timeZone) < day) time += QUARTER_MS
  return time
}

/** Whether a text is a day such as `2026-11-23`. */
export const isDay = (text: unknown): text is string =>
  typeof text === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  (new Date(`${text}T00:00Z`).toJSON() ?? '').startsWith(text)
