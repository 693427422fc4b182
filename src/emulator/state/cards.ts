import { InputError, shown } from '../parse-input.ts'
/** How a payment with a test card ends. */
export interface TestCard {
  name: TestCardName
  /** A number that passes the Luhn check. */
  number: string
  /** The outcome in a sentence; shown on the checkout page. */
  says: string
  /** Whether the customer is sent through 3-D Secure first. */
  threeDSecure: boolean
  status: 'success' | 'failure' | 'pending'
  /** The `status_code` of a failure. */
  code?: string
  /** How scheduled charges of a subscription end when they do not end as the first payment did. */
  recurring?: 'decline' | 'decline_once'
  /** The `status_code` of later operations with this card, if not the code of a success. */
  operations?: { capture?: string; void?: string; refund?: string; auth_increment?: string }
  /** Those operations are declined by a limit: `limit_info` in their webhooks. */
  laterLimit?: string
  /** Without a fee: `fee` is null. */
  noFee?: boolean
  /** Paid from account to account: webhooks have `bank_pay`. */
  bankPay?: boolean
  /** The payer pays this many percent of the amount: webhooks have `processed_amount`. */
  paysPercent?: number
  /** Declined by a limit: webhooks have `limit_info`, with this description. */
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
  | 'capture_declined'
  | 'capture_pending'
  | 'refund_declined'
  | 'void_declined'
  | 'timeout'
  | 'fee_null'
  | 'bank_pay'
  | 'payer_changes_amount'
  | 'recurring_declined'
  | 'recurring_declined_once'

const pays = (name: TestCardName, number: string, says: string, more: Partial<TestCard> = {}): TestCard => {
  return { name, number, says, threeDSecure: false, status: 'success', ...more }
}
const fails = (
  name: TestCardName,
  number: string,
  code: string,
  says: string,
  more: Partial<TestCard> = {},
): TestCard => pays(name, number, says, { status: 'failure', code, ...more })

/**
 * The test cards. Any other number that passes the Luhn check is paid without 3-D Secure.
 * Assumption throughout: the API document names no test cards.
 */
export const TEST_CARDS: readonly TestCard[] = [
  pays('success', '4111111111111111', 'Paid at once.'),
  pays('success_mastercard', '5555555555554444', 'Paid at once.'),
  pays('three_d_secure', '4000000000003220', 'Asks for 3-D Secure, then paid.', { threeDSecure: true }),
  fails('three_d_secure_declined', '4000000000003063', '4158', 'Asks for 3-D Secure, then rejected by the issuer.', {
    threeDSecure: true,
  }),
  fails('insufficient_funds', '4000000000009995', '4009', 'Declined: insufficient funds.'),
  fails('declined', '4000000000000002', '4153', 'Declined.'),
  fails('rejected_by_issuer', '4000000000000127', '4158', 'Rejected by the issuer.'),
  fails('antifraud', '4100000000000019', '4154', 'Declined: anti-fraud.'),
  fails('blacklisted', '4000000000009979', '4155', 'Declined: blacklisted.'),
  fails('unsupported_card', '4000000000000069', '4156', 'Declined: card not supported.'),
  fails('internal_error', '4000000000000119', '4005', 'Fails with an internal error.'),
  fails('limit_exceeded', '4000000000000341', '4010', 'Declined: over a limit; the webhook says when to try again.', {
    limit: 'Daily amount of the card exceeded',
  }),
  pays('capture_declined', '4000000000000051', 'Paid or authorized; every capture is declined, over a limit.', {
    operations: { capture: '4010', auth_increment: '4010' },
    laterLimit: 'Daily amount of captures exceeded',
  }),
  pays('capture_pending', '4000000000005100', 'Paid or authorized; every capture stays pending.', {
    operations: { capture: '2001' },
  }),
  pays('refund_declined', '4000000000005209', 'Paid; every refund is declined.', { operations: { refund: '4153' } }),
  pays('void_declined', '4000000000005308', 'Paid or authorized; every void is declined.', {
    operations: { void: '4153' },
  }),
  pays('timeout', '4000000000000259', 'Stays pending, and fails by timeout after 15 minutes.', { status: 'pending' }),
  pays('fee_null', '4000000000000077', 'Paid, and the webhook says fee: null.', { noFee: true }),
  pays('bank_pay', '4000000000000093', 'Paid from account to account; the webhook has bank_pay.', { bankPay: true }),
  pays(
    'payer_changes_amount',
    '4000000000000010',
    'The payer pays 90% of the amount; the webhook has processed_amount.',
    { paysPercent: 90 },
  ),
  pays('recurring_declined', '4000000000000036', 'Paid the first time; every scheduled charge is declined.', {
    recurring: 'decline',
  }),
  pays(
    'recurring_declined_once',
    '4000000000000028',
    'Paid; the first attempt at each scheduled charge is declined, its retry is paid.',
    { recurring: 'decline_once' },
  ),
]

/** How a card ends: the test card with this number, or else as `success` does. */
export function findCard(number: string): TestCard {
  return TEST_CARDS.find((card) => card.number === number) ?? pays('success', number, '')
}

/**
 * The number of a test card, by its name.
 *
 * @throws {ConfigError} for an unknown name.
 * @example
 * import { testCard } from 'edgetill/emulator'
 * const number = testCard('three_d_secure')
 */
export function testCard(name: TestCardName): string {
  const card = TEST_CARDS.find((candidate) => candidate.name === name)
  if (card === undefined) throw new InputError(`Unknown test card ${shown(name)}.`, 'name')
  return card.number
}

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
export function endOfCard(month: number, year: number): number {
  return Date.UTC(year < 100 ? 2000 + year : year, month, 1)
}
