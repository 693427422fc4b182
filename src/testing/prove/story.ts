/** The kinds of orders that are played. */
export const ORDER_KINDS = [
  'paid',
  'declined',
  'retried',
  'three_d_secure',
  'three_d_secure_declined',
  'abandoned',
  'captured',
  'capture_failed',
  'voided',
  'refunded',
  'refund_failed',
  'recurring',
  'cancelled',
  'other_methods',
] as const

/**
 * `retried`: declined, then paid with a second card. `captured`: authorized, then captured in parts. `abandoned`: 3-D Secure that
 * the customer never finished. `other_methods`: a credit, a transfer between cards and a check of a card, none of which pays.
 */
export type OrderKind = (typeof ORDER_KINDS)[number]

/** How a capture, refund or void ends, and whether it is pending before. */
export type Ending = 'success' | 'failure' | 'pending' | 'pending_success' | 'pending_failure'

/** What happens at the service. The first one of a story creates the order. */
export type Action =
  | { do: keyof typeof PRIMARY | 'charge' }
  | { do: 'capture' | 'refund' | 'increment'; minor: number; ends?: Ending }
  | { do: 'void'; ends?: Ending }

const PRIMARY = {
  pay: 'the customer pays',
  decline: "the customer's card is declined for",
  decline_then_pay: 'the first card is declined, a second one pays',
  three_d_secure: 'after 3-D Secure the customer pays',
  three_d_secure_declined: 'after 3-D Secure the card is declined for',
  abandon: 'the customer leaves during 3-D Secure, with',
  authorize: 'the customer authorizes',
  subscribe: 'the customer pays, to be repeated each month,',
  cancel: 'the unpaid order is cancelled, of',
  credit: 'the customer is paid out (credit)',
  p2p: 'one card sends to another (p2p)',
  lookup: 'a card is checked (lookup), with',
} as const

/** How a genuine webhook travels, in words that follow its name. */
export const WAYS = {
  plain: 'arrives',
  together: 'arrives twice at the same moment',
  with_next: 'arrives at the same moment as the next one',
  other_fields: 'arrives by another way, with other optional fields',
  lost_answer: 'arrives; the answer is lost, so it is sent again',
  hang_up: 'arrives; the sender hangs up and sends it again',
  killed: 'arrives; the receiver is killed as soon as it has answered',
  killed_later: 'arrives; the receiver is killed a while after it has answered',
  killed_before: 'arrives; the receiver is killed before it answers, and gets it again',
} as const
export type Way = keyof typeof WAYS

/** What somebody else sends, in words. */
export const INTRUSIONS = {
  unsigned: 'without a signature',
  empty_signature: 'with an empty signature',
  array_signature: 'with signature[] in place of signature',
  wrong_signature: 'with one wrong letter in its signature',
  short_signature: 'with the first letters of its signature alone',
  other_case: 'with its signature in other case',
  other_secret: 'signed with a guessed secret',
  no_secret: 'signed with an empty secret',
  other_pos: 'of another POS, signed with the secret of that one',
  bent: 'with the signature of a genuine webhook over changed data',
  doubled_last: 'as a second data after that of a genuine webhook',
  doubled_first: 'as a first data before that of a genuine webhook',
  from_inside: 'without a signature, with headers of a proxy that name this machine',
  not_base64: 'whose data is not base64url',
  not_a_form: 'as JSON, not as a form',
  huge: 'of two megabytes, without a genuine signature',
} as const
export type Intrusion = keyof typeof INTRUSIONS

/** What comes in place of what was asked for. */
export const MISMATCHES = [
  'amount',
  'cent_less',
  'cent_more',
  'currency',
  'processed_amount',
  'processed_currency',
] as const
export type Mismatch = (typeof MISMATCHES)[number]

/** What a webhook has beside its usual fields, in words. */
export const FIELDS = {
  base64url: 'their data has - and _',
  texts: 'they have Cyrillic letters, quotes and emoji',
  nulls: 'optional fields are null',
  bare: 'optional fields without a value are left out',
  unknown: 'they have fields that the API document does not name',
} as const
export type Fields = keyof typeof FIELDS

/** Pairs of ids that a database or a program confuses, made of one that is new. */
export const TWINS: Readonly<Record<string, (id: string) => [string, string]>> = {
  case: (id) => [`${id}-ab`, `${id}-AB`],
  after_32: (id) => [`${id.padEnd(32, '0')}A`, `${id.padEnd(32, '0')}B`],
  prefix: (id) => [`${id}-1`, `${id}-10`],
  underscore: (id) => [`${id}-x1`, `${id}-_1`],
  percent: (id) => [`${id}-50`, `${id}-%`],
  plus: (id) => [`${id}-a b`, `${id}-a+b`],
  accents: (id) => [`${id}-и`, `${id}-й`],
}

