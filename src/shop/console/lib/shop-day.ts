import { clockAhead, type ShopEnv } from '../../env.ts'
import { DAY_MS, dayOf, HOUR_MS } from '../../lib/day.ts'
import type { ShopDay } from '../../routes/calls.ts'
import type { Visit } from '../visit.ts'

const MINUTE_MS = 60_000
/** How far from UTC a time zone can be. */
const FARTHEST_MS = 15 * HOUR_MS

/** The shop's clock. */
export const nowOf = ({ c, now }: Visit): number => now() + clockAhead(c.env)

/** The day of the shop, this many days ago. */
export function today(visit: Visit, daysAgo = 0): string {
  const day = Date.parse(dayOf(nowOf(visit), visit.c.env))
  return new Date(day - daysAgo * DAY_MS).toISOString().slice(0, 10)
}

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text)
}

/** When a day of the shop begins, milliseconds since 1970. @param plus This many days later. */
export function startOf(env: ShopEnv, day: string, plus = 0): number {
  const wanted = new Date(Date.parse(day) + plus * DAY_MS).toISOString().slice(0, 10)
  let [before, after] = [Date.parse(wanted) - FARTHEST_MS, Date.parse(wanted) + FARTHEST_MS]
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS
    if (dayOf(middle, env) < wanted) before = middle
    else after = middle
  }
  return after
}

/** The takings by currency, most operations first. */
export function sumsOf(days: readonly ShopDay[]): Map<string, number> {
  const counts = new Map<string, [sum: number, count: number]>()
  for (const { currency, taken_minor, count } of days) {
    const [sum, known] = counts.get(currency) ?? [0, 0]
    counts.set(currency, [sum + taken_minor, known + count])
  }
  const sorted = [...counts].sort(([, [, a]], [, [, b]]) => b - a)
  return new Map(sorted.map(([currency, [sum]]) => [currency, sum]))
}
