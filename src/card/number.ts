import { hasCheckDigit } from '../lib/card-number.ts'

/**
 * Whether a text is a card number: 12 to 19 digits, without spaces, whose Luhn check digit is right.
 * @see The service's document, "Direct-mode rules".
 * @example
 * import { isCardNumber } from 'edgetill/card'
 * isCardNumber('4242424242424242') // true
 */
export function isCardNumber(value: unknown): value is string {
  return typeof value === 'string' && /^\d{12,19}$/.test(value) && hasCheckDigit(value)
}
