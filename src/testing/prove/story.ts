import { FIELDS, type Intrusion, type Payload } from './bodies.ts'

/** The course of an order of each kind, of 100.50 in all: actions at the service, with a part in minor units and an end. */
export const COURSES = {
  paid: 'pay',
  declined: 'decline',
  retried: 'decline_then_pay',
  three_d_secure: 'three_d_secure',
  three_d_secure_declined: 'three_d_secure_declined',
  abandoned: 'abandon',
  captured: 'authorize capture:4020 | authorize capture:4020 capture:6030 | authorize increment:500 capture:11000',
  capture_failed:
    'authorize capture:999:failure | authorize capture:999:pending_success | authorize capture:999:pending',
  voided: 'authorize void | authorize',
  refunded: 'pay refund:3020 | pay refund:2029 refund:2011 | pay refund:10050',
  refund_failed:
    'pay refund:3020:failure | pay refund:3020:pending | pay refund:3020:pending_success | pay refund:3020:pending_failure',
  recurring: 'subscribe charge',
  cancelled: 'cancel',
  other_methods: 'credit | p2p | lookup',
} as const

/**
 * `retried`: declined, then paid with a second card. `captured`: authorized, then captured in parts. `abandoned`: 3-D Secure that
 * the customer never finished. `other_methods`: a credit, a transfer between cards and a check of a card, none of which pays.
 */
export type OrderKind = keyof typeof COURSES

export const ORDER_KINDS: OrderKind[] = Object.keys(COURSES) as OrderKind[]

/** The actions at the service, in words; `{}` is the amount. The first action of a story creates the order. */
const DEEDS = {
  pay: 'the customer pays {}',
  decline: "the customer's card is declined for {}",
  decline_then_pay: 'the first card is declined, a second one pays {}',
  three_d_secure: 'after 3-D Secure the customer pays {}',
  three_d_secure_declined: 'after 3-D Secure the card is declined for {}',
  abandon: 'the customer leaves during 3-D Secure, with {}',
  authorize: 'the customer authorizes {}',
  subscribe: 'the customer pays, to be repeated each month, {}',
  cancel: 'the unpaid order is cancelled, of {}',
  credit: 'the customer is paid out (credit) {}',
  p2p: 'one card sends to another (p2p) {}',
  lookup: 'a card is checked (lookup), with {}',
  charge: 'the next month is charged, {}',
  void: 'the authorization is voided',
  capture: '{} is captured',
  refund: '{} is refunded',
  increment: '{} is added to the authorization',
} as const

/** How a capture, refund or void ends, in words. */
const ENDINGS = {
  success: '',
  failure: ', which fails',
  pending: ', which stays pending',
  pending_success: ', at first pending',
  pending_failure: ', at first pending, then it fails',
} as const

/** `minor` is the part of the price, in minor units. */
export type Action = { do: keyof typeof DEEDS; minor?: number; ends?: keyof typeof ENDINGS }

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

type Paid = { minor?: number; currency?: string; processed?: { processed_amount: number; processed_currency: string } }

/** A value in place of the requested one, at the service or, as `processed`, as its payer changed it. */
export const MISMATCHES: Readonly<Record<string, (asked: number, currency: string, other: string) => Paid>> = {
  amount: (asked) => ({ minor: tenthOf(asked) }),
  cent_less: (asked) => ({ minor: asked - 1 }),
  cent_more: (asked) => ({ minor: asked + 1 }),
  currency: (_, __, currency) => ({ currency }),
  processed_amount: (asked, to) => ({ processed: { processed_amount: tenthOf(asked) / 100, processed_currency: to } }),
  processed_currency: (asked, _, to) => ({ processed: { processed_amount: asked / 100, processed_currency: to } }),
}
const tenthOf = (asked: number): number => Math.max(1, Math.floor(asked / 10))

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

