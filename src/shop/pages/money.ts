import { numberFormat } from '../../lib/formats.ts'
import type { Wording } from './options.ts'

/** An amount as the language writes it: `100,50 грн`. A currency without cents shows none; no cent is rounded away. */
export function money(
  { locale, currencies }: Pick<Wording, 'locale' | 'currencies'>,
  amount: number,
  currency: string,
): string {
  try {
    const format = numberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 3 })
    const parts = format.formatToParts(amount)
    return parts.map(({ type, value }) => (type === 'currency' ? (currencies[currency] ?? value) : value)).join('')
  } catch {
    // A payment may name an invalid currency code.
    return `${amount.toFixed(2)} ${currency}`
  }
}
