/** Why an attempt was given up. */
export type GivenUp = 'timeout' | 'aborted'

/** The time limit of one attempt, joined with the caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Set once the attempt was given up. */
  givenUp(): GivenUp | undefined
  /** Settles as `work` does, or rejects as soon as the attempt is given up, even where a `fetch` ignores its signal. */
  race<T>(work: Promise<T>): Promise<T>
  /** Frees the timer and the caller's signal. */
  end(): void
}

/** Starts a time limit of `timeoutMs`. A timer of our own: `AbortSignal.any` keeps a long-lived caller's signal growing. */
export function startDeadline(timeoutMs: number, callerSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let reason: GivenUp | undefined
  let rejectRace: ((cause: unknown) => void) | undefined
  const giveUp = (why: GivenUp, cause: unknown) => {
    if (reason) return
    reason = why
    controller.abort(cause)
    rejectRace?.(cause)
  }
  const onAbort = () => giveUp('aborted', callerSignal?.reason)
  const timer = setTimeout(() => giveUp('timeout', new DOMException('No answer in time.', 'TimeoutError')), timeoutMs)
  if (callerSignal?.aborted) onAbort()
  else callerSignal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    givenUp: () => reason,
    race(work) {
      return new Promise((resolve, reject) => {
        rejectRace = reject
        work.then(resolve, reject)
        if (reason) reject(controller.signal.reason)
      })
    },
    end() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits; answers a deadline that tells whether it was over, or was given up before by its caller. */
export async function wait(ms: number, callerSignal: AbortSignal | undefined): Promise<Deadline> {
  const pause = startDeadline(ms, callerSignal)
  await pause.race(new Promise(() => {})).catch(() => {})
  pause.end()
  return pause
}
