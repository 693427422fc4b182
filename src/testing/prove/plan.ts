import { createRandom, type Random } from '../random.ts'
import { FIELDS, INTRUSIONS } from './bodies.ts'
import type { Genuine, OrderKind, Sending, Story, Way } from './story.ts'
import { attacksOf, COURSES, MISMATCHES, natural, priced, storyOf, TWINS, WAYS } from './story.ts'

/** The attacks that the shop allows: it stores prices, can be killed, and accepts the given order ids. */
export type Possible = { kinds: readonly OrderKind[]; create: boolean; restart: boolean; anyIds: boolean }

/** Amounts at which sums, roundings, texts and numbers of 32 bits go wrong. */
const AMOUNTS = [1_999, 59_980, 435, 100_000, 29, 2_147_483_650, 900, 10_000, 1_000_000]
const coursesOf = (kinds: readonly OrderKind[]): string[] => kinds.flatMap((kind) => COURSES[kind].split(/\s+\| /))

/** The story with the last webhooks by these ways. */
const by = (story: Story, ...ways: Way[]): Story => {
  const from = story.sendings.length - ways.length
  const change = (one: Sending, index: number): Sending => ({ ...(one as Genuine), way: ways[index - from] ?? 'plain' })
  return { ...story, sendings: story.sendings.map(change) }
}
const then = (story: Story, more: Sending): Story => ({ ...story, sendings: [...story.sendings, more] })
const copied = (story: Story, way: Way): Story => then(story, { ...(story.sendings.at(-1) as Genuine), way })

/** Makes one minimal story for each attack, so that its failure needs no shrinking. */
function preludeOf({ kinds, create, restart, anyIds }: Possible): Story[] {
  const plain = coursesOf(kinds).map(storyOf)
  const [longest] = [...plain].sort((a, b) => b.sendings.length - a.sendings.length)
  const firstOf = (...wanted: OrderKind[]): Story[] =>
    coursesOf(wanted.filter((kind) => kinds.includes(kind)).slice(0, 1)).map(storyOf)
  const [pays = plain[0] as Story] = firstOf('paid')
  const [two = longest as Story, parts = two] = firstOf('refunded', 'captured', 'three_d_secure')
  const [unpaid = two] = firstOf('declined', 'abandoned', 'cancelled')
  // As texts, 99 is more than 100 only at a price of three digits.
  const mismatched = (mismatch: string) => ({ ...(mismatch === 'one_less' ? priced(pays, 10_000) : pays), mismatch })
  const isTurned = ({ sendings, actions }: Story): boolean =>
    sendings.length > 1 && actions.every(({ ends = 'success' }) => ends.endsWith('success'))
  const killed = ['killed_before', 'killed', 'killed_before', 'killed_later', 'killed_before'] as const
  const between = [by(two, 'killed_before'), by(two, 'killed_before'), copied(by(pays, 'killed_later'), 'plain')]
  return [
    ...plain,
    ...[copied(pays, 'plain'), copied(pays, 'other_fields')],
    ...[copied(two, 'plain'), then(two, two.sendings[0] as Genuine)],
    ...[by(pays, 'together'), by(two, 'together'), by(two, 'with_next', 'with_next')],
    ...[by(parts, 'with_next', 'with_next'), { ...two, crowd: 5 }, by(pays, 'hang_up')],
    ...plain.filter(isTurned).map((story) => ({ ...story, sendings: [...story.sendings].reverse() })),
    ...(restart ? [...killed.map((way) => by(pays, way)), ...between] : []),
    ...Object.keys(INTRUSIONS).map((intrusion) => then(unpaid, { intrusion, claims: 'purchase' })),
    ...(create ? Object.keys(MISMATCHES).map(mismatched) : []),
    ...(create && anyIds ? [{ ...pays, stranger: true }] : []),
    ...Object.keys(FIELDS).map((fields) => ({ ...two, fields })),
    ...[{ ...two, late: true }, by(two, 'lost_answer')],
    ...(anyIds ? Object.keys(TWINS).map((twin) => ({ ...pays, twin })) : []),
    ...AMOUNTS.map((asked, index) => priced(index % 2 === 0 ? pays : two, asked)),
  ]
}

/** The stories of a run: each attack once, then the stories that the seed draws. */
export interface Plan {
  fixed: readonly Story[]
  /** @param kills Whether the receiver may be killed in it. */
  drawn(n: number, kills: boolean): Story
}

export const createPlan = (seed: number, possible: Possible): Plan => ({
  fixed: preludeOf(possible),
  drawn(n, kills) {
    const random = createRandom(seed ^ Math.imul(n + 1, 0x9e3779b1))
    return drawStory(random, n, { ...possible, restart: possible.restart && kills })
  },
})

/** The kinds take turns, everything else is drawn. */
function drawStory(random: Random, n: number, { kinds, create, restart }: Possible): Story {
  const kind = kinds[n % kinds.length] as OrderKind
  const course = random.pick(coursesOf([kind]))
  const isSecured = kinds.includes('three_d_secure') && random.chance(0.3)
  const asked = random.chance(0.7) ? 1_000 + random.below(49_000) : random.pick(AMOUNTS)
  const plain = priced(storyOf(isSecured ? course.replace(/^pay\b/, 'three_d_secure') : course), asked)
  const sendings = sendingsOf(plain, random, restart)
  const story = { ...plain, sendings, ...(random.chance(0.1) && { late: true }) }
  // Keep a payment of another amount alone: a later operation would have that other amount too.
  const mismatch = random.pick(Object.keys(MISMATCHES).filter((one) => asked > 100 || one !== 'one_less'))
  if (course === 'pay' && create && random.chance(0.4)) return { ...story, mismatch }
  // A kill stops the work on every order.
  const isAlone = sendings.some(({ way }) => way.startsWith('killed')) || !random.chance(0.1)
  const fields = random.chance(0.15) && { fields: random.pick(Object.keys(FIELDS)) }
  const crowd = !isAlone && { crowd: 2 + random.below(4) }
  return { ...story, ...fields, ...crowd, sendings: withIntrusions(sendings, random) }
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

const ALL: Possible = { kinds: Object.keys(COURSES) as OrderKind[], create: true, restart: true, anyIds: true }

/** Every attack that these possibilities allow; by default all attacks. */
export const attacks = (possible: Possible = ALL): Set<string> => new Set(preludeOf(possible).flatMap(attacksOf))
