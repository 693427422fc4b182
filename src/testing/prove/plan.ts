import { createRandom, type Random } from './random.ts'
import {
  type Action,
  eventsOf,
  FIELDS,
  INTRUSIONS,
  isGenuine,
  MISMATCHES,
  type OrderKind,
  priced,
  type Sending,
  type Story,
  TWINS,
  WAYS,
  type Way,
} from './story.ts'

/** What the shop under test lets us try. */
export interface Possible {
  kinds: readonly OrderKind[]
  /** It can be told what was asked. */
  create: boolean
  /** It can be killed. */
  restart: boolean
  /** It takes the order ids that it is given. */
  anyIds: boolean
}

const PAY: Action = { do: 'pay' }
const AUTHORIZE: Action = { do: 'authorize' }
const refund = (minor: number, ends?: 'failure' | 'pending' | 'pending_success' | 'pending_failure'): Action => ({
  do: 'refund',
  minor,
  ...(ends && { ends }),
})

/** What an order of each kind goes through, of 100.50 in all. */
const COURSES: Readonly<Record<OrderKind, readonly (readonly Action[])[]>> = {
  paid: [[PAY]],
  declined: [[{ do: 'decline' }]],
  retried: [[{ do: 'decline_then_pay' }]],
  three_d_secure: [[{ do: 'three_d_secure' }]],
  three_d_secure_declined: [[{ do: 'three_d_secure_declined' }]],
  abandoned: [[{ do: 'abandon' }]],
  refunded: [
    [PAY, refund(3_020)],
    [PAY, refund(2_029), refund(2_011)],
    [PAY, refund(10_050)],
  ],
  refund_failed: (['failure', 'pending', 'pending_success', 'pending_failure'] as const).map((ends) => [
    PAY,
    refund(3_020, ends),
  ]),
  captured: [
    [AUTHORIZE, { do: 'capture', minor: 4_020 }],
    [AUTHORIZE, { do: 'capture', minor: 4_020 }, { do: 'capture', minor: 6_030 }],
    [AUTHORIZE, { do: 'increment', minor: 500 }, { do: 'capture', minor: 11_000 }],
  ],
  capture_failed: [
    [AUTHORIZE, { do: 'capture', minor: 4_020, ends: 'failure' }],
    [AUTHORIZE, { do: 'capture', minor: 4_020, ends: 'pending_success' }],
  ],
  voided: [[AUTHORIZE, { do: 'void' }], [AUTHORIZE]],
  recurring: [[{ do: 'subscribe' }, { do: 'charge' }]],
  cancelled: [[{ do: 'cancel' }]],
  other_methods: [[{ do: 'credit' }], [{ do: 'p2p' }], [{ do: 'lookup' }]],
}

/** Amounts at which sums, roundings and numbers of 32 bits go wrong. */
const AMOUNTS = [1_999, 59_980, 435, 100_000, 29, 2_147_483_650]

const keys = <K extends string>(record: Readonly<Record<K, unknown>>): K[] => Object.keys(record) as K[]

const genuine = (actions: readonly Action[], way: Way = 'plain'): Sending[] =>
  actions.flatMap((action, index) =>
    Array.from({ length: eventsOf(action) }, (_, nth) => ({ action: index, nth, way })),
  )

const storyOf = (actions: readonly Action[], change: Partial<Story> = {}): Story => {
  return { asked: 10_050, late: false, actions, sendings: genuine(actions), ...change }
}

/** One story for each attack, with nothing else in it: a failure is small from the start, whatever the seed. */
function preludeOf({ kinds, create, restart, anyIds }: Possible): Story[] {
  const courses = kinds.flatMap((kind) => COURSES[kind])
  const pays = courses.find(([first, more]) => first?.do === 'pay' && !more) ?? (courses[0] as readonly Action[])
  const long = [...courses].sort((a, b) => genuine(b).length - genuine(a).length)
  const rich = [COURSES.refunded, COURSES.captured, COURSES.three_d_secure].find((one) =>
    courses.includes(one[0] as never),
  )
  const two = rich?.[0] ?? (long[0] as readonly Action[])
  const parts = rich?.[1] ?? two
  const last = (actions: readonly Action[], way: Way): Sending =>
    ({ ...(genuine(actions).at(-1) as Sending), way }) as Sending
  const also = (actions: readonly Action[], ...more: Sending[]): Story =>
    storyOf(actions, { sendings: [...genuine(actions), ...more] })
  const lastBy = (actions: readonly Action[], way: Way): Story =>
    storyOf(actions, { sendings: [...genuine(actions).slice(0, -1), last(actions, way)] })
  const races = [
    storyOf(pays, { sendings: genuine(pays, 'together') }),
    lastBy(two, 'together'),
    storyOf(parts, { sendings: [...genuine(parts).slice(0, 1), ...genuine(parts, 'with_next').slice(1)] }),
    storyOf(two, { sendings: genuine(two, 'with_next') }),
    storyOf(two, { crowd: 5 }),
    storyOf(pays, { sendings: genuine(pays, 'hang_up') }),
  ]
  const [unpaid] = [COURSES.declined, COURSES.abandoned, COURSES.cancelled].find((one) =>
    courses.includes(one[0] as never),
  ) ?? [two]
  return [
    ...courses.map((actions) => storyOf(actions)),
    also(pays, last(pays, 'plain')),
    also(two, last(two, 'plain')),
    also(pays, last(pays, 'other_fields')),
    also(two, last(two, 'other_fields')),
    ...races,
    ...courses
      .filter(
        (actions) =>
          genuine(actions).length > 1 && actions.every((one) => !('ends' in one) || one.ends === 'pending_success'),
      )
      .map((actions) => storyOf(actions, { sendings: genuine(actions).reverse() })),
    ...(restart
      ? [
          ...(['killed', 'killed_before', 'killed_later'] as const).map((way) => lastBy(pays, way)),
          storyOf(pays, { sendings: [last(pays, 'killed_later'), last(pays, 'plain')] }),
          ...(['killed', 'killed_before'] as const).map((way) => lastBy(two, way)),
          lastBy(pays, 'killed_before'),
        ]
      : []),
    ...keys(INTRUSIONS).map((intrusion) => also(unpaid as readonly Action[], { intrusion, claims: 'purchase' })),
    ...(create ? MISMATCHES.map((mismatch) => storyOf(pays, { mismatch })) : []),
    ...keys(FIELDS).map((fields) => storyOf(two, { fields })),
    storyOf(two, { late: true }),
    lastBy(two, 'lost_answer'),
    ...(anyIds ? keys(TWINS).map((twin) => storyOf(pays, { twin })) : []),
    ...AMOUNTS.map((asked, index) => priced(storyOf(index % 2 === 0 ? pays : two), asked)),
    ...races,
  ]
}

