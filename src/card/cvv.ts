/**
 * Whether a value is a card verification value: a string of three or four digits.
 * @see The API document, "Direct-mode rules".
 * @example
 * import { isCvv } from 'edgetill/card'
 * isCvv('123') // true
 */
export function isCvv(value: unknown): value is string {
  return typeof value === 'string' && /^\d{3,4}$/.test(value)
}
