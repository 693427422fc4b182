// One schedule: the scenario, the seed that decides everything, and the disturbances that are kept of it.
import { createRandom } from '../worker/support/random.ts'

export interface Schedule {
  scenario: string
  seed: number
  /** The disturbances that happen, by their numbers; without it all of them. */
  kept?: ReadonlySet<number>
  /** Where the shop runs; without it where `EDGETILL_HOST` says. */
  host?: 'server'
}

/** The events of a schedule. */
export interface Played {
  log: readonly string[]
  /** The mistake in it. */
  wrong: readonly string[]
  /** The numbers of the disturbances that happened. */
  disturbed: readonly number[]
}

export type Play = (schedule: Schedule) => Promise<Played>

/** Draws disturbances (an actor, a fault, a jump of the clock, a change of priority), each under its number. */
export class Disturbances {
  readonly happened: number[] = []
  readonly random: () => number
  private count = 0
  private readonly kept: ReadonlySet<number> | undefined

  constructor({ seed, kept }: Schedule) {
    this.random = createRandom(seed ^ 0x5eed)
    this.kept = kept
  }

  /** Whether something happens that the seed wants to happen. */
  keeps(): boolean {
    const number = this.count++
    if (this.kept && !this.kept.has(number)) return false
    this.happened.push(number)
    return true
  }

  /** Whether something happens, by its probability. */
  draws(probability: number): boolean {
    const isDrawn = probability > 0 && this.random() < probability
    // A failure that happens each time is the scenario's, and not a disturbance.
    return isDrawn && (probability >= 1 || this.keeps())
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }
}

/** `name/seed`, or `name/seed/1,5,6` with the numbers of the disturbances that are kept. */
export function parseSchedule(text: string): Schedule {
  const [scenario = '', seed = '', kept] = text.split('/')
  if (!/^\d+$/.test(seed)) throw new Error(`EDGETILL_SCHEDULE is 'scenario/seed', not '${text}'.`)
  const numbers = kept?.split(',').filter(Boolean).map(Number)
  return { scenario, seed: Number(seed), ...(numbers && { kept: new Set(numbers) }) }
}

/** The command that plays one schedule alone. */
function replayOf({ scenario, seed, kept, host }: Schedule): string {
  const text = [scenario, seed, ...(kept ? [[...kept].join(',')] : [])].join('/')
  return `${host ? `EDGETILL_HOST=${host} ` : ''}EDGETILL_SCHEDULE='${text}' npm test -- node test/simulator/simulator.test.ts`
}

/** The mistake in words: numbers and ids differ from schedule to schedule. */
const kindOf = ({ wrong }: Played): string | undefined => wrong[0]?.replace(/[\da-f]{8}(-[\da-f]+)+|\d+/g, '')

/** Leaves out disturbances, halves first, then one by one, as long as the same is wrong without them. */
async function shrink(play: Play, schedule: Schedule, failed: Played): Promise<[Schedule, Played]> {
  let [kept, best] = [[...failed.disturbed], failed]
  for (let size = Math.ceil(kept.length / 2), last = 0; size >= 1 && last < 2; ) {
    for (let at = 0; at < kept.length; ) {
      const fewer = kept.filter((_, i) => i < at || i >= at + size)
      const played = await play({ ...schedule, kept: new Set(fewer) })
      if (kindOf(played) !== kindOf(failed)) at += size
      else [kept, best] = [[...played.disturbed], played]
    }
    if (size === 1) last++
    size = Math.max(1, Math.floor(size / 2))
  }
  return [{ ...schedule, kept: new Set(kept) }, best]
}

/** @throws {Error} with the shortest schedule that goes wrong, and the command that replays it. */
export async function judge(play: Play, schedule: Schedule): Promise<Played> {
  const played = await play(schedule)
  if (played.wrong.length === 0) return played
  const [smallest, shown] = schedule.kept ? [schedule, played] : await shrink(play, schedule, played)
  throw new Error(`${shown.wrong.join('; ')}\n${replayOf(smallest)}\n${listing(shown.log)}`)
}

/** Equal lines that follow each other are one. */
function listing(log: readonly string[]): string {
  const starts = log.flatMap((line, index) => (line === log[index - 1] ? [] : [index]))
  return starts
    .map((start, index) => {
      const count = (starts[index + 1] ?? log.length) - start
      return `  ${log[start]}${count > 1 ? ` (${count} times)` : ''}`
    })
    .join('\n')
}
