import { addDuration, type Duration } from './time.ts'

/** Where the time comes from. */
export interface ClockSource {
  /** Milliseconds since the epoch. */
  now(): number
}

/** The emulator's time: the clock of the options, and what was added to it. */
export interface EmulatorClock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time on and does, in order, everything that falls due on the way: scheduled charges, retries, delayed webhooks.
   * Resolves when all of it is done and delivered. `advance({})` does what is due now.
   */
  advance(duration: Duration): Promise<void>
}

interface Job {
  at: number
  order: number
  run: () => void
}

/** The emulator's time, and what is due at which moment of it: retries, recurring charges, delayed webhooks. */
export interface Scheduler extends ClockSource {
  /** Runs `run` as soon as the clock has reached `at`. */
  schedule(at: number, run: () => void): void
  /** Runs what is due now. */
  runDue(): void
  /** Moves the clock on, stopping at each moment at which something is due; `idle` is awaited after each stop. */
  advance(duration: Duration, idle: () => Promise<void>): Promise<void>
  /** Forgets everything that was scheduled. The time stays. */
  clear(): void
}

export function createScheduler(source: ClockSource): Scheduler {
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
    async advance(duration, idle) {
      const target = addDuration(now(), duration)
      // What is under way may have something to schedule: the retry of a delivery that is about to fail.
      await idle()
      for (let job = takeNext(target); job !== undefined; job = takeNext(target)) {
        moveTo(job.at)
        job.run()
        await idle()
      }
      moveTo(target)
      await idle()
    },
    clear() {
      jobs = []
    },
  }
}
