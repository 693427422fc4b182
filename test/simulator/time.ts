// During a schedule time is the schedule's: neither the machine's clock nor its load decides anything.

/** Something that waits for a moment of the schedule. */
export interface Timer {
  at: number
  ms: number
  run: () => void
}

const timers = new Set<Timer>()
let now = (): number => 0
let last: Timer | undefined

/** From here on time is what this clock says. */
export function followClock(clock: () => number): void {
  now = clock
}

/** The timer that was set last. */
export const lastTimer = (): Timer | undefined => last

/** The clock has moved: what is due runs, in the order of its moments. */
export function runTimers(): void {
  const due = [...timers].filter(({ at }) => at <= now()).sort((a, b) => a.at - b.at)
  for (const timer of due) if (timers.delete(timer)) timer.run()
}

/** Where everything waits for a time, such as the limit of a call that hangs, the clock moves on to it. */
export function passTime(advance: (ms: number) => void): void {
  if (timers.size > 0) advance(Math.max(0, Math.min(...[...timers].map(({ at }) => at)) - now()))
}

/** Replaces the runtime's clock and timers. @returns What puts them back. */
export function replaceTime(): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const { now: read } = Date
  Date.now = () => now()
  globalThis.setTimeout = ((run: () => void, ms = 0) => {
    // A turn of the event loop, and no time.
    if (ms <= 0) return set(run, ms)
    last = { at: now() + ms, ms, run }
    timers.add(last)
    return last
  }) as unknown as typeof setTimeout
  globalThis.clearTimeout = ((timer: Timer) => {
    if (!timers.delete(timer)) clear(timer as never)
  }) as unknown as typeof clearTimeout
  return () => {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear })
    Date.now = read
    timers.clear()
  }
}
