import { ProveError } from '../tested-shop.ts'
import { FIELDS, INTRUSIONS, type Intrusion } from './bodies.ts'
import { DEEDS } from './deeds.ts'

/** The courses of each kind, of 100.50 in all: actions at the service, with a part in minor units and an end. */
export const COURSES = {
  paid: 'pay | process_then_pay | pay adjust:1500',
  declined: 'decline',
  retried: 'decline_then_pay | abandon_then_pay',
  three_d_secure: 'three_d_secure',
  three_d_secure_declined: 'three_d_secure_declined',
  abandoned: 'abandon',
  captured: `authorize capture:4020 | authorize capture:4020 capture:6030 | authorize capture:2500 capture:2500
    | authorize increment:500 capture:11000`,
  capture_failed:
    'authorize capture:999:failure | authorize capture:999:pending_success | authorize capture:999:pending',
  voided: 'authorize void | authorize | authorize void:failure capture:10050',
  refunded: 'pay refund:3020 | pay refund:2029 refund:2011 | pay refund:2500 refund:2500 | pay refund:10050',
  refund_failed: `pay refund:3020:failure | pay refund:3020:pending
    | pay refund:3020:pending_success | pay refund:3020:pending_failure`,
  recurring: 'subscribe charge',
  cancelled: 'cancel',
  other_methods: 'credit | p2p | lookup',
} as const

/**
 * `retried`: declined or left during 3-D Secure, then paid with a second card. `captured`: authorized, then captured in
 * parts. `abandoned`: 3-D Secure that the customer never finished. `other_methods`: a credit, a transfer between cards
 * and a check of a card, none of which pays.
 */
export type OrderKind = keyof typeof COURSES
export const ORDER_KINDS: OrderKind[] = Object.keys(COURSES) as OrderKind[]

/** How a capture, refund or void ends, in words. */
const ENDINGS = {
  success: '',
  failure: ', which fails',
  pending: ', which stays pending',
  pending_success: ', at first pending',
  pending_failure: ', at first pending, then it fails',
} as const

/** `minor` is the part of the price, in minor units. */
export type Action = { do: string; minor?: number; ends?: keyof typeof ENDINGS }

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
  one_less: (asked) => ({ minor: asked - 100 }),
  currency: (_, __, currency) => ({ currency }),
  processed_amount: (asked, to) => ({ processed: { processed_amount: tenthOf(asked) / 100, processed_currency: to } }),
  processed_currency: (asked, _, to) => ({ processed: { processed_amount: asked / 100, processed_currency: to } }),
}
const tenthOf = (asked: number): number => Math.max(1, Math.floor(asked / 10))
const digitsOf = (id: string): string => `1${[...id].map((letter) => letter.charCodeAt(0) % 10).join('')}`

/** Pairs of ids that a database or a program confuses. */
export const TWINS: Readonly<Record<string, (id: string) => [string, string]>> = {
  case: (id) => [`${id}-ab`, `${id}-AB`],
  after_32: (id) => [`${id.padEnd(32, '0')}A`, `${id.padEnd(32, '0')}B`],
  prefix: (id) => [`${id}-1`, `${id}-10`],
  underscore: (id) => [`${id}-x1`, `${id}-_1`],
  percent: (id) => [`${id}-50`, `${id}-%`],
  plus: (id) => [`${id}-a b`, `${id}-a+b`],
  // Equal to a program that compares texts as numbers.
  numbers: (id) => [`${digitsOf(id)}e2`, `${digitsOf(id)}00`],
  trailing_space: (id) => [`${id}-z`, `${id}-z `],
  accents: (id) => [`${id}-и`, `${id}-й`],
}

/** Webhook `nth` of an action, and how it travels. */
export type Genuine = { action: number; nth: number; way: Way }
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
  late?: boolean
  /** Another order with an easily confused id was paid before: a key of TWINS. */
  twin?: string
  /** How many such orders are under way at the same moment. */
  crowd?: number
  /** The state is read when all time for it is over. */
  lingers?: boolean
  /** Each webhook waits until the shop has processed the previous one. */
  paced?: boolean
  /** The shop never made the order. */
  stranger?: boolean
  actions: readonly Action[]
  sendings: readonly Sending[]
}

const inWords = (minor: number, currency: string): string => `${decimals(minor).toFixed(2)} ${currency}`

