import { isReserved } from '../lib/kind.ts'
import { sha256Base64url } from '../lib/sha256.ts'
import { type EventCopy, isDocumentedEvent, type WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { originalOf } from '../schemas/read-event.ts'

/**
 * The identity of an event, for storing it: the same for every delivery (a webhook with other padding, {@link
 * resendWebhook}, a copy from JSON, `structuredClone` or a queue), and different for two events that differ in any
 * field. To act on a payment once, use {@link operationKey}: a re-sent webhook may have a parameter more.
 *
 * It is the SHA-256 of the event's record with sorted keys, null fields left out, and numbers that arrived as text read
 * as numbers; Base64Url, 43 characters. Synchronous, however deep the record is. Fields of the wire that are called
 * `kind`, `record`, `issues`, `constructor`, `prototype` or `__proto__` are not part of it, nor are those of a
 * documented event that are left out because of their type (`issues`): no copy has them all.
 *
 * @throws {ConfigError} for a copy of an undocumented event that has lost an `order_id` or `method` which is not a text
 *   (`structuredClone` and a spread keep none). The message names the value to keep.
 * @example
 * import { eventKey } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * async function keep(event: WebhookEvent, insert: (key: string, event: WebhookEvent) => Promise<void>) {
 *   await insert(eventKey(event), event) // "on conflict do nothing"
 * }
 */
export function eventKey(event: EventCopy): string {
  return sha256Base64url(eventText(originalOf(event)))
}

/** The text that {@link eventKey} hashes. With `issues`, a documented event's own fields: its copies have no others. */
export function eventText(event: WebhookEvent): string {
  const isPartial = event.issues?.length > 0 && isDocumentedEvent(event)
  return canonicalText(isPartial ? { ...event } : recordOf(event))
}

/** Fields of a copy that come from this package, not from the wire. */
const OURS: ReadonlySet<string> = new Set(['kind', 'record', 'issues'])

/** The rest that is to be written: a piece of text, or a value under a key. */
type Pending = string | { key: string; value: unknown }

/**
 * A record as JSON that is the same for equal records. A stack instead of recursion: a hostile depth must not overflow.
 */
function canonicalText(record: Record<string, unknown>): string {
  let text = ''
  const pending: Pending[] = [{ key: '', value: record }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      text += next
      continue
    }
    const { key, value } = next
    if (typeof value !== 'object' || value === null) {
      text += scalarText(key, value)
    } else if (Array.isArray(value)) {
      text += '['
      pending.push(']')
      for (let i = value.length - 1; i >= 0; i--) pending.push(',', { key, value: value[i] })
    } else {
      text += '{'
      const members = value as Record<string, unknown>
      // The members from the first object or list on: they have to wait for its text.
      const rest: Pending[] = []
      for (const { name, label } of labelsOf(members)) {
        const member = members[name]
        if (isAbsent(member) || (value === record && OURS.has(name))) continue
        if (typeof member === 'object') rest.push(label, { key: name, value: member }, ',')
        else if (rest.length > 0) rest.push(`${label}${scalarText(name, member)},`)
        else text += `${label}${scalarText(name, member)},`
      }
      pending.push('}')
      for (let part = rest.pop(); part !== undefined; part = rest.pop()) pending.push(part)
    }
  }
  return text
}

/** The members of an object in the order of their names, each with its name as JSON. */
type Labels = readonly { name: string; label: string }[]

/**
 * Sorting takes a third of the time, and a shop's events have few forms: the last form for each number of members is
 * kept.
 */
const known: { names: readonly string[]; labels: Labels }[] = []

function labelsOf(members: object): Labels {
  const names = Object.keys(members)
  const before = known[names.length]
  if (before?.names.every((name, i) => name === names[i])) return before.labels
  const labels = [...names]
    .sort()
    .filter((name) => !isReserved(name))
    .map((name) => ({ name, label: `${JSON.stringify(name)}:` }))
  if (names.length < FEW) known[names.length] = { names, labels }
  return labels
}

/** No event that the API document shows has as many members. A hostile one must not fill the memory. */
const FEW = 64

/** JSON.parse reads `1e400` as Infinity, which JSON.stringify writes as null. */
const isAbsent = (member: unknown): boolean =>
  member == null || member === Number.POSITIVE_INFINITY || member === Number.NEGATIVE_INFINITY

const scalarText = (key: string, value: unknown): string => {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`
  // A JSON parser that keeps big numbers whole makes bigints.
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(asNumber(key, value)) ?? 'null')
}

/** A text that is not a number, and that JSON writes as it is. */
const PLAIN = /^[A-Za-z][\w.:+*/ -]*$|^[\da-f]{8}-[\w-]+$/

const DECIMAL = /^-?\d+(\.\d+)?$/

/** `"100"` and `100` are one value, `"100.50"` too if it is an amount. An identifier stays the text that it is. */
function asNumber(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !DECIMAL.test(value) || key === 'id' || key.endsWith('_id')) return value
  const number = Number(value)
  // An amount is always read as a number, as a copy of the event has it.
  return String(number) === value || (/(^|_)amount$/.test(key) && Number.isFinite(number)) ? number : value
}
