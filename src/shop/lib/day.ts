import { dateFormat } from './formats.ts'

/** How a time zone writes a day; undefined for an unknown zone. */
export function zoneOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return dateFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch {
    return undefined
  }
}

/** The day of a moment in the shop's time zone, `2026-11-23`; in UTC where that is not known. */
export function dayOf(time: number, { SHOP_TZ }: { SHOP_TZ?: string }): string {
  const parts = zoneOf(SHOP_TZ || 'UTC')?.formatToParts(time) ?? []
  const [year, month, day] = ['year', 'month', 'day'].map((type) => parts.find((part) => part.type === type)?.value)
  return year === undefined ? new Date(time).toISOString().slice(0, 10) : `${year}-${month}-${day}`
}
