import { vi } from 'vitest'

/** Lets the time of a run pass at once. */
export async function inFakeTime<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    let isDone = false
    const running = work()
    const end = (): void => {
      isDone = true
    }
    running.then(end, end)
    while (!isDone) await vi.advanceTimersByTimeAsync(20)
    return await running
  } finally {
    vi.useRealTimers()
  }
}
