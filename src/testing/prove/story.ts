/** The kinds of orders that are played. */
export const ORDER_KINDS = [
  'paid',
  'declined',
  'retried',
  'three_d_secure',
  'captured',
  'voided',
  'refunded',
  'recurring',
  'cancelled',
] as const

/** `retried`: declined, then paid with a second card. `captured`: authorized, then captured in parts. */
export type OrderKind = (typeof ORDER_KINDS)[number]

/** What happens at the service. The first one of a story creates the order. */
export type Action =
  | { do: 'pay' | 'decline' | 'decline_then_pay' | 'three_d_secure' | 'authorize' | 'subscribe' | 'cancel' }
  | { do: 'void' | 'charge' }
  | { do: 'capture' | 'refund'; minor: number }

/** How a genuine webhook travels. */
export const WAYS = ['plain', 'together', 'other_fields', 'lost_answer', 'hang_up', 'killed'] as const
export type Way = (typeof WAYS)[number]

/** What somebody else sends. */
export const INTRUSIONS = [
  'unsigned',
  'wrong_signature',
  'other_secret',
  'other_pos',
  'bent',
  'not_base64',
  'not_a_form',
  'huge',
] as const
export type Intrusion = (typeof INTRUSIONS)[number]

/** A request to the receiver: webhook `nth` of an action, or an intrusion that claims something. */
export type Sending =
  | { action: number; nth: number; way: Way }
  | { intrusion: Intrusion; claims: 'purchase' | 'refund' }

/** An order under attack. */
export interface Story {
  /** What the shop asks for, in minor units. */
  asked: number
  /** What the service is paid, if not what was asked. */
  mismatch?: 'amount' | 'currency'
  /** The webhooks were made days ago. */
  late: boolean
  actions: readonly Action[]
  sendings: readonly Sending[]
}

export const CURRENCY = 'UAH'
const OTHER_CURRENCY = 'USD'

/** Minor units as people and the wire write them. */
export const decimals = (minor: number): number => minor / 100

const money = (minor: number, currency: string): string => `${(minor / 100).toFixed(2)} ${currency}`

/** What is paid at the service: in a story of another amount, a tenth. */
export function paidAt({ asked, mismatch }: Story): { minor: number; currency: string } {
  return {
    minor: mismatch === 'amount' ? Math.max(1, Math.floor(asked / 10)) : asked,
    currency: mismatch === 'currency' ? OTHER_CURRENCY : CURRENCY,
  }
}

/** An action in words. */
export function describeAction(story: Story, action: Action): string {
  const { minor, currency } = paidAt(story)
  const whole = money(minor, currency)
  switch (action.do) {
    case 'pay':
      return `the customer pays ${whole}`
    case 'decline':
      return `the customer's card is declined (${whole})`
    case 'decline_then_pay':
      return `the first card is declined, a second one pays ${whole}`
    case 'three_d_secure':
      return `the customer pays ${whole} after 3-D Secure`
    case 'authorize':
      return `the customer authorizes ${whole}`
    case 'subscribe':
      return `the customer pays ${whole}, to be repeated each month`
    case 'cancel':
      return `the unpaid order of ${whole} is cancelled`
    case 'void':
      return 'the authorization is voided'
    case 'charge':
      return `the next month is charged, ${whole}`
    case 'capture':
      return `${money(action.minor, currency)} is captured`
    case 'refund':
      return `${money(action.minor, currency)} is refunded`
  }
}

/** How a webhook is sent, in words that follow its name. */
export const WAY_WORDS: Readonly<Record<Way, string>> = {
  plain: 'arrives',
  together: 'arrives twice at the same moment',
  other_fields: 'arrives by another way, with other optional fields',
  lost_answer: 'arrives; the answer is lost, so it is sent again',
  hang_up: 'arrives; the sender hangs up and sends it again',
  killed: 'arrives; the receiver is killed as soon as it has answered',
}

/** An intrusion in words. */
export const INTRUSION_WORDS: Readonly<Record<Intrusion, string>> = {
  unsigned: 'without a signature',
  wrong_signature: 'with one wrong letter in its signature',
  other_secret: 'signed with a guessed secret',
  other_pos: 'of another POS, signed with the secret of that one',
  bent: 'with the signature of a genuine webhook over changed data',
  not_base64: 'whose data is not base64url',
  not_a_form: 'as JSON, not as a form',
  huge: 'of two megabytes, without a genuine signature',
}
