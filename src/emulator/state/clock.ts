import { addDuration, type Duration } from './time.ts'

/** Where the time comes from. */
export interface ClockSource {
  /** Milliseconds since the epoch. */
  now(): number
}

interface Job {
  at: number
  order: number
  run: () => void
}

/** The emulator's time, and what is due at which moment of it: retries, recurring charges, delayed webhooks. */
export interface Agenda extends ClockSource {
  /** Runs `run` as soon as the clock has reached `at`. */
  schedule(at: number, run: () => void): void
  /** Runs what is due now. */
  runDue(): void
  /** Moves the clock on, stopping at each moment at which something is due; `settle` is awaited after each stop. */
  advance(duration: Duration, settle: () => Promise<void>): Promise<void>
  /** Forgets everything that was scheduled. The time stays. */
  clear(): void
}

export function createAgenda(source: ClockSource): Agenda {
  let offset = 0
  let count = 0
  let jobs: Job[] = []

  const now = (): number => source.now() + offset
  const moveTo = (at: number): void => {
    offset += Math.max(0, at - now())
  }
  const takeNext = (until: number): Job | undefined => {
    const next = jobs[0]
    if (next === undefined || next.at > until) return undefined
    jobs.shift()
    return next
  }

  return {
    now,
    schedule(at, run) {
      count += 1
      jobs.push({ at, order: count, run })
      jobs.sort((a, b) => a.at - b.at || a.order - b.order)
    },
    runDue() {
      for (let job = takeNext(now()); job !== undefined; job = takeNext(now())) job.run()
    },
    async advance(duration, settle) {
      const target = addDuration(now(), duration)
      // What is under way may have something to schedule: the retry of a delivery that is about to fail.
      await settle()
      for (let job = takeNext(target); job !== undefined; job = takeNext(target)) {
        moveTo(job.at)
        job.run()
        await settle()
      }
      moveTo(target)
      await settle()
    },
    clear() {
      jobs = []
    },
  }
}
