/** How a payment with a test card ends. */
export interface TestCard {
  /** A number that passes the Luhn check. */
  number: string
  /** What happens, in a sentence; shown on the checkout page. */
  says: string
  /** Whether the customer is sent through 3-D Secure first. */
  threeDSecure: boolean
  status: 'success' | 'failure' | 'pending'
  /** The `status_code` of a failure. */
  code?: string
  /** How scheduled charges of a subscription end when they do not end as the first payment did. */
  recurring?: 'decline' | 'decline_once'
  /** Without a fee: `fee` is null. */
  noFee?: boolean
  /** Paid from account to account: webhooks have `bank_pay`. */
  bankPay?: boolean
  /** The payer pays this many percent of the amount: webhooks have `processed_amount`. */
  paysPercent?: number
  /** Declined by a limit: webhooks have `limit_info`. */
  limit?: string
}

/** The names of the test cards. */
export type TestCardName =
  | 'success'
  | 'success_mastercard'
  | 'three_d_secure'
  | 'three_d_secure_declined'
  | 'insufficient_funds'
  | 'declined'
  | 'rejected_by_issuer'
  | 'antifraud'
  | 'blacklisted'
  | 'unsupported_card'
  | 'internal_error'
  | 'limit_exceeded'
  | 'timeout'
  | 'fee_null'
  | 'bank_pay'
  | 'payer_changes_amount'
  | 'recurring_declined'
  | 'recurring_declined_once'

const pays = (number: string, says: string): TestCard => ({ number, says, threeDSecure: false, status: 'success' })
const fails = (number: string, code: string, says: string): TestCard => ({
  number,
  says,
  threeDSecure: false,
  status: 'failure',
  code,
})

/** Test cards, by name. Any other number that passes the Luhn check is paid without 3-D Secure. Assumption throughout: the document names none. */
export const TEST_CARDS: Record<TestCardName, TestCard> = {
  success: pays('4111111111111111', 'Paid at once.'),
  success_mastercard: pays('5555555555554444', 'Paid at once.'),
  three_d_secure: { ...pays('4000000000003220', 'Asks for 3-D Secure, then paid.'), threeDSecure: true },
  three_d_secure_declined: {
    ...fails('4000000000003063', '4158', 'Asks for 3-D Secure, then rejected by the issuer.'),
    threeDSecure: true,
  },
  insufficient_funds: fails('4000000000009995', '4009', 'Declined: insufficient funds.'),
  declined: fails('4000000000000002', '4153', 'Declined.'),
  rejected_by_issuer: fails('4000000000000127', '4158', 'Rejected by the issuer.'),
  antifraud: fails('4100000000000019', '4154', 'Declined: anti-fraud.'),
  blacklisted: fails('4000000000009979', '4155', 'Declined: blacklisted.'),
  unsupported_card: fails('4000000000000069', '4156', 'Declined: card not supported.'),
  internal_error: fails('4000000000000119', '4005', 'Fails with an internal error.'),
  limit_exceeded: {
    ...fails('4000000000000341', '4010', 'Declined: over a limit; the webhook says when to try again.'),
    limit: 'Daily amount of the card exceeded',
  },
  timeout: { ...pays('4000000000000259', 'Stays pending, and fails by timeout after 15 minutes.'), status: 'pending' },
  fee_null: { ...pays('4000000000000077', 'Paid, and the webhook says fee: null.'), noFee: true },
  bank_pay: { ...pays('4000000000000093', 'Paid from account to account; the webhook has bank_pay.'), bankPay: true },
  payer_changes_amount: {
    ...pays('4000000000000010', 'The payer pays 90% of the amount; the webhook has processed_amount.'),
    paysPercent: 90,
  },
  recurring_declined: {
    ...pays('4000000000000036', 'Paid the first time; every scheduled charge is declined.'),
    recurring: 'decline',
  },
  recurring_declined_once: {
    ...pays('4000000000000028', 'Paid; the first attempt at each scheduled charge is declined, its retry is paid.'),
    recurring: 'decline_once',
  },
}

export function findCard(number: string): TestCard {
  return (
    Object.values(TEST_CARDS).find((card) => card.number === number) ?? {
      number,
      says: '',
      threeDSecure: false,
      status: 'success',
    }
  )
}

/** Luhn: from the right, every second digit is doubled, and the sum of all digits ends in 0. */
export function passesLuhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false
  let sum = 0
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i])
    const doubled = i % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** CC_MASK: digits hidden with `*`, first six and last four kept. */
export function maskNumber(number: string): string {
  return number.slice(0, 6) + '*'.repeat(Math.max(0, number.length - 10)) + number.slice(-4)
}

/** A card is valid to the end of its month, UTC. Two digits of a year belong to this century. */
export function isExpired(month: number, year: number, now: number): boolean {
  const full = year < 100 ? 2000 + year : year
  return Date.UTC(full, month, 1) <= now
}
