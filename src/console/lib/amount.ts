import { leftOf, type OperationKind } from '../../money/protocol.ts'
import { money } from '../../shop/pages/money.ts'
import type { Words } from '../words/en.ts'

/** An amount of the wire as the language writes it, with the currency: `100,50 грн`. */
export const wireSum = (words: Words, amount: number, currency: string | null): string =>
  money(words, amount, currency ?? 'UAH')

/** The same of minor units. */
export const sumOf = (words: Words, minor: number, currency: string | null): string =>
  wireSum(words, minor / 100, currency)

const isComma = ({ lang }: Words): boolean => lang === 'uk'

/** Minor units as a person of the language types them: `100,50`. */
export const typed = (words: Words, minor: number): string =>
  (minor / 100).toFixed(2).replace('.', isComma(words) ? ',' : '.')

/**
 * Reads an amount as the language writes it: in Ukrainian `1 000,50`, and `1000.50` from a keyboard without a comma; in
 * English `1,000.50`.
 *
 * @returns Minor units, or what is wrong.
 */
export function readAmount(words: Words, text: string): number | string {
  const dense = text.trim().replaceAll(/[\s\u00a0\u202f]/g, '')
  const [, whole, decimals = ''] =
    (isComma(words) ? /^(\d{1,13})(?:[.,](\d+))?$/ : /^(\d{1,13}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d+))?$/).exec(dense) ??
    []
  if (whole === undefined) return words.amounts.format(typed(words, 10_050))
  if (decimals.length > 2) return words.amounts.decimals
  const minor = Number(whole.replaceAll(',', '')) * 100 + Number(decimals.padEnd(2, '0'))
  return minor === 0 ? words.amounts.zero : minor
}

/** What the version of an order says: what can still be asked for, and what is refunded, in minor units. */
export function readVersion(version = ''): { left: Record<OperationKind, number>; refunded: number } | undefined {
  const [, ...parts] = /:(\d{1,16})-(\d{1,16})-(\d{1,16})-(\d{1,16})$/.exec(version) ?? []
  const [authorized, captured, refunded, voided] = parts.map(Number)
  if (authorized === undefined || captured === undefined || refunded === undefined || voided === undefined)
    return undefined
  const totals = { authorized, captured, refunded, voided, fee: 0 }
  return { left: leftOf({ totals, operations: [] }, []), refunded }
}
