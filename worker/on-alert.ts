import type { Env } from './env.ts'

/** What a person should look at. Identifiers, names and codes only: never personal data. */
export interface Alert {
  /** What happened. */
  kind: AlertKind
  /** The order that it is about, where there is one. */
  order_id: string | null
  /** More to look it up by: `flag`, `event_id`, `attempt_id`, `operation`, `reason`, `fields`, `misconfigured`. */
  [detail: string]: string | number | boolean | readonly string[] | null | undefined
}

export type AlertKind =
  /** A genuine webhook that could not be filed under an order: `GET /api/strays`. */
  | 'dead_letter'
  /** An event has a shape that the API document does not show; `fields` names what is odd. */
  | 'unexpected_shape'
  /** An order has a new `flag`. */
  | 'flag'
  /** `onEvent` failed so often that it is not called again for `event_id`, unless it is replayed. */
  | 'on_event_given_up'
  /** It has not been known for ten minutes whether `attempt_id` was executed, or its operation is pending after a day. */
  | 'attempt_unsettled'
  /** A checkout was opened a day ago, and the service calls it pending or cannot be asked. */
  | 'checkout_open'
  /** The worker is misconfigured; `misconfigured` names each binding, never its value. */
  | 'configuration'

/**
 * Your code. It runs in the background, at most once an hour for the same alert: what it does, how long it takes and
 * whether it fails changes nothing else. Each alert is also a line in the log, whether this is defined or not.
 */
export type OnAlert = (alert: Alert, env: Env) => Promise<void> | void

/**
 * Put your code here. While it is undefined, alerts are only logged.
 *
 * @example
 * import type { OnAlert } from './on-alert.ts'
 * // CHAT_URL: the address that your chat takes messages at. `npx wrangler secret put CHAT_URL`
 * export const onAlert: OnAlert = async ({ kind, order_id, ...details }, env) => {
 *   if (!env.CHAT_URL) return
 *   const text = `${kind} ${order_id ?? ''} ${JSON.stringify(details)}`
 *   const headers = { 'content-type': 'application/json' }
 *   await fetch(env.CHAT_URL, { method: 'POST', headers, body: JSON.stringify({ text }), signal: AbortSignal.timeout(5_000) })
 * }
 */
export const onAlert: OnAlert | undefined = undefined
