import { vi } from 'vitest'

/** A little less than a test's own limit, so that the failing condition is reported, and not the limit. */
const LIMIT_MS = 55_000

/** Waits until `check` no longer throws, for as long as a test may take: a busy machine needs seconds for what takes milliseconds. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: LIMIT_MS, interval: 5 })
