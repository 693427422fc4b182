import { dateFormat } from '../../../lib/formats.ts'
import type { ShopEnv } from '../../env.ts'
import { dayOf, shopZone } from '../../lib/day.ts'
import type { Words } from '../words/words.ts'

/** The parts of a time that are written. */
const FORMATS = {
  full: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
  date: { day: 'numeric', month: 'short' },
  time: { timeStyle: 'short' },
  short: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
} as const

/** A time as the language writes it, in the shop's zone; a time without a zone stays as the service wrote it. */
export function timeOf(
  { locale }: Words,
  text: string | null | undefined,
  zone: string | undefined,
  how: keyof typeof FORMATS = 'full',
): string {
  if (!text) return ''
  const isInstant = /(Z|[+-]\d\d:?\d\d)$/.test(text)
  const time = Date.parse(isInstant ? text : `${text.trim().replace(' ', 'T')}Z`)
  if (Number.isNaN(time)) return text
  const timeZone = isInstant ? shopZone({ SHOP_TZ: zone }) : 'UTC'
  return dateFormat(locale, { ...FORMATS[how], timeZone }).format(time)
}

/** A day of the shop, as the language writes it. */
export const dayName = (words: Words, day: string, how: 'day' | 'date' = 'day'): string =>
  timeOf(words, `${day}T12:00:00Z`, 'UTC', how)

/** The same in a list: only the time for today, and no year for this year. */
export function shortTimeOf(words: Words, text: string, env: Pick<ShopEnv, 'SHOP_TZ'>, today: string): string {
  const on = dayOf(Date.parse(text), env)
  const isThisYear = on.split('-')[0] === today.split('-')[0]
  return timeOf(words, text, env.SHOP_TZ, on === today ? 'time' : isThisYear ? 'short' : 'full')
}
