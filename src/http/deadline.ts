/** Why an attempt ended before its response. */
export type StopReason = 'timeout' | 'aborted'

/** The time limit of an attempt, joined with the caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Why the attempt was stopped; undefined while it runs. */
  stopReason(): StopReason | undefined
  /** Stops the attempt if its time is over by the clock: a paused process has not run its timers yet. */
  check(): void
  /** Settles as `work` does, or rejects as soon as the attempt is stopped, even if a `fetch` ignores its signal. */
  race<T>(work: Promise<T>): Promise<T>
  /** Frees the timer and the caller's signal. */
  end(): void
}

/** Starts a time limit. It has its own timer: `AbortSignal.any` would keep growing on a caller's long-lived signal. */
export function startDeadline(timeoutMs: number, callerSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let reason: StopReason | undefined
  let rejectRace: ((cause: unknown) => void) | undefined
  const stop = (why: StopReason, cause: unknown) => {
    if (reason) return
    reason = why
    controller.abort(cause)
    rejectRace?.(cause)
  }
  const onAbort = () => stop('aborted', callerSignal?.reason)
  // Not a DOMException, which React Native lacks.
  const onTimeout = () => stop('timeout', Object.assign(new Error('No response in time.'), { name: 'TimeoutError' }))
  const endsAt = Date.now() + timeoutMs
  const timer = setTimeout(onTimeout, timeoutMs)
  // A pause before a retry can end late: a request that is sent after its time would end with an unknown outcome.
  if (timeoutMs <= 0) onTimeout()
  if (callerSignal?.aborted) onAbort()
  else callerSignal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    stopReason: () => reason,
    check() {
      if (Date.now() > endsAt) onTimeout()
    },
    race(work) {
      return new Promise((resolve, reject) => {
        rejectRace = reject
        Promise.resolve(work).then(resolve, reject)
        if (reason) reject(controller.signal.reason)
      })
    },
    end() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Sleeps, or wakes up early when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const pause = startDeadline(ms, signal)
  await pause.race(new Promise(() => {})).catch(() => {})
  pause.end()
}
