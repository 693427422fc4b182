import type { Difference } from './judge.ts'
import type { Played, Player } from './run.ts'
import type { Action, Sending, Story } from './story.ts'

/** A story that fails, and how it went. */
export interface Failure {
  story: Story
  played: Played
}

const MAX_TRIALS = 80
/** Two at the same moment do not meet each time. */
const RACE_TRIALS = 3

/** Whether requests of a story meet at the receiver: its end may differ from one time to the next. */
export const races = ({ sendings }: Story): boolean =>
  sendings.some((one) => 'way' in one && (one.way === 'together' || one.way === 'hang_up'))

/** The smallest story that still fails in the same way, of those that are tried. */
export async function shrink(player: Player, failure: Failure): Promise<Failure> {
  const difference = failure.played.difference as Difference
  let trials = 0
  let smallest = failure

  async function fails(story: Story): Promise<Failure | undefined> {
    for (let i = 0; i < (races(story) ? RACE_TRIALS : 1) && trials < MAX_TRIALS; i++) {
      trials++
      const played = await player.play(story)
      if (played?.difference === difference) return { story, played }
    }
    return undefined
  }

  for (let changed = true; changed && trials < MAX_TRIALS; ) {
    changed = false
    for (const candidate of smallerThan(smallest.story)) {
      if (!isWhole(candidate)) continue
      const found = await fails(candidate)
      if (found === undefined) continue
      smallest = found
      changed = true
      break
    }
  }
  return smallest
}

/** Stories with one thing less, the biggest steps first. */
function* smallerThan(story: Story): Generator<Story> {
  const genuine = story.sendings.filter((one) => 'way' in one)
  if (genuine.length < story.sendings.length) yield { ...story, sendings: genuine }
  for (let i = story.actions.length - 1; i > 0; i--) yield withoutAction(story, i)
  const [first, ...rest] = story.actions
  if (first && first.do === 'three_d_secure') {
    const sendings = story.sendings.flatMap((one): Sending[] =>
      'intrusion' in one || one.action > 0 ? [one] : one.nth === 1 ? [{ ...one, nth: 0 }] : [],
    )
    yield { ...story, actions: [{ do: 'pay' } satisfies Action, ...rest], sendings }
  }
  for (let i = story.sendings.length - 1; i >= 0; i--) {
    yield { ...story, sendings: story.sendings.filter((_, index) => index !== i) }
  }
  for (const [i, one] of story.sendings.entries()) {
    if ('intrusion' in one || one.way === 'plain') continue
    const change = (...instead: Sending[]): Story => ({
      ...story,
      sendings: [...story.sendings.slice(0, i), ...instead, ...story.sendings.slice(i + 1)],
    })
    yield change({ ...one, way: 'plain' })
    if (one.way !== 'other_fields' && one.way !== 'killed') {
      yield change({ ...one, way: 'plain' }, { ...one, way: 'plain' })
    }
  }
  if (story.late) yield { ...story, late: false }
}

/** Whether each success is sent: the service does not keep one to itself. */
const isWhole = ({ actions, sendings }: Story): boolean =>
  actions.every(({ do: what }, index) => {
    if (what === 'decline' || what === 'cancel') return true
    const nth = what === 'three_d_secure' || what === 'decline_then_pay' ? 1 : 0
    return sendings.some((one) => 'way' in one && one.action === index && one.nth === nth)
  })

function withoutAction(story: Story, gone: number): Story {
  const sendings = story.sendings.flatMap((one): Sending[] => {
    if ('intrusion' in one || one.action < gone) return [one]
    return one.action === gone ? [] : [{ ...one, action: one.action - 1 }]
  })
  return { ...story, actions: story.actions.filter((_, index) => index !== gone), sendings }
}
