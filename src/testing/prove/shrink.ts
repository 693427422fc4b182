import type { Difference } from './judge.ts'
import type { Played, Player } from './run.ts'
import type { Action, Genuine, Sending, Story, Way } from './story.ts'
import { genuineOf, isGenuine, isRace, natural, priced } from './story.ts'

/** Of a shrink; and of a race, whose requests do not meet each time. */
const [MAX_TRIALS, RACE_TRIALS] = [60, 5]

/** Whether a story fails, in this way if one is named; if need be after a few times, where requests meet or meet a kill. */
export async function failing(player: Player, story: Story, difference?: Difference): Promise<Played | undefined> {
  for (let i = 0; i < (isRace(story) ? RACE_TRIALS : 1); i++) {
    const played = await player.play(story)
    const seen = played?.difference
    if (seen !== undefined && (difference === undefined || seen === difference)) return played
  }
  return undefined
}

/** The story with other ways for those webhooks that travel by these: none, one or a copy more. */
export function by(story: Story, ways: RegExp, ...others: Way[]): Story {
  const change = (one: Sending): Sending[] =>
    isGenuine(one) && ways.test(one.way) ? others.map((way) => ({ ...one, way })) : [one]
  return { ...story, sendings: story.sendings.flatMap(change) }
}

export const at = ({ action, nth }: Genuine): number => action * 10 + nth
const rank = (one: Sending): number => (isGenuine(one) ? at(one) : 1_000)

/** Each pass takes one thing out of a story. What a failing story cannot do without decides the cause. */
export const PASSES = {
  forged: (story: Story): Story => ({ ...story, sendings: genuineOf(story) }),
  crowd: ({ crowd: _, ...story }: Story): Story => story,
  twin: ({ twin: _, ...story }: Story): Story => story,
  fields: ({ fields: _, ...story }: Story): Story => story,
  late: (story: Story): Story => ({ ...story, late: false }),
  amount: (story: Story): Story => (story.events ? story : priced(story, 10_050)),
  restart: (story: Story): Story => by(by(story, /^killed_before$/, 'plain', 'plain'), /^killed/, 'plain'),
  hang_up: (story: Story): Story => by(story, /^hang_up$/, 'plain'),
  moment: (story: Story): Story => by(by(story, /^(together|hang_up)$/, 'plain', 'plain'), /^with_next$/, 'plain'),
  other_fields: (story: Story): Story => by(story, /^other_fields$/, 'plain'),
  copies: (story: Story): Story => {
    const places = story.sendings.map(rank)
    const sendings = story.sendings.filter((one, index) => !isGenuine(one) || places.indexOf(rank(one)) === index)
    return by({ ...story, sendings }, /^(together|lost_answer|hang_up)$/, 'plain')
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

/** The smallest story that still fails in the same way, of those that are tried. */
export async function shrink(player: Player, failure: Failure, left: [number] = [MAX_TRIALS]): Promise<Failure> {
  for (const story of smallerThan(failure.story)) {
    if (!isWhole(story) || left[0]-- <= 0) continue
    const played = await failing(player, story, failure.played.difference)
    if (played !== undefined) return shrink(player, { story, played }, left)
  }
  return { story: failure.story, played: failure.played }
}

/** Stories with one thing less, the biggest steps first. */
function* smallerThan(story: Story): Generator<Story> {
  const { actions, sendings, events } = story
  for (const [, changed] of passesOf(story)) yield changed
  for (let i = actions.length - 1; i > 0 && !events; i--) yield withoutAction(story, i)
  if (actions[0]?.do === 'three_d_secure') {
    const left = sendings.filter((one) => rank(one) > 0)
    const paid = left.map((one) => (rank(one) === 1 ? { ...one, nth: 0 } : one))
    yield { ...story, actions: [{ do: 'pay' }, ...actions.slice(1)], sendings: paid }
  }
  for (let i = sendings.length - 1; i >= 0; i--) yield { ...story, sendings: sendings.filter((_, n) => n !== i) }
  for (const [i, one] of sendings.entries()) {
    if (isGenuine(one) && one.way !== 'plain')
      yield { ...story, sendings: sendings.map((other, n) => (n === i ? { ...one, way: 'plain' } : other)) }
  }
}

/** Whether each success is sent: the service does not keep one to itself. */
function isWhole(story: Story): boolean {
  const isSuccess = ({ do: deed, ends = 'success' }: Action) => ends.endsWith('success') && !UNPAID.test(deed)
  // It is the last webhook of its action.
  const lastOf = (action: Action, index: number) => natural([action]).length - 1 + index * 10
  const due = story.actions.flatMap((action, index) => (isSuccess(action) ? [lastOf(action, index)] : []))
  const sent = genuineOf(story).map(at)
  return story.events !== undefined || (sent.length > 0 && due.every((one) => sent.includes(one)))
}
const UNPAID = /^(decline|cancel|abandon|three_d_secure_declined)$/

function withoutAction(story: Story, gone: number): Story {
  const left = story.sendings.filter((one) => !isGenuine(one) || one.action !== gone)
  const sendings = left.map((one) => (isGenuine(one) && one.action > gone ? { ...one, action: one.action - 1 } : one))
  return { ...story, actions: story.actions.filter((_, n) => n !== gone), sendings }
}
