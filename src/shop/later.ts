import { describeError, logError } from './lib/log.ts'
import type { Scope } from './scope.ts'

/** Runs work in the background: no response waits for it. */
export function later(scope: Scope, code: string, order_id: string | null, work: () => Promise<unknown>): void {
  const done = work().catch((error: unknown) => logError(code, { order_id, ...describeError(error) }))
  scope.waitUntil?.(done)
}
