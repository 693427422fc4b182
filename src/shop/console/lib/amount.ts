import { numberFormat } from '../../../lib/formats.ts'
import type { OrderTotals } from '../../../orders/index.ts'
import { leftOf, type OperationKind } from '../../../till/protocol.ts'
import { money } from '../../pages/money.ts'
import type { Words } from '../words/words.ts'

type Currency = string | null | undefined

/** An amount of the wire as the language writes it, with the currency: `100,50 грн`. */
export const wireSum = (words: Words, amount: number, currency: Currency): string =>
  money(words, amount, currency || 'UAH')

/** The same of minor units. */
export const sumOf = (words: Words, minor: number, currency: Currency): string => wireSum(words, minor / 100, currency)

/** Minor units of an amount of the wire; 0 where there is none. */
export const minorOf = (amount: number | null): number => Math.round(Number(amount) * 100)

const isEnglish = ({ lang }: Words): boolean => lang !== 'uk'

/** Minor units as a person of the language types them: `100,50`. */
export const typed = (words: Words, minor: number): string =>
  (minor / 100).toFixed(2).replace('.', isEnglish(words) ? '.' : ',')

/** How a currency is written beside an amount, in both languages. */
function signsOf(currency: string): string[] {
  const shown = (['symbol', 'narrowSymbol'] as const).flatMap((currencyDisplay) => {
    try {
      const parts = numberFormat('en-GB', { style: 'currency', currency, currencyDisplay }).formatToParts()
      return parts.flatMap(({ type, value }) => (type === 'currency' ? value : []))
    } catch {
      return []
    }
  })
  return [currency, ...shown, ...(currency === 'UAH' ? ['грн.', 'грн'] : [])]
}

/**
 * The number without its currency, which may stand before or after it. Any other currency stays, because it makes
 * another amount.
 */
function withoutSign(text: string, currency: string): string {
  const dense = text.replaceAll(/\s/g, '').toLowerCase()
  for (const sign of signsOf(currency).map((one) => one.replaceAll(/\s/g, '').toLowerCase())) {
    if (dense.startsWith(sign)) return dense.slice(sign.length)
    if (dense.endsWith(sign)) return dense.slice(0, -sign.length)
  }
  return dense
}

/**
 * Reads an amount as people write and paste it, in either language: `1 234,50 грн`, `UAH 1,234.50`, `100₴`, `100,5`.
 * A comma or a point before one or two last digits is a decimal one; before three it groups thousands if the language
 * does that.
 *
 * @returns Minor units, or the sentence that names the mistake.
 */
export function readAmount(words: Words, text: string, currency: Currency): number | string {
  const number = withoutSign(text, currency || 'UAH')
  const whole = number.replace(/[.,]\d{0,2}$/, '')
  const separator = number[whole.length]
  const decimals = number.slice(whole.length + 1)
  const [, group] = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.exec(whole) ?? []
  const isPlain = /^\d{1,13}$/.test(whole)
  const isGrouped = group !== undefined && group !== separator && whole.length < 18
  // `1,234` is a thousand only in English; `1.234` and, in Ukrainian, `1,234` may as well be decimals.
  const isThousand = isEnglish(words) && group === ','
  if (/^\d+[.,]\d{3,}$/.test(number) && !isThousand) return words.amounts.decimals
  if (!isPlain && !isGrouped) return words.amounts.format(typed(words, 10_050))
  const minor = Number(whole.replaceAll(/[.,]/g, '')) * 100 + Number(decimals.padEnd(2, '0'))
  return minor === 0 ? words.amounts.zero : minor
}

/**
 * The contents of an order's version, in minor units: how much each kind of operation can still move, and the refunded
 * amount. Operations that are pending, in progress or of unknown outcome count as executed.
 *
 * @param captured The charged amount: a charge in progress cannot be refunded yet.
 */
export function readVersion(
  version = '',
  captured: number = Number.POSITIVE_INFINITY,
): { left: Record<OperationKind, number>; refunded: number } | undefined {
  const found = /:(\d{1,16})-(\d{1,16})-(\d{1,16})-(\d{1,16})$/.exec(version)
  if (!found) return undefined
  const [authorized, captured_minor, refunded, voided] = found.slice(1).map(Number) as [number, number, number, number]
  const totals = { authorized_minor: authorized, captured_minor, refunded_minor: refunded, voided_minor: voided }
  const left = leftOf({ totals: totals as OrderTotals, operations: [] }, [])
  return { left: { ...left, refund: Math.min(left.refund, captured - refunded) }, refunded }
}
