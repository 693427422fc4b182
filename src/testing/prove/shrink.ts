import type { Difference } from './judge.ts'
import type { Played, Player } from './run.ts'
import { isGenuine, priced, type Sending, type Story, type Way } from './story.ts'

const MAX_TRIALS = 60
/** Two at the same moment do not meet each time. */
const RACE_TRIALS = 5

/** Whether requests of a story meet at the receiver, or meet its end: it may end differently from one time to the next. */
const races = ({ sendings, crowd = 1 }: Story): boolean =>
  crowd > 1 ||
  sendings.some((one) => isGenuine(one) && /^(together|with_next|hang_up|killed_before|killed)$/.test(one.way))

/** Whether a story fails, in this way if one is named; if need be after a few times. */
export async function failing(player: Player, story: Story, difference?: Difference): Promise<Played | undefined> {
  for (let i = 0; i < (races(story) ? RACE_TRIALS : 1); i++) {
    const played = await player.play(story)
    const seen = played?.difference
    if (seen !== undefined && (difference === undefined || seen === difference)) return played
  }
  return undefined
}

const withWay = (story: Story, change: (way: Way) => readonly Way[]): Story => ({
  ...story,
  sendings: story.sendings.flatMap((one): Sending[] =>
    isGenuine(one) ? change(one.way).map((way) => ({ ...one, way })) : [one],
  ),
})
const calm = (story: Story, ways: RegExp, copies = 1): Story =>
  withWay(story, (way) => (ways.test(way) ? (Array(copies).fill('plain') as Way[]) : [way]))

/**
 * The passes that decide the cause: each takes one thing out of a story. What a failing story cannot do without is why it fails.
 */
export const PASSES = {
  forged: (story: Story): Story => ({ ...story, sendings: story.sendings.filter(isGenuine) }),
  crowd: ({ crowd: _, ...story }: Story): Story => story,
  twin: ({ twin: _, ...story }: Story): Story => story,
  fields: ({ fields: _, ...story }: Story): Story => story,
  late: (story: Story): Story => ({ ...story, late: false }),
  amount: (story: Story): Story => (story.events ? story : priced(story, 10_050)),
  restart: (story: Story): Story => calm(calm(story, /^killed_before$/, 2), /^killed/),
  hang_up: (story: Story): Story => calm(story, /^hang_up$/),
  moment: (story: Story): Story => calm(calm(story, /^(together|hang_up)$/, 2), /^with_next$/),
  other_fields: (story: Story): Story => calm(story, /^other_fields$/),
  copies: (story: Story): Story =>
    calm({ ...story, sendings: once(story.sendings) }, /^(together|lost_answer|hang_up)$/),
  order: (story: Story): Story => ({ ...story, sendings: inOrder(story.sendings) }),
} as const
export type Pass = keyof typeof PASSES

const at = (one: Sending): number => (isGenuine(one) ? one.action * 10 + one.nth : 1_000)

function once(sendings: readonly Sending[]): Sending[] {
  return sendings.filter(
    (one, index) => !isGenuine(one) || sendings.findIndex((other) => at(other) === at(one)) === index,
  )
}

const inOrder = (sendings: readonly Sending[]): Sending[] => [...sendings].sort((a, b) => at(a) - at(b))

/** The story after a pass; undefined where it has nothing to take out. */
export function passed(story: Story, pass: Pass): Story | undefined {
  const changed = PASSES[pass](story)
  return JSON.stringify(changed) === JSON.stringify(story) ? undefined : changed
}

/** The smallest story that still fails in the same way, of those that are tried. */
export async function shrink(player: Player, failure: Played, story: Story): Promise<{ story: Story; played: Played }> {
  const difference = failure.difference as Difference
  let trials = 0
  let smallest = { story, played: failure }
  for (let changed = true; changed && trials < MAX_TRIALS; ) {
    changed = false
    for (const candidate of smallerThan(smallest.story)) {
      if (!isWhole(candidate) || trials++ >= MAX_TRIALS) continue
      const played = await failing(player, candidate, difference)
      if (played === undefined) continue
      smallest = { story: candidate, played }
      changed = true
      break
    }
  }
  return smallest
}

/** Stories with one thing less, the biggest steps first. */
function* smallerThan(story: Story): Generator<Story> {
  for (const pass of Object.keys(PASSES) as Pass[]) {
    const changed = passed(story, pass)
    if (changed !== undefined) yield changed
  }
  for (let i = story.actions.length - 1; i > 0 && !story.events; i--) yield withoutAction(story, i)
  const [first, ...rest] = story.actions
  if (first?.do === 'three_d_secure') {
    const sendings = story.sendings.flatMap((one): Sending[] =>
      !isGenuine(one) || one.action > 0 ? [one] : one.nth === 1 ? [{ ...one, nth: 0 }] : [],
    )
    yield { ...story, actions: [{ do: 'pay' }, ...rest], sendings }
  }
  for (let i = story.sendings.length - 1; i >= 0; i--) {
    yield { ...story, sendings: story.sendings.filter((_, index) => index !== i) }
  }
  for (const [i, one] of story.sendings.entries()) {
    if (!isGenuine(one) || one.way === 'plain') continue
    yield { ...story, sendings: story.sendings.map((other, index) => (index === i ? { ...one, way: 'plain' } : other)) }
  }
}

/** Whether each success is sent: the service does not keep one to itself. */
const isWhole = ({ actions, sendings, events }: Story): boolean =>
  events !== undefined ||
  (actions.every((action, index) => {
    if (/^(decline|cancel|abandon|three_d_secure_declined)$/.test(action.do)) return true
    if ('ends' in action && action.ends && action.ends !== 'pending_success') return true
    const isLate = 'ends' in action || /^(three_d_secure|decline_then_pay)$/.test(action.do)
    return sendings.some((one) => isGenuine(one) && one.action === index && one.nth === (isLate ? 1 : 0))
  }) &&
    sendings.some(isGenuine))

function withoutAction(story: Story, gone: number): Story {
  const sendings = story.sendings.flatMap((one): Sending[] => {
    if (!isGenuine(one) || one.action < gone) return [one]
    return one.action === gone ? [] : [{ ...one, action: one.action - 1 }]
  })
  return { ...story, actions: story.actions.filter((_, index) => index !== gone), sendings }
}
