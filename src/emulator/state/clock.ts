import { InputError } from '../parse-input.ts'
import { addDuration, type Duration, LAST_MOMENT } from './time.ts'

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
   * Resolves when all of it is done and delivered. Parallel calls add up. `advance({})` does what is due now.
   *
   * @throws {ConfigError} for an unknown unit, a negative number, a fraction of a month, more than 30 years, or a time after
   * the year 9998.
   */
  advance(duration: Duration): Promise<void>
  /**
   * Sets the time. Forward, it does on the way what `advance` does; backward, nothing happens and what is scheduled stays.
   *
   * @param at Milliseconds since the epoch, or a time with its zone: `2026-01-31T10:00:00Z`.
   * @throws {ConfigError} when that is not a time up to the year 9998, or more than 30 years ahead.
   */
  set(at: number | string): Promise<void>
  /** When the next retry of a webhook or the next scheduled charge is due, in milliseconds since the epoch; null where none is. */
  due(what: 'next_retry' | 'next_charge'): number | null
}

/** What can be scheduled. */
export type JobKind =
  | 'expiry'
  | 'timeout'
  | 'charge'
  | 'charge_retry'
  | 'recurring_end'
  | 'webhook_retry'
  | 'webhook_delayed'
  | 'webhook_release'

/** Something that falls due, as data: it can be stored. */
export interface Job {
  /** Milliseconds since the epoch. */
  at: number
  kind: JobKind
  /** An order_id, or the id of a delivery. */
  subject: string
  /** Which charge, or which attempt. */
  number?: number
  /** What expires. */
  what?: string
}

export type JobHandlers = Record<JobKind, (job: Job) => void>

/** The emulator's time, and what is due at which moment of it: retries, recurring charges, delayed webhooks. */
export interface Scheduler extends ClockSource {
  /** Has the job done as soon as the clock has reached its time. */
  schedule(job: Job): void
  /** Who does the jobs; called once, before anything is due. */
  handle(handlers: JobHandlers): void
  /** What is due, in its order. */
  readonly jobs: readonly Job[]
  /** Milliseconds that were added to the source. */
  readonly offset: number
  /** Goes on from stored jobs and a stored offset. */
  restore(jobs: readonly Job[], offset: number): void
  /** Runs what is due now. */
  runDue(): void
  /** Moves the clock on, stopping at each moment at which something is due; `idle` is awaited after each stop. */
  advance(duration: Duration, idle: () => Promise<void>): Promise<void>
  /** Moves the clock to a moment; see {@link EmulatorClock.set}. */
  set(at: number, idle: () => Promise<void>): Promise<void>
  /** Forgets what was scheduled and what was added to the clock. */
  reset(): void
}

const MAX_YEARS = 30
/** So many jobs run before other requests get their turn. */
const JOBS_AT_ONCE = 200

export function createScheduler(source: ClockSource): Scheduler {
  let offset = 0
  let jobs: Job[] = []
  // A reset ends the advances that are under way.
  let generation = 0
  // Where the clock will be once every advance so far is done; each starts where the one before it ends.
  let goal: number | undefined
  let queue: Promise<void> = Promise.resolve()

  // What was scheduled happens at the moment that it was scheduled for, not milliseconds of the real clock later.
  let held: number | undefined
  let handlers: JobHandlers | undefined
  const now = (): number => held ?? source.now() + offset
  const moveTo = (at: number): void => {
    offset += Math.max(0, at - now())
  }
  const takeNext = (until: number): Job | undefined => {
    const next = jobs[0]
    if (next === undefined || next.at > until) return undefined
    jobs.shift()
    return next
  }

  const carryOut = (job: Job): void => {
    held = job.at
    try {
      handlers?.[job.kind](job)
    } finally {
      held = undefined
    }
  }

  async function runUntil(target: number, since: number, idle: () => Promise<void>): Promise<void> {
    // What is under way may have something to schedule: the retry of a delivery that is about to fail.
    await idle()
    for (let count = 1; since === generation; count++) {
      const job = takeNext(target)
      if (job === undefined) break
      moveTo(job.at)
      carryOut(job)
      await idle()
      if (count % JOBS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 0))
    }
    if (since === generation) moveTo(target)
    await idle()
  }

  function moveOn(target: number, idle: () => Promise<void>): Promise<void> {
    goal = target
    const since = generation
    const work = queue.then(() => runUntil(target, since, idle))
    const done = (): void => {
      if (goal === target) goal = undefined
    }
    queue = work.then(done, done)
    return work
  }

  const start = (): number => Math.max(goal ?? now(), now())

  return {
    now,
    schedule(job) {
      let index = jobs.length
      while (index > 0 && (jobs[index - 1]?.at ?? 0) > job.at) index -= 1
      jobs.splice(index, 0, job)
    },
    handle(all) {
      handlers = all
    },
    get jobs() {
      return jobs
    },
    get offset() {
      return offset
    },
    restore(stored, added) {
      generation += 1
      jobs = [...stored]
      offset = added
      goal = undefined
      queue = Promise.resolve()
    },
    runDue() {
      for (let job = takeNext(now()); job !== undefined; job = takeNext(now())) carryOut(job)
    },
    async advance(duration, idle) {
      return moveOn(checkTarget(start(), addDuration(start(), duration)), idle)
    },
    async set(at, idle) {
      if (at >= start()) return moveOn(checkTarget(start(), at), idle)
      checkTarget(at, at)
      offset += at - now()
    },
    reset() {
      generation += 1
      jobs = []
      offset = 0
      goal = undefined
      queue = Promise.resolve()
    },
  }
}

function checkTarget(from: number, target: number): number {
  if (!Number.isFinite(target) || target < 0 || target > LAST_MOMENT) {
    throw new InputError('The clock can show times from 1970 to the end of the year 9998.')
  }
  if (target > addDuration(from, { years: MAX_YEARS })) {
    throw new InputError(`The clock can be moved by at most ${MAX_YEARS} years at a time.`)
  }
  return target
}
