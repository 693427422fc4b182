import type { Words } from '../words/en.ts'

/** A time as the language writes it: an instant in the shop's zone; one without a zone as the service wrote it. */
export function timeOf({ locale }: Words, text: string | null | undefined, zone: string | undefined): string {
  if (!text) return ''
  const isInstant = /(Z|[+-]\d\d:?\d\d)$/.test(text)
  const time = Date.parse(isInstant ? text : `${text.trim().replace(' ', 'T')}Z`)
  if (Number.isNaN(time)) return text
  const format = { dateStyle: 'medium', timeStyle: 'short' } as const
  try {
    return new Intl.DateTimeFormat(locale, { ...format, timeZone: (isInstant && zone) || 'UTC' }).format(time)
  } catch {
    return new Intl.DateTimeFormat(locale, { ...format, timeZone: 'UTC' }).format(time)
  }
}
