import { hasCheckDigit } from '../lib/card-number.ts'

/**
 * Whether a value is a card number: a string of 12 to 19 digits, without spaces, with a correct Luhn check digit.
 * @see The API document, "Direct-mode rules".
 * @example
 * import { isCardNumber } from 'edgetill/card'
 * isCardNumber('4242424242424242') // true
 */
export function isCardNumber(value: unknown): value is string {
  return typeof value === 'string' && /^\d{12,19}$/.test(value) && hasCheckDigit(value)
}
