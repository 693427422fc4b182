/**
 * Whether a text is a card verification value: three or four digits, nothing else.
 * @see The service's document, "Direct-mode rules".
 * @example
 * import { isCvv } from 'edgetill/card'
 * isCvv('123') // true
 */
export function isCvv(value: unknown): value is string {
  return typeof value === 'string' && /^\d{3,4}$/.test(value)
}
