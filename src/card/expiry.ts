import { isBuiltIn } from '../lib/kind.ts'

/**
 * Whether a card with this expiry is still valid. A card is valid until the end of its month in the cardholder's time
 * zone, so the month is over only when it is over in the last time zone (UTC−12).
 *
 * @param month 1 to 12.
 * @param year Two digits (2000 to 2099) or four.
 * @param now Milliseconds since 1970, or a `Date`.
 * @see The API document, "Direct-mode rules".
 * @example
 * import { isExpiry } from 'edgetill/card'
 * isExpiry(12, 30, Date.now())
 */
export function isExpiry(month: unknown, year: unknown, now: number | Date): boolean {
  if (!Number.isInteger(month) || !Number.isInteger(year)) return false
  const [m, y] = [month as number, fullYear(year as number)]
  if (m < 1 || m > 12 || y < 2000 || y > 2099) return false
  const endOfMonth = Date.UTC(y, m, 1) + 12 * 3_600_000
  const at = isBuiltIn(now, 'Date') ? Number(now) : now
  return typeof at === 'number' && at < endOfMonth
}

/** A year with two digits, as four digits. */
function fullYear(year: number): number {
  return year <= 99 ? 2000 + year : year
}
