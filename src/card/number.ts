/**
 * Whether a text is a card number: 12 to 19 digits, without spaces, whose Luhn check digit is right.
 * @see The service's document, "Direct-mode rules".
 * @example
 * import { isCardNumber } from 'edgetill/card'
 * isCardNumber('4242424242424242') // true
 */
export function isCardNumber(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{12,19}$/.test(value)) return false
  let sum = 0
  for (let i = 0; i < value.length; i++) {
    const digit = Number(value[value.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
