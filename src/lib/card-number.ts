/** Whether the last digit of a number is its Luhn check digit. */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const weighted = Number(digits.at(-1 - i)) * (1 + (i % 2))
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

/** The first digits that issuers of a network have, and the lengths of its card numbers. Public registers. */
const NETWORKS: readonly [prefix: RegExp, lengths: readonly number[]][] = [
  [/^4/, [13, 16, 19]], // Visa
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]], // Mastercard
  [/^3[47]/, [15]], // American Express
  [/^(6011|64[4-9]|65)/, [16, 17, 18, 19]], // Discover
  [/^62/, [16, 17, 18, 19]], // UnionPay
  [/^35(2[89]|[3-8])/, [16, 17, 18, 19]], // JCB
  [/^(30[0-5]|3095|36|3[89])/, [14, 15, 16, 17, 18, 19]], // Diners Club
  [/^(50(18|20|38)|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]], // Maestro
  [/^220[0-4]/, [16, 17, 18, 19]], // Mir
  [/^9804/, [16]], // Prostir
]

/** Whether digits are a card number by check digit, issuer prefix and length. About 1 of 50 random numbers is. */
export function isIssuedCardNumber(digits: string): boolean {
  return (
    NETWORKS.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits)) &&
    hasCheckDigit(digits)
  )
}
