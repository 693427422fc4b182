/** Lets waiting calls go one at a time, in an order that chance decides. */
export interface Steps {
  /** Whether calls wait at all. */
  on: boolean
  /** What happened, in order. */
  readonly log: string[]
  /** Waits for its turn. */
  at(actor: string, what: string): Promise<void>
  /** Waits for its turn, then does it. */
  call<T>(actor: string, what: string, work: () => Promise<T>): Promise<T>
  /** Work that is under way: the next turn waits for it. */
  busy<T>(work: Promise<T>): Promise<T>
  /** Something that goes on by itself: {@link run} lasts until it has ended. */
  begin(work: Promise<unknown>): void
  note(text: string): void
  /** When the {@link call} began to wait that has waited longest. */
  oldest(): number
  /** Lets every call go until nothing goes on; or only the calls of some actors, until none of these waits. */
  run(of?: (actor: string) => boolean): Promise<void>
}

interface Waiting {
  actor: string
  since: number
  go: () => void
  what: string
}

export interface StepsOptions {
  random: () => number
  now: () => number
  /** Called before each turn. */
  before: () => void
}

const everyone = () => true
/** So many milliseconds of real time pass before something that does not wait counts as stuck. */
const STUCK = 2_000

/** Cryptography goes on beside the program: how much of it is under way, and how much there was. */
const crypting = { now: 0, ever: 0 }
const NAMES = ['digest', 'sign', 'verify', 'importKey', 'deriveKey', 'deriveBits', 'encrypt', 'decrypt'] as const

/**
 * Watches the runtime's cryptography, and makes random ids repeatable, so that the same seed plays the same.
 *
 * @returns What puts everything back.
 */
export function watchCrypto(random: () => number): () => void {
  type Call = (...parts: unknown[]) => Promise<unknown>
  const subtle = crypto.subtle as unknown as Record<string, Call>
  for (const name of NAMES) {
    const original = (subtle[name] as Call).bind(subtle)
    const value: Call = async (...parts) => {
      crypting.now++
      crypting.ever++
      return original(...parts).finally(() => crypting.now--)
    }
    Object.defineProperty(subtle, name, { configurable: true, value })
  }
  const digits = () => Math.floor(random() * 2 ** 32).toString(16)
  const id = () => `${digits().padStart(8, '0')}-0000-4000-8000-${digits().padStart(12, '0')}`
  Object.defineProperty(crypto, 'randomUUID', { configurable: true, value: id })
  return () => {
    for (const name of NAMES) delete subtle[name]
    Reflect.deleteProperty(crypto, 'randomUUID')
  }
}

export function createSteps({ random, now, before }: StepsOptions): Steps {
  const waiting: Waiting[] = []
  let [changes, busy, alive] = [0, 0, 0]
  // Some runs prefer one actor to another, and change their mind at times: what takes long is overtaken often.
  const prefers = random() < 0.6
  const preference = new Map<string, number>()

  function preferenceOf(actor: string): number {
    const known = preference.get(actor) ?? random()
    preference.set(actor, known)
    return known
  }

  function choose(able: readonly Waiting[]): Waiting {
    const any = able[Math.floor(random() * able.length)] as Waiting
    if (!prefers) return any
    if (random() < 0.08) preference.delete(any.actor)
    const by = (one: Waiting) => preferenceOf(one.actor)
    return able.reduce((best, one) => (by(one) > by(best) ? one : best))
  }

  /** Until everything that is not held has come to its next call. */
  async function quiet(): Promise<void> {
    for (let calm = 0; calm < 2; ) {
      const seen = changes + crypting.ever
      await new Promise((resolve) => setImmediate(resolve))
      calm = crypting.now + busy === 0 && seen === changes + crypting.ever ? calm + 1 : 0
    }
  }

  function wait(actor: string, what: string, since: number): Promise<void> {
    changes++
    if (!steps.on) return Promise.resolve()
    return new Promise((resolve) => waiting.push({ actor, what, since, go: resolve }))
  }

  const steps: Steps = {
    on: false,
    log: [],
    at: (actor, what) => wait(actor, what, Number.POSITIVE_INFINITY),
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
    async run(of = everyone) {
      for (let stuck = 0; ; ) {
        await quiet()
        const able = waiting.filter(({ actor }) => of(actor))
        if (able.length === 0) {
          if (of !== everyone || alive === 0) return
          if (++stuck > STUCK) throw new Error(`Something is stuck:\n${steps.log.slice(-20).join('\n')}`)
          await new Promise((resolve) => setTimeout(resolve, 1))
          continue
        }
        stuck = 0
        before()
        const next = choose(able)
        waiting.splice(waiting.indexOf(next), 1)
        steps.log.push(`${next.actor}: ${next.what}`)
        next.go()
      }
    },
  }
  return steps
}