/** A webhook's payload. */
export type Payload = Readonly<Record<string, unknown>>

/** A request to the receiver: webhook `nth` of an action, or an intrusion that claims something. */
export type Sending =
  | { action: number; nth: number; way: Way }
  | { intrusion: Intrusion; claims: 'purchase' | 'refund' }

/** An order under attack. */
export interface Story {
  /** What the shop asks for, in minor units of `currency`, by default UAH. */
  asked: number
  currency?: string
  mismatch?: Mismatch
  /** The webhooks were made days ago. */
  late: boolean
  fields?: Fields
  /** Another order was paid before, whose id is easily taken for this one's: a key of TWINS. */
  twin?: string
  /** So many orders like this one at the same moment. */
  crowd?: number
  /** The state is read when all time for it is over. */
  lingers?: boolean
  actions: readonly Action[]
  sendings: readonly Sending[]
  /** The webhooks of each action, if they were recorded. */
  events?: readonly (readonly Payload[])[]
}

/** How many webhooks an action makes. */
export const eventsOf = (action: Action): number => {
  if ('ends' in action) return action.ends?.startsWith('pending_') ? 2 : 1
  return /^(three_d_secure|three_d_secure_declined|decline_then_pay)$/.test(action.do) ? 2 : 1
}

export const isGenuine = (one: Sending): one is Exclude<Sending, { intrusion: unknown }> => 'way' in one

/** Minor units as people and the wire write them. */
export const decimals = (minor: number): number => minor / 100

export const currencyOf = ({ currency = 'UAH' }: Pick<Story, 'currency'>): string => currency
export const otherCurrency = (story: Pick<Story, 'currency'>): string => (currencyOf(story) === 'USD' ? 'EUR' : 'USD')

const money = (minor: number, currency: string): string => `${(minor / 100).toFixed(2)} ${currency}`

/** What is paid at the service. */
export function paidAt(story: Story): { minor: number; currency: string } {
  const { asked, mismatch } = story
  const less: Partial<Record<Mismatch, number>> = {
    amount: Math.max(1, Math.floor(asked / 10)),
    cent_less: asked - 1,
    cent_more: asked + 1,
  }
  return {
    minor: (mismatch && less[mismatch]) ?? asked,
    currency: mismatch === 'currency' ? otherCurrency(story) : currencyOf(story),
  }
}

/** The story with another price: its parts keep their shares of it. */
export function priced(story: Story, asked: number): Story {
  const sums = new Map<string, [before: number, after: number]>()
  const actions = story.actions.map((action): Action => {
    if (!('minor' in action)) return action
    const [before, after] = sums.get(action.do) ?? [0, 0]
    const sum = before + action.minor
    const scaled = Math.max(after + 1, Math.round((sum * asked) / story.asked))
    sums.set(action.do, [sum, scaled])
    return { ...action, minor: scaled - after }
  })
  return { ...story, asked, actions }
}

const ENDINGS: Readonly<Record<Ending, string>> = {
  success: '',
  failure: ', which fails',
  pending: ', which stays pending',
  pending_success: ', at first pending',
  pending_failure: ', at first pending, then it fails',
}

/** An action in words. */
export function describeAction(story: Story, action: Action): string {
  const { minor, currency } = paidAt(story)
  const ends = 'ends' in action && action.ends ? ENDINGS[action.ends] : ''
  if (action.do === 'charge') return `the next month is charged, ${money(minor, currency)}`
  if (action.do === 'void') return `the authorization is voided${ends}`
  if (!('minor' in action)) return `${PRIMARY[action.do]} ${money(minor, currency)}`
  const verb = { capture: 'is captured', refund: 'is refunded', increment: 'is added to the authorization' }[action.do]
  return `${money(action.minor, currency)} ${verb}${ends}`
}

/** What is special about a story's orders and webhooks, in words. */
export function describeStory(story: Story, order_id: string): string[] {
  const { asked, mismatch, late, fields, twin, crowd = 1 } = story
  return [
    ...(mismatch ? [`the shop asks for ${money(asked, currencyOf(story))}`] : []),
    ...(twin ? [`another order, whose id is easily taken for ${JSON.stringify(order_id)}, is paid first`] : []),
    ...(crowd > 1 ? [`${crowd} orders like this one are under way at the same moment`] : []),
    ...(late ? ['the webhooks were made days ago'] : []),
    ...(fields ? [`about the webhooks: ${FIELDS[fields]}`] : []),
  ]
}
