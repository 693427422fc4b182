import { FIELDS, INTRUSIONS } from './bodies.ts'
import { createRandom, type Random } from './random.ts'
import type { Genuine, OrderKind, Sending, Story, Way } from './story.ts'
import { COURSES, genuineOf, MISMATCHES, natural, priced, storyOf, TWINS, WAYS } from './story.ts'

/** The attacks that the shop allows: it knows what was asked, can be killed, and takes the order ids that it is given. */
export type Possible = { kinds: readonly OrderKind[]; create: boolean; restart: boolean; anyIds: boolean }

/** Amounts at which sums, roundings and numbers of 32 bits go wrong. */
const AMOUNTS = [1_999, 59_980, 435, 100_000, 29, 2_147_483_650]

const coursesOf = (kinds: readonly OrderKind[]): string[] => kinds.flatMap((kind) => COURSES[kind].split(' | '))

/** The story with the last webhooks by these ways. */
const by = (story: Story, ...ways: Way[]): Story => {
  const way = (index: number) => ways[index - story.sendings.length + ways.length]
  const change = (one: Sending, index: number): Sending => ({ ...(one as Genuine), way: way(index) ?? 'plain' })
  return { ...story, sendings: story.sendings.map(change) }
}
const then = (story: Story, more: Sending): Story => ({ ...story, sendings: [...story.sendings, more] })
const copied = (story: Story, way: Way): Story => then(story, { ...(story.sendings.at(-1) as Genuine), way })

/** One story for each attack, with nothing else in it: a failure is small from the start, whatever the seed. */
function preludeOf({ kinds, create, restart, anyIds }: Possible): Story[] {
  const plain = coursesOf(kinds).map((course) => storyOf(course))
  const [longest] = [...plain].sort((a, b) => b.sendings.length - a.sendings.length)
  const firstOf = (...wanted: OrderKind[]): Story[] =>
    coursesOf(wanted.filter((kind) => kinds.includes(kind)).slice(0, 1)).map((course) => storyOf(course))
  const [pays = plain[0] as Story] = firstOf('paid')
  const [two = longest as Story, parts = two] = firstOf('refunded', 'captured', 'three_d_secure')
  const [unpaid = two] = firstOf('declined', 'abandoned', 'cancelled')
  const isTurned = ({ sendings, actions }: Story): boolean =>
    sendings.length > 1 && actions.every(({ ends = 'success' }) => ends.endsWith('success'))
  const races = [
    ...[by(pays, 'together'), by(two, 'together'), by(two, 'with_next', 'with_next')],
    ...[by(parts, 'with_next', 'with_next'), { ...two, crowd: 5 }, by(pays, 'hang_up')],
  ]
  const [before, later, between] = [by(pays, 'killed_before'), by(pays, 'killed_later'), by(two, 'killed_before')]
  const kills = [before, by(pays, 'killed'), before, later, before, between, between, copied(later, 'plain')]
  return [
    ...plain,
    ...[copied(pays, 'plain'), copied(pays, 'other_fields')],
    ...[copied(two, 'plain'), then(two, two.sendings[0] as Genuine)],
    ...races,
    ...plain.filter(isTurned).map((story) => ({ ...story, sendings: [...story.sendings].reverse() })),
    ...(restart ? kills : []),
    ...Object.keys(INTRUSIONS).map((intrusion) => then(unpaid, { intrusion, claims: 'purchase' })),
    ...(create ? Object.keys(MISMATCHES).map((mismatch) => ({ ...pays, mismatch })) : []),
    ...Object.keys(FIELDS).map((fields) => ({ ...two, fields })),
    { ...two, late: true },
    by(two, 'lost_answer'),
    ...(anyIds ? Object.keys(TWINS).map((twin) => ({ ...pays, twin })) : []),
    ...AMOUNTS.map((asked, index) => priced(index % 2 === 0 ? pays : two, asked)),
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
  const course = random.pick(coursesOf([kind]))
  const isSecured = kinds.includes('three_d_secure') && random.chance(0.3)
  const asked = random.chance(0.7) ? 1_000 + random.below(49_000) : random.pick(AMOUNTS)
  const plain = priced(storyOf(isSecured ? course.replace(/^pay\b/, 'three_d_secure') : course), asked)
  const sendings = sendingsOf(plain, random, restart)
  const story = { ...plain, sendings, late: random.chance(0.1) }
  // A payment of another amount is one payment: what follows it would be of that amount.
  const mismatch = random.pick(Object.keys(MISMATCHES))
  if (kind === 'paid' && create && random.chance(0.4)) return { ...story, mismatch }
  // A kill stops the work on all of them.
  const isAlone = sendings.some(({ way }) => way.startsWith('killed')) || !random.chance(0.1)
  return {
    ...story,
    ...(random.chance(0.15) && { fields: random.pick(Object.keys(FIELDS)) }),
    ...(!isAlone && { crowd: 2 + random.below(4) }),
    sendings: withIntrusions(sendings, random),
  }
}

function sendingsOf({ actions }: Story, random: Random, restart: boolean): Genuine[] {
  const ways = (Object.keys(WAYS) as Way[]).filter((way) => way !== 'killed_later' && (restart || !/^killed/.test(way)))
  const first = natural(actions).map((one) => ({ ...one, way: random.chance(0.5) ? one.way : random.pick(ways) }))
  const copies = natural(actions)
    .filter(() => random.chance(0.4))
    .map((one) => ({ ...one, way: random.pick<Way>(['plain', 'plain', 'other_fields', 'together']) }))
  return random.chance(0.3) ? [...first, ...copies] : random.shuffled([...first, ...copies])
}

function withIntrusions(sendings: readonly Sending[], random: Random): Sending[] {
  const all = [...sendings]
  while (random.chance(0.35)) {
    const claims = random.pick(['purchase', 'refund'] as const)
    all.splice(random.below(all.length + 1), 0, { intrusion: random.pick(Object.keys(INTRUSIONS)), claims })
  }
  return all
}

/** The attacks of a story, by name. */
export function attacksOf(story: Story): string[] {
  const { sendings, mismatch, fields, twin, crowd = 1, late } = story
  const order = genuineOf(story).map(({ action, nth }) => action * 10 + nth)
  const ways = sendings.map((one) => ('way' in one ? one.way : `forged ${one.intrusion}`))
  return [
    ...new Set(ways.filter((way) => way !== 'plain')),
    ...(new Set(order).size < order.length ? ['copy'] : []),
    ...(order.some((at, index) => at < (order[index - 1] ?? 0)) ? ['other order'] : []),
    ...(mismatch ? [`pays other ${mismatch}`] : []),
    ...(fields ? [`fields ${fields}`] : []),
    ...(twin ? [`ids ${twin}`] : []),
    ...(crowd > 1 ? ['several orders at once'] : []),
    ...(late ? ['days late'] : []),
  ]
}

const ALL: Possible = { kinds: Object.keys(COURSES) as OrderKind[], create: true, restart: true, anyIds: true }

/** Every attack that these possibilities allow; by default every one that there is. */
export const attacks = (possible: Possible = ALL): Set<string> => new Set(preludeOf(possible).flatMap(attacksOf))
