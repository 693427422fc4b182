import { InputError } from '../parse-input.ts'
import { addDuration, type Duration, LAST_MOMENT } from './time.ts'

/** The source of the time. */
export interface ClockSource {
  /** Milliseconds since the epoch. */
  now(): number
}

/** The emulator's time: the clock of the options, plus the advances. */
export interface EmulatorClock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time on and does, in order, everything that falls due on the way: scheduled charges, retries, delayed
   * webhooks. Resolves when everything is done and delivered. Parallel calls add up. `advance({})` does due work.
   *
   * @throws {ConfigError} for an unknown unit, a negative number, a fraction of a month, more than 30 years, or a time
   *   after the year 9998.
   */
  advance(duration: Duration): Promise<void>
  /**
   * Sets the time. Forward, it works as `advance` does; backward, nothing happens and scheduled work stays.
   *
   * @param at Milliseconds since the epoch, or a time with its zone: `2026-01-31T10:00:00Z`.
   * @throws {ConfigError} when that is not a time up to the year 9998, or more than 30 years ahead.
   */
  set(at: number | string): Promise<void>
  /** The time of the next webhook retry or scheduled charge, in milliseconds since the epoch; null if none. */
  due(what: 'next_retry' | 'next_charge'): number | null
}

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
  subject: string
  number?: number
  what?: string
}

export type JobHandlers = Record<JobKind, (job: Job) => void>

const MAX_YEARS = 30
/** This many jobs run before other requests get their turn. */
const JOBS_AT_ONCE = 200

/** The emulator's time, and its due work: retries, recurring charges, delayed webhooks. */
export class Scheduler implements ClockSource {
  offset = 0
  jobs: Job[] = []
  private readonly source: ClockSource
  private handlers: JobHandlers | undefined
  // A reset ends the advances that are under way.
  private generation = 0
  // The time of the clock once every advance so far is done; each advance starts at the previous end.
  private goal: number | undefined
  private advances: Promise<void> = Promise.resolve()
  // Each scheduled event happens at its own moment, not milliseconds of the real clock later.
  private held: number | undefined

  constructor(source: ClockSource) {
    this.source = source
  }

  now(): number {
    return this.held ?? this.source.now() + this.offset
  }

  handle(handlers: JobHandlers): void {
    this.handlers = handlers
  }

  schedule(job: Job): void {
    let index = this.jobs.length
    while (index > 0 && (this.jobs[index - 1]?.at ?? 0) > job.at) index -= 1
    this.jobs.splice(index, 0, job)
  }

  runDue(): void {
    for (let job = this.takeNext(this.now()); job !== undefined; job = this.takeNext(this.now())) this.carryOut(job)
  }

  /** Moves the clock on, stopping at each moment at which something is due; `idle` is awaited after each stop. */
  async advance(duration: Duration, idle: () => Promise<void>): Promise<void> {
    return this.moveOn(checkTarget(this.start(), addDuration(this.start(), duration)), idle)
  }

  async set(at: number, idle: () => Promise<void>): Promise<void> {
    if (at >= this.start()) return this.moveOn(checkTarget(this.start(), at), idle)
    checkTarget(at, at)
    this.offset += at - this.now()
  }

  forget(subjects: readonly string[]): void {
    this.jobs = this.jobs.filter(({ subject }) => !subjects.includes(subject))
  }

  reset(): void {
    this.restore([], 0)
  }

  restore(jobs: readonly Job[], offset: number): void {
    this.generation += 1
    this.jobs = [...jobs]
    this.offset = offset
    this.goal = undefined
    this.advances = Promise.resolve()
  }

  private start(): number {
    return Math.max(this.goal ?? this.now(), this.now())
  }

  private moveTo(at: number): void {
    this.offset += Math.max(0, at - this.now())
  }

  private takeNext(until: number): Job | undefined {
    const next = this.jobs[0]
    return next === undefined || next.at > until ? undefined : this.jobs.shift()
  }

  private carryOut(job: Job): void {
    this.held = job.at
    try {
      this.handlers?.[job.kind](job)
    } finally {
      this.held = undefined
    }
  }

  private moveOn(target: number, idle: () => Promise<void>): Promise<void> {
    this.goal = target
    const since = this.generation
    const work = this.advances.then(() => this.runUntil(target, since, idle))
    const done = (): void => {
      if (this.goal === target) this.goal = undefined
    }
    this.advances = work.then(done, done)
    return work
  }

  private async runUntil(target: number, since: number, idle: () => Promise<void>): Promise<void> {
    // A delivery that is under way may schedule more: the retry of a delivery that is about to fail.
    await idle()
    for (let count = 1; since === this.generation; count++) {
      const job = this.takeNext(target)
      if (job === undefined) break
      this.moveTo(job.at)
      this.carryOut(job)
      await idle()
      if (count % JOBS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 0))
    }
    if (since === this.generation) this.moveTo(target)
    await idle()
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
