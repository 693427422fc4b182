/** Whether the last digit of a number is its Luhn check digit. */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const weighted = Number(digits.at(-1 - i)) * (1 + (i % 2))
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

/** The lengths of the card numbers of each network, and the first digits that its issuers have. Public registers. */
const NETWORKS: readonly RegExp[] = [
  /^4\d{12}(\d{3}){0,2}$/, // Visa
  /^(?=.{15}$)3[47]/, // American Express
  /^(?=.{16}$)(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|9804)/, // Mastercard, Prostir
  /^(?=.{16,19}$)(6011|64[4-9]|6[25]|35(2[89]|[3-8])|220[0-4])/, // Discover, UnionPay, JCB, Mir
  /^(?=.{14,19}$)3(0[0-5]|095|[689])/, // Diners Club
  /^(?=.{13,19}$)(50(18|20|38)|5893|6304|6759|676[1-3])/, // Maestro
]

/** Whether digits are a card number by check digit, issuer prefix and length. About 1 of 50 random numbers is. */
export const isIssuedCardNumber = (digits: string): boolean =>
  NETWORKS.some((network) => network.test(digits)) && hasCheckDigit(digits)
