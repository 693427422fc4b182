import type { ShopEnv } from '../../shop/env.ts'
import { dayOf, shopZone } from '../../shop/lib/day.ts'
import { dateFormat } from '../../shop/lib/formats.ts'
import type { Words } from '../words/en.ts'

/** How much of a time is written. */
const FORMATS = {
  full: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
  time: { timeStyle: 'short' },
  short: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
} as const

/** A time as the language writes it, in the shop's zone; one without a zone as the service wrote it. */
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

/** The same in a list: of today the time alone, of this year without the year. */
export function shortTimeOf(words: Words, text: string, env: Pick<ShopEnv, 'SHOP_TZ'>, today: string): string {
  const on = dayOf(Date.parse(text), env)
  const isThisYear = on.split('-')[0] === today.split('-')[0]
  return timeOf(words, text, env.SHOP_TZ, on === today ? 'time' : isThisYear ? 'short' : 'full')
}
