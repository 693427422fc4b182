// The call of a shop's code for an event, by every driver.

import type { WebhookEvent } from '../schemas/event.ts'

/** A stored event, as your code gets it. */
export interface ReceivedEvent {
  /** Stable: every delivery of the same event has the same id. Use it as an idempotency key. */
  id: string
  /** The event, without card data; `cc_token`, which can be charged, only where your options keep it. */
  event: WebhookEvent
}

/** How long `onEvent` may take. */
export const ON_EVENT_MS = 25_000

/** Waits before the next look at another process's work. A test's clock does not move automatically: hardly wait. */
export const pause = ({ isTestClock }: { isTestClock?: boolean | undefined }, ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, isTestClock ? 1 : ms))

/** Milliseconds after the n-th failure: by default 1, 2, 4 … seconds, at most 6 hours. */
export const pauseAfter = (failures: number, firstMs: number = 1000, maxMs: number = 6 * 3_600_000): number =>
  Math.min(firstMs * 2 ** (failures - 1), maxMs)

/** Calls it with a time limit. A longer call counts as failed. @throws Its error, or a `TimeoutError`. */
export async function callInTime(call: () => unknown, name = 'onEvent', ms: number = ON_EVENT_MS): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const text = `${name} took longer than ${ms / 1000} seconds`
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(text, 'TimeoutError')), ms)
  })
  try {
    // A synchronous error rejects here too.
    await Promise.race([(async () => call())(), limit])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Name and message of an error, without NUL, which Postgres does not store. Total: `String` throws for an object
 * without a prototype.
 */
export function errorText(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return text.replaceAll('\0', '').slice(0, 500)
  } catch {
    return typeof error
  }
}
