import { isApiError, isConfigError, isConnectionError, isUnexpectedResponseError } from '../../errors.ts'
import { describeStatusCode, isFinal } from '../../helpers/status.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { isToken } from '../terminal/event-text.ts'

/** Exit codes: done, rejected or failed, outcome unknown. Wrong usage is thrown: 2. */
export const EXIT = { done: 0, failed: 1, unknown: 3 } as const

/** `1002: amount reserved` */
export function describeCode(code: string | null | undefined, description?: string | null): string {
  const meaning = describeStatusCode(code)?.meaning ?? description ?? undefined
  return [code ?? undefined, meaning].filter((part) => part !== undefined).join(': ')
}

/** The exit code for an operation's status. An open status may still move money: the outcome is not known yet. */
export function exitOf(status: string): 0 | 1 | 3 {
  if (status === 'success') return EXIT.done
  return isFinal(status) ? EXIT.failed : EXIT.unknown
}

/** The runtime's own reason, such as ENOTFOUND, an expired certificate, or a permission that Deno lacks. */
export function causeOf(error: unknown): string {
  const { code, message, cause } = (error ?? {}) as { code?: unknown; message?: unknown; cause?: unknown }
  if (cause !== undefined) return causeOf(cause)
  const text = typeof code === 'string' ? code : message
  return typeof text === 'string' ? text.replace(/\.$/, '') : ''
}

/** How to fix an error of a call, for people; empty if the error itself names the fix. */
export function cureOf(error: unknown): string {
  if (isConnectionError(error)) {
    const cause = causeOf(error.cause)
    const check = 'Check EDGETILL_BASE_URL (and EDGETILL_API_URL) and the network; edgetill doctor finds the mistake.'
    return cause === '' ? check : `Cause: ${cause}. ${check}`
  }
  if (isConfigError(error) && error.field === 'apiUrl') return 'Set EDGETILL_API_URL, or pass --api-url.'
  if (isApiError(error) && error.status === 401) return 'edgetill doctor finds out which credential is not accepted.'
  if (isApiError(error) && error.retryable) return 'Nothing was changed. Try again later.'
  if (isUnexpectedResponseError(error)) return 'Check EDGETILL_BASE_URL (and EDGETILL_API_URL); nothing was changed.'
  return ''
}

/** A record as JSON. A token can be charged: it has no place in a terminal or a log. */
export function jsonOf(record: object): string {
  return JSON.stringify(record, (name, value: unknown) => (isToken(name) ? undefined : value))
}

export const idsOf = (events: readonly WebhookEvent[]): string[] =>
  events.flatMap(({ record: { operation_id } }) => (typeof operation_id === 'string' ? [operation_id] : []))