/** The traits of a whole order: the attack's name, `{}` is the value, and its words. */
const TRAITS = {
  mismatch: ['pays other {}', (story: Story) => `the shop asks for ${inWords(story.asked, currencyOf(story))}`],
  stranger: ['an order that was never made', () => 'the shop never made this order'],
  twin: ['ids {}', (_: Story, id: string) => `another order is paid first, whose id is like ${JSON.stringify(id)}`],
  crowd: ['several orders at once', ({ crowd }: Story) => `${crowd} orders like this one are under way at once`],
  late: ['days late', () => 'the webhooks were made days ago'],
  fields: ['fields {}', ({ fields = '' }: Story) => `about the webhooks: ${FIELDS[fields]?.[0]}`],
} as const

const traitsOf = (story: Story) => (Object.keys(TRAITS) as (keyof typeof TRAITS)[]).filter((name) => story[name])

/** The attacks of a story, by name. */
export function attacksOf(story: Story): string[] {
  const order = genuineOf(story).map(at)
  const ways = story.sendings.map((one) => (isGenuine(one) ? one.way : `forged ${one.intrusion}`))
  return [
    ...new Set(ways.filter((way) => way !== 'plain')),
    ...(new Set(order).size < order.length ? ['copy'] : []),
    ...(order.some((place, index) => place < (order[index - 1] ?? 0)) ? ['other order'] : []),
    ...traitsOf(story).map((name) => TRAITS[name][0].replace('{}', String(story[name]))),
  ]
}

/** The traits of a story's orders and webhooks, and the actions at the service, in words. */
export function describe(story: Story, order_id: string): string[] {
  const { minor: paid, currency } = paidAt(story)
  const deeds = story.actions.map(
    (one) =>
      (DEEDS[one.do]?.[0] ?? '').replace('{}', inWords(one.minor ?? paid, currency)) + ENDINGS[one.ends ?? 'success'],
  )
  return [...traitsOf(story).map((name) => TRAITS[name][1](story, order_id)), ...deeds]
}

export const isGenuine = (one: Sending): one is Genuine => 'way' in one
export const genuineOf = ({ sendings }: Pick<Story, 'sendings'>): Genuine[] => sendings.filter(isGenuine)

/** The place of a webhook in the natural order. */
export const at = ({ action, nth }: Genuine): number => action * 10 + nth
export const isRace = ({ crowd = 1, ...story }: Story): boolean =>
  crowd > 1 || genuineOf(story).some(({ way }) => /^(together|with_next|hang_up|killed_before|killed)$/.test(way))

/** The webhooks of actions, each once, in their natural order. */
export const natural = (actions: readonly Action[]): Genuine[] =>
  actions.flatMap(({ do: deed, ends = '' }, action) => {
    const isTwo = ends.startsWith('pending_') || /^three_d_secure|_then_pay$/.test(deed)
    return (isTwo ? [0, 1] : [0]).map((nth) => ({ action, nth, way: 'plain' }))
  })

/** The plain story of a course. */
export function storyOf(course: string): Story {
  const actions = course.split(' ').map((word) => {
    const [deed, ...more] = word.split(':')
    const minor = more.find((one) => /^\d+$/.test(one))
    const ends = more.find((one) => one in ENDINGS)
    return { do: deed, ...(minor && { minor: Number(minor) }), ...(ends && { ends }) } as Action
  })
  return { asked: 10_050, actions, sendings: natural(actions) }
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

/** The story with another price, and parts in proportion. */
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

/** A story as a file's JSON, to play a finding again. Only `prove` reads the fields of `story`. */
export interface StoryFile {
  edgetill_story: 1
  found?: { verdict: string; cause: string }
  story: object
}

/** Reads a story. @throws {ProveError} for anything else. */
export function readStory(json: unknown): Story {
  const story = ((json ?? {}) as { story?: Story }).story ?? ({} as Story)
  const { asked, actions, sendings, twin = 'case', fields = 'bare', mismatch = 'amount' } = story
  const isKnown = sendings?.every((one) => (isGenuine(one) ? one.way in WAYS : one.intrusion in INTRUSIONS))
  const isNamed = twin in TWINS && fields in FIELDS && mismatch in MISMATCHES
  const isStory = Number.isInteger(asked) && Array.isArray(actions) && sendings?.length > 0 && isKnown && isNamed
  if ((json as StoryFile | null)?.edgetill_story === 1 && isStory) return story
  throw new ProveError('story: must be the file that `edgetill prove` wrote for a finding.')
}
