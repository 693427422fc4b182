/** Lets waiting calls go one at a time, in the order of priorities that chance gives and takes. */
export interface Steps {
  /** Whether calls wait at all. */
  on: boolean
  /** The events, in order. */
  readonly log: string[]
  /** Waits for its turn. @param isReady While it is not, and something else goes on, it has none. */
  at(actor: string, what: string, isReady?: () => boolean): Promise<void>
  /** Waits for its turn, then does it. */
  call<T>(actor: string, what: string, work: () => Promise<T>): Promise<T>
  /** Work that is under way: the next turn waits for it. */
  busy<T>(work: Promise<T>): Promise<T>
  /** Work that goes on beside the turns: {@link run} lasts until it has ended. */
  begin(work: Promise<unknown>): void
  note(text: string): void
  /** When the {@link call} began to wait that has waited longest. */
  oldest(): number
  /** This actor waits forever. */
  drop(actor: string): void
  /** Lets every call go until nothing goes on; or only the calls of some actors, until none of these waits. */
  run(of?: (actor: string) => boolean): Promise<void>
}

interface Waiting {
  actor: string
  since: number
  go: () => void
  what: string
  isReady: () => boolean
}

export interface StepsOptions {
  random: () => number
  now: () => number
  /** Called before each turn. */
  before: () => void
  /** Whether who would go next comes last from now on. @param turn Counted from zero. */
  demotes: (turn: number, name: string) => boolean
  /** Called where nothing waits for a turn, and something goes on all the same. */
  idle?: () => void
}

const everyone = () => true
const always = () => true
/** So many turns of the event loop pass before something that does not wait counts as stuck. */
const STUCK = 2_000

/** Several things are on their way at once: each is preferred to the others, or not. */
const threadOf = ({ actor, what }: Waiting): string => (actor === 'network' ? `${actor}: ${what}` : actor)

export function createSteps({ random, now, before, demotes, idle }: StepsOptions): Steps {
  const waiting: Waiting[] = []
  let [changes, busy, alive, turns] = [0, 0, 0, 0]
  const priorities = new Map<string, number>()

  function priorityOf(one: Waiting): number {
    const name = threadOf(one)
    const known = priorities.get(name) ?? random()
    priorities.set(name, known)
    return known
  }

  /** "A randomized scheduler with probabilistic guarantees of finding bugs" (PCT): priorities that change at few moments. */
  function choose(able: readonly Waiting[]): Waiting {
    const best = () => able.reduce((first, one) => (priorityOf(one) > priorityOf(first) ? one : first))
    const name = threadOf(best())
    if (demotes(turns, name)) priorities.set(name, -turns - 1)
    turns++
    const first = priorityOf(best())
    const equals = able.filter((one) => priorityOf(one) === first)
    return equals[Math.floor(random() * equals.length)] as Waiting
  }

  /** Until everything that is not held has come to its next call. */
  async function quiet(): Promise<void> {
    for (let calm = 0; calm < 2; ) {
      const seen = changes
      await new Promise((resolve) => setImmediate(resolve))
      calm = busy === 0 && seen === changes ? calm + 1 : 0
    }
  }

  function wait(actor: string, what: string, since: number, isReady = always): Promise<void> {
    changes++
    if (!steps.on) return Promise.resolve()
    return new Promise((resolve) => waiting.push({ actor, what, since, isReady, go: resolve }))
  }

  const steps: Steps = {
    on: false,
    log: [],
    at: (actor, what, isReady) => wait(actor, what, Number.POSITIVE_INFINITY, isReady),
    async call(actor, what, work) {
      await wait(actor, what, now())
      return steps.busy(work())
    },
    async busy(work) {
      busy++
      return work.finally(() => {
        busy--
        changes++
      })
    },
    begin(work) {
      alive++
      const end = () => void alive--
      work.then(end, end)
    },
    note: (text) => void steps.log.push(text),
    oldest: () => Math.min(...waiting.map(({ since }) => since)),
    drop(actor) {
      waiting.splice(0, waiting.length, ...waiting.filter((one) => one.actor !== actor))
      changes++
    },
    async run(of = everyone) {
      for (let stuck = 0; ; ) {
        await quiet()
        const sortable = (one: Waiting) => `${one.actor}\n${one.what}`
        const able = waiting
          .filter(({ actor }) => of(actor))
          .sort((a, b) => (sortable(a) < sortable(b) ? -1 : Number(sortable(a) > sortable(b))))
        if (able.length === 0) {
          if (of !== everyone || alive === 0) return
          idle?.()
          if (++stuck > STUCK) throw new Error(`Something is stuck:\n${steps.log.slice(-20).join('\n')}`)
          continue
        }
        stuck = 0
        before()
        // A death before the turn may have ended what waited.
        const left = able.filter((one) => waiting.includes(one))
        if (left.length === 0) continue
        const ready = left.filter(({ isReady }) => isReady())
        const next = choose(ready.length > 0 ? ready : left)
        waiting.splice(waiting.indexOf(next), 1)
        steps.log.push(`${next.actor}: ${next.what}`)
        next.go()
      }
    },
  }
  return steps
}
