import { dateFormat } from './formats.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS: number = 24 * HOUR_MS

/** How a time zone writes a day; undefined for an unknown zone. */
export function zoneOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return dateFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch {
    return undefined
  }
}

/** The shop's time zone; UTC where it has none that is known. */
export const shopZone = ({ SHOP_TZ }: { SHOP_TZ?: string | undefined }): string =>
  SHOP_TZ && zoneOf(SHOP_TZ) ? SHOP_TZ : 'UTC'

/** The day of a moment in the shop's time zone, `2026-11-23`. */
export function dayOf(time: number, env: { SHOP_TZ?: string }): string {
  const parts = zoneOf(shopZone(env))?.formatToParts(time)
  return ['year', 'month', 'day'].map((type) => parts?.find((part) => part.type === type)?.value).join('-')
}
