/** Callers that wait for something to become true. */
export interface Waiting {
  /** Something has changed: every waiting caller checks its condition again. */
  changed(): void
  /** Resolves when the condition holds, after `ms` of real time, or when the signal aborts. */
  until(condition: () => boolean, ms: number, signal: AbortSignal): Promise<void>
}

export function createWaiting(): Waiting {
  const checks = new Set<() => void>()
  return {
    changed() {
      for (const check of [...checks]) check()
    },
    until(condition, ms, signal) {
      if (condition() || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer)
          checks.delete(check)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const check = (): void => {
          if (condition()) done()
        }
        const timer = setTimeout(done, ms)
        checks.add(check)
        signal.addEventListener('abort', done, { once: true })
      })
    },
  }
}
