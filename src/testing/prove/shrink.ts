import type { Difference } from './judge.ts'
import type { Played, Player } from './run.ts'
import type { Action, Sending, Story, Way } from './story.ts'
import { at, genuineOf, isGenuine, isRace, natural, priced } from './story.ts'

/** How many plays a shrink may make; how many a race gets, as its requests do not meet each time. */
const [MAX_TRIALS, RACE_TRIALS] = [60, 5]

/** Whether a story may fail only at times: its requests race, or the receiver works after its response. */
export const isChancy = ({ learnt }: Player, story: Story): boolean =>
  isRace(story) || (learnt.behind && !story.paced && story.sendings.length > 1)

/** Whether a story fails, with this difference if it is named. Chancy stories are played a few times. */
export async function failing(player: Player, story: Story, difference?: Difference): Promise<Played | undefined> {
  for (let i = 0; i < (isChancy(player, story) ? RACE_TRIALS : 1); i++) {
    const played = await player.play(story)
    const seen = played?.difference
    if (seen !== undefined && (difference ?? seen) === seen) return played
  }
  return undefined
}

/**
 * Replaces the ways of the webhooks that travel by `ways`: each gets all of `others`, so that it is left out, sent once
 * or copied.
 */
export function withWays(story: Story, ways: RegExp, ...others: Way[]): Story {
  const change = (one: Sending): Sending[] =>
    isGenuine(one) && ways.test(one.way) ? others.map((way) => ({ ...one, way })) : [one]
  return { ...story, sendings: story.sendings.flatMap(change) }
}

const rank = (one: Sending): number => (isGenuine(one) ? at(one) : 1_000)

/** Each pass takes one thing out of a story. The passes that a failing story cannot do without decide the cause. */
export const PASSES = {
  forged: (story: Story): Story => ({ ...story, sendings: genuineOf(story) }),
  crowd: ({ crowd: _, ...story }: Story): Story => story,
  twin: ({ twin: _, ...story }: Story): Story => story,
  fields: ({ fields: _, ...story }: Story): Story => story,
  late: ({ late: _, ...story }: Story): Story => story,
  amount: (story: Story): Story => priced(story, 10_050),
  restart: (story: Story): Story => withWays(withWays(story, /^killed_before$/, 'plain', 'plain'), /^killed/, 'plain'),
  hang_up: (story: Story): Story => withWays(story, /^hang_up$/, 'plain'),
  moment: (story: Story): Story => {
    const apart = withWays(withWays(story, /^(together|hang_up)$/, 'plain', 'plain'), /^with_next$/, 'plain')
    return apart.sendings.length > 1 ? { ...apart, paced: true } : apart
  },
  other_fields: (story: Story): Story => withWays(story, /^other_fields$/, 'plain'),
  copies: (story: Story): Story => {
    const places = story.sendings.map(rank)
    const sendings = story.sendings.filter((one, index) => !isGenuine(one) || places.indexOf(rank(one)) === index)
    return withWays({ ...story, sendings }, /^(together|lost_answer|hang_up)$/, 'plain')
  },
  order: (story: Story): Story => ({ ...story, sendings: [...story.sendings].sort((a, b) => rank(a) - rank(b)) }),
} as const
export type Pass = keyof typeof PASSES

/** The story after each pass that has something to take out. */
export const passesOf = (story: Story): [Pass, Story][] =>
  (Object.keys(PASSES) as Pass[])
    .map((pass): [Pass, Story] => [pass, PASSES[pass](story)])
    .filter(([, changed]) => JSON.stringify(changed) !== JSON.stringify(story))

type Failure = { story: Story; played: Played }

/** Tries smaller stories until the time is over, and returns the smallest that still fails in the same way. */
export async function shrink(
  player: Player,
  { story, played }: Failure,
  isOver: () => boolean,
  left = [MAX_TRIALS] as [number],
): Promise<Failure> {
  for (const smaller of smallerThan(story)) {
    if (!isWhole(smaller) || isOver() || left[0]-- <= 0) continue
    const again = await failing(player, smaller, played.difference)
    if (again !== undefined) return shrink(player, { story: smaller, played: again }, isOver, left)
  }
  return { story, played }
}

/** Stories with one thing less, the biggest steps first. */
function* smallerThan(story: Story): Generator<Story> {
  const { actions, sendings } = story
  for (const [, changed] of passesOf(story)) yield changed
  for (let i = actions.length - 1; i > 0; i--) yield withoutAction(story, i)
  if (/^three_d_secure$|_then_pay$/.test(actions[0]?.do ?? '')) {
    const left = sendings.filter((one) => rank(one) > 0)
    const paid = left.map((one) => (rank(one) === 1 ? { ...one, nth: 0 } : one))
    yield { ...story, actions: [{ do: 'pay' }, ...actions.slice(1)], sendings: paid }
  }
  for (let i = sendings.length - 1; i >= 0; i--) yield { ...story, sendings: sendings.filter((_, n) => n !== i) }
  for (const [i, one] of sendings.entries()) {
    if (!isGenuine(one) || one.way === 'plain') continue
    yield { ...story, sendings: sendings.map((other, n) => (n === i ? { ...one, way: 'plain' } : other)) }
  }
}

/** Whether each success is sent: the service does not keep one to itself. */
function isWhole(story: Story): boolean {
  const isSuccess = ({ do: deed, ends = 'success' }: Action) => ends.endsWith('success') && !UNPAID.test(deed)
  const lastOf = (action: Action, index: number) => natural([action]).length - 1 + index * 10
  const due = story.actions.flatMap((action, index) => (isSuccess(action) ? [lastOf(action, index)] : []))
  const sent = genuineOf(story).map(at)
  return sent.length > 0 && due.every((one) => sent.includes(one))
}
const UNPAID = /^(decline|cancel|abandon|three_d_secure_declined)$/

function withoutAction(story: Story, gone: number): Story {
  const left = story.sendings.filter((one) => !isGenuine(one) || one.action !== gone)
  const sendings = left.map((one) => (isGenuine(one) && one.action > gone ? { ...one, action: one.action - 1 } : one))
  return { ...story, actions: story.actions.filter((_, n) => n !== gone), sendings }
}