/** The orders of a seed: each attack once, then whatever the seed draws. */
export function createPlan(seed: number, possible: Possible): (n: number) => Story {
  const prelude = preludeOf(possible)
  return (n) => prelude[n] ?? drawStory(createRandom(seed ^ Math.imul(n + 1, 0x9e3779b1)), n, possible)
}

/** The kinds take turns, everything else is drawn. */
function drawStory(random: Random, n: number, { kinds, create, restart }: Possible): Story {
  const kind = kinds[n % kinds.length] as OrderKind
  const drawn = random.pick(COURSES[kind])
  const isSecured = drawn[0]?.do === 'pay' && kinds.includes('three_d_secure') && random.chance(0.3)
  const actions: readonly Action[] = isSecured ? [{ do: 'three_d_secure' }, ...drawn.slice(1)] : drawn
  const asked = random.chance(0.7) ? 1_000 + random.below(49_000) : random.pick(AMOUNTS)
  const story = priced(storyOf(actions, { late: random.chance(0.1) }), asked)
  const sendings = sendingsOf(actions, random, restart)
  const isKilled = sendings.some((one) => isGenuine(one) && one.way.startsWith('killed'))
  // A payment of another amount is one payment: what follows it would be of that amount.
  if (kind === 'paid' && create && random.chance(0.4)) {
    return { ...story, mismatch: random.pick(MISMATCHES), sendings: sendings.filter((one) => 'way' in one) }
  }
  return {
    ...story,
    ...(random.chance(0.15) && { fields: random.pick(keys(FIELDS)) }),
    // A kill stops the work on all of them.
    ...(!isKilled && random.chance(0.1) && { crowd: 2 + random.below(4) }),
    sendings: withIntrusions(sendings, random),
  }
}

function sendingsOf(actions: readonly Action[], random: Random, restart: boolean): Sending[] {
  const ways = keys(WAYS).filter((way) => way !== 'killed_later' && (restart || !way.startsWith('killed')))
  const first = genuine(actions).map((one) => ({ ...one, way: random.chance(0.5) ? 'plain' : random.pick(ways) }))
  const copies = genuine(actions)
    .filter(() => random.chance(0.4))
    .map((one) => ({ ...one, way: random.pick(['plain', 'plain', 'other_fields', 'together'] as const) }))
  const all = [...first, ...copies] as Sending[]
  return random.chance(0.3) ? all : random.shuffled(all)
}

function withIntrusions(sendings: readonly Sending[], random: Random): Sending[] {
  const all = [...sendings]
  while (random.chance(0.35)) {
    const claims = random.pick(['purchase', 'refund'] as const)
    all.splice(random.below(all.length + 1), 0, { intrusion: random.pick(keys(INTRUSIONS)), claims })
  }
  return all
}

/** What is tried in a story, by name. */
export function attacksOf(story: Story): string[] {
  const { sendings, mismatch, fields, twin, crowd = 1, late } = story
  const order = sendings.filter(isGenuine).map(({ action, nth }) => action * 10 + nth)
  return [
    ...new Set(
      sendings.map((one) => (isGenuine(one) ? one.way : `forged ${one.intrusion}`)).filter((one) => one !== 'plain'),
    ),
    ...(new Set(order).size < order.length ? ['copy'] : []),
    ...(order.some((at, index) => at < (order[index - 1] ?? 0)) ? ['other order'] : []),
    ...(mismatch ? [`pays other ${mismatch}`] : []),
    ...(fields ? [`fields ${fields}`] : []),
    ...(twin ? [`ids ${twin}`] : []),
    ...(crowd > 1 ? ['several orders at once'] : []),
    ...(late ? ['days late'] : []),
  ]
}

/** Every attack there is. */
export const ATTACKS: readonly string[] = [
  ...keys(WAYS).filter((way) => way !== 'plain'),
  ...['copy', 'other order', 'several orders at once', 'days late'],
  ...keys(INTRUSIONS).map((name) => `forged ${name}`),
  ...MISMATCHES.map((name) => `pays other ${name}`),
  ...keys(FIELDS).map((name) => `fields ${name}`),
  ...keys(TWINS).map((name) => `ids ${name}`),
]
