import type { WebhookEvent } from '../../webhooks/index.ts'
import { printable } from './terminal.ts'

/** One line of an event for people: `purchase success 100.50 UAH order A-1`. */
export function eventLine(event: WebhookEvent): string {
  const { method, status, amount, currency, order_id } = event.record as Record<string, unknown>
  const kind = event.kind === 'unknown' ? `unknown method ${text(method)}` : event.kind
  const money = typeof amount === 'number' ? amount.toFixed(2) : text(amount)
  return printable(`${kind} ${text(status)} ${money} ${text(currency)} order ${text(order_id)}`)
}

/** An event as JSON for people and programs. Card tokens are not shown: a terminal's output is kept and shared. */
export const shownEvent = (event: WebhookEvent): Record<string, unknown> => withoutTokens({ ...event })

export const withoutTokens = (payload: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(payload, (name, value) => (isToken(name) && value !== null ? '[hidden]' : value)))

/** The same for the text of a response, which need not be whole. */
export const textWithoutTokens = (text: string): string =>
  text.replaceAll(/("(?:cc|recurring)_token"\s*:\s*)"(?:[^"\\]|\\.)*"?/g, '$1"[hidden]"')

/** Whether a field holds something that can be charged. */
export const isToken = (name: string): boolean => name === 'cc_token' || name === 'recurring_token'

function text(value: unknown): string {
  if (value === undefined || value === null) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