/** Webhook `nth` of an action, and how it travels. */
export type Genuine = { action: number; nth: number; way: Way }
/** A request to the receiver. */
export type Sending = Genuine | Intrusion

/** An order under attack. */
export interface Story {
  /** The shop's price, in minor units of `currency`, by default UAH. */
  asked: number
  currency?: string
  /** Keys of MISMATCHES and FIELDS. */
  mismatch?: string
  fields?: string
  /** The webhooks were made days ago. */
  late: boolean
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

export const isGenuine = (one: Sending): one is Genuine => 'way' in one
export const genuineOf = ({ sendings }: Pick<Story, 'sendings'>): Genuine[] => sendings.filter(isGenuine)

export const isRace = ({ crowd = 1, ...story }: Story): boolean =>
  crowd > 1 || genuineOf(story).some(({ way }) => /^(together|with_next|hang_up|killed_before|killed)$/.test(way))

/** The webhooks of actions, each once, in their natural order. */
export const natural = (actions: readonly Action[]): Genuine[] =>
  actions.flatMap(({ do: deed, ends = '' }, action) => {
    const isTwo = ends.startsWith('pending_') || /^(three_d_secure|decline_then_pay)/.test(deed)
    return (isTwo ? [0, 1] : [0]).map((nth) => ({ action, nth, way: 'plain' }))
  })

/** The story of a course, with nothing special about it. */
export function storyOf(course: string): Story {
  const actions = course.split(' ').map((word) => {
    const [deed, minor, ends] = word.split(':')
    return { do: deed, ...(minor && { minor: Number(minor) }), ...(ends && { ends }) } as Action
  })
  return { asked: 10_050, late: false, actions, sendings: natural(actions) }
}

/** Minor units as people and the wire write them. */
export const decimals = (minor: number): number => minor / 100

export const currencyOf = ({ currency = 'UAH' }: Story): string => currency
export const otherCurrency = (story: Story): string => (currencyOf(story) === 'USD' ? 'EUR' : 'USD')

/** The payment at the service, and its webhooks. */
export function paidAt(story: Story): Required<Pick<Paid, 'minor' | 'currency'>> & Paid {
  const [{ asked, mismatch }, currency] = [story, currencyOf(story)]
  return { minor: asked, currency, ...MISMATCHES[mismatch ?? '']?.(asked, currency, otherCurrency(story)) }
}

/** The story with another price: its parts keep their shares of it. */
export function priced(story: Story, asked: number): Story {
  const sums = new Map<string, [before: number, after: number]>()
  const actions = story.actions.map((action): Action => {
    if (action.minor === undefined) return action
    const [before, after] = sums.get(action.do) ?? [0, 0]
    const sum = before + action.minor
    const scaled = Math.max(after + 1, Math.round((sum * asked) / story.asked))
    sums.set(action.do, [sum, scaled])
    return { ...action, minor: scaled - after }
  })
  return { ...story, asked, actions }
}

/** The traits of a story's orders and webhooks, and the actions at the service, in words. */
export function describe(story: Story, order_id: string): string[] {
  const { asked, mismatch, late, fields, twin, crowd = 1, actions } = story
  const { minor: paid, currency } = paidAt(story)
  const money = (minor: number, of: string): string => `${decimals(minor).toFixed(2)} ${of}`
  return [
    ...(mismatch ? [`the shop asks for ${money(asked, currencyOf(story))}`] : []),
    ...(twin ? [`another order, whose id is easily taken for ${JSON.stringify(order_id)}, is paid first`] : []),
    ...(crowd > 1 ? [`${crowd} orders like this one are under way at the same moment`] : []),
    ...(late ? ['the webhooks were made days ago'] : []),
    ...(fields ? [`about the webhooks: ${FIELDS[fields]?.[0]}`] : []),
    ...actions.map(
      (one) => DEEDS[one.do].replace('{}', money(one.minor ?? paid, currency)) + ENDINGS[one.ends ?? 'success'],
    ),
  ]
}
