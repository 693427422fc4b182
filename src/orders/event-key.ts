import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../lib/base64url.ts'
import { encodeUtf8 } from '../lib/utf8.ts'
import type { WebhookEvent } from '../schemas/event.ts'

/** Everything that was received of an event, under its wire names. */
export function recordOf(event: WebhookEvent): Readonly<Record<string, unknown>> {
  return event.record
}

/**
 * The identity of an event: the same for every delivery of it, however it came (by a webhook with other padding, by
 * {@link resendWebhook}), and another one for two events that differ in anything. Use it as the key of whatever you do
 * with an event, for example as a unique column.
 *
 * It is the SHA-256 of the event's record with sorted keys, null fields left out, and numbers that arrived as text read
 * as numbers; Base64Url, 43 characters. Synchronous, and total: it never throws, however deep the record is.
 *
 * @example
 * import { eventKey, type WebhookEvent } from 'edgetill'
 * async function keep(event: WebhookEvent, insert: (key: string, event: WebhookEvent) => Promise<void>) {
 *   await insert(eventKey(event), event) // "on conflict do nothing"
 * }
 */
export function eventKey(event: WebhookEvent): string {
  return encodeBase64url(sha256(encodeUtf8(canonicalText(recordOf(event)))), false)
}

/** What is still to be written: a piece of text, or a value under a key. */
type Pending = string | { key: string; value: unknown }

/** A record as JSON that is the same for equal records. A stack instead of recursion: a hostile depth must not overflow. */
function canonicalText(record: Record<string, unknown>): string {
  let text = ''
  const pending: Pending[] = [{ key: '', value: record }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      text += next
      continue
    }
    const { key, value } = next
    if (Array.isArray(value)) {
      text += '['
      pending.push(']')
      for (let i = value.length - 1; i >= 0; i--) pending.push(',', { key, value: value[i] })
    } else if (typeof value === 'object' && value !== null) {
      text += '{'
      pending.push('}')
      const names = Object.keys(value).sort().reverse()
      for (const name of names) {
        const member = (value as Record<string, unknown>)[name]
        if (member !== null && member !== undefined) {
          pending.push(',', { key: name, value: member }, `${JSON.stringify(name)}:`)
        }
      }
    } else {
      text += JSON.stringify(asNumber(key, value)) ?? 'null'
    }
  }
  return text
}

const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/

/** `"100"` and `100` are one value, `"100.50"` too where it is an amount. An identifier stays the text that it is. */
function asNumber(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || /_id$|^id$/.test(key) || !DECIMAL.test(value)) return value
  const number = Number(value)
  return String(number) === value || /(^|_)amount$/.test(key) ? number : value
}
