import { dayIn, zoneOf } from '../../lib/day.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS: number = 24 * HOUR_MS

/** The shop's time zone; UTC if it has no known zone. */
export const shopZone = ({ SHOP_TZ }: { SHOP_TZ?: string | undefined }): string =>
  SHOP_TZ && zoneOf(SHOP_TZ) ? SHOP_TZ : 'UTC'

/** The day of a moment in the shop's time zone, `2026-11-23`. */
export const dayOf = (time: number, env: { SHOP_TZ?: string }): string => dayIn(time, shopZone(env))
