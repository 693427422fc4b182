/**
 * Whether a value is a card number: a string of 12 to 19 digits, without spaces, with a correct Luhn check digit.
 * @see The API document, "Direct-mode rules".
 * @example
 * import { isCardNumber } from 'edgetill/card'
 * isCardNumber('4242424242424242') // true
 */
export function isCardNumber(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{12,19}$/.test(value)) return false
  let sum = 0
  for (let i = 0; i < value.length; i++) {
    const weighted = Number(value.at(-1 - i)) * (1 + (i % 2))
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}
