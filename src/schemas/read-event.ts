import * as v from 'valibot'
import type { Issue } from '../errors.ts'
import { kindOf } from '../lib/kind.ts'
import {
  authIncrementEventSchema,
  captureEventSchema,
  type DocumentedEvent,
  type EventCopy,
  primaryEventSchema,
  refundEventSchema,
  type UnexpectedEvent,
  type UnknownEvent,
  voidEventSchema,
  type WebhookEvent,
} from './event.ts'
import { unchanged } from './fast-path.ts'
import { anObject, pure, type Schema } from './fields.ts'
import { isOriginal, keepReceived, type Received, readReceived, recordOf, UNTYPED, without } from './read.ts'

/**
 * Reads an event from a record that you trust already, such as the `record` of an event that you stored, or from a copy
 * of the event itself, such as its JSON. A record without the fields that decide becomes an {@link UnexpectedEvent}.
 *
 * Only the fields that decide have to be valid: the identity (`payment_id`, `order_id`, of a secondary operation
 * `operation_id` too), `method`, `status`, `amount`, `currency`, and `processed_amount` and `processed_currency` where
 * they are present. Any other field of an odd type is left out, named in `issues`, and kept under `record`.
 *
 * @throws {ConfigError} for a value that is not an object, and for a copy of an undocumented event that has lost an
 *   `order_id` or `method` which is not a text (`structuredClone` and a spread keep none). The message names the value
 *   to keep.
 * @see The API document, "Events".
 * @example
 * import { readEvent } from 'edgetill/webhooks'
 * const event = readEvent(JSON.parse('{"method":"loyalty","order_id":"A-1"}'))
 * event.kind // unknown
 */
export function readEvent(record: Readonly<Record<string, unknown>> | EventCopy): WebhookEvent {
  return readRecord(recordOf(record))
}

/** Makes an event of a received record. Never throws. */
export function readRecord(record: Readonly<Record<string, unknown>>): WebhookEvent {
  const { method } = record
  const reader = READERS.get(method)
  if (!reader) {
    if (typeof method === 'string' && method !== '') return undocumented('unknown', record, [])
    return undocumented('unexpected', record, [
      { path: 'method', message: 'must be a non-empty string', received: kindOf(method) },
    ])
  }
  if (reader.unchanged(record)) return keepReceived({ ...record, kind: method }, record) as unknown as DocumentedEvent
  const { value, issues } = readReceived<Received>(reader.schema, record, { kind: method })
  return value ? (value as DocumentedEvent) : undocumented('unexpected', record, issues)
}

/** Makes an event that has not the fields of a documented one. */
export function undocumented(
  kind: 'unknown' | 'unexpected',
  record: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
): UnknownEvent | UnexpectedEvent {
  const odd = UNTYPED.filter((name) => typeof record[name] !== 'string')
  const left = odd.filter((name) => record[name] != null)
  const found = [...issues]
  for (const path of left) {
    const issue = { path, message: 'must be a string', received: kindOf(record[path]) }
    if (!found.some((one) => one.path === path)) found.push(issue)
  }
  const fields = { ...without(record, odd), kind }
  return keepReceived(fields, record, found, left, found.length > 0) as unknown as UnknownEvent
}

/**
 * The event itself; of a copy, the event that it was.
 * @throws {ConfigError} as {@link readEvent}.
 */
export function originalOf(event: EventCopy): WebhookEvent {
  return isOriginal(event) ? (event as WebhookEvent) : readEvent(event)
}

interface Reader {
  schema: Schema<object>
  /** The short way: most webhooks pass as they came. */
  unchanged: (value: unknown) => boolean
}

/**
 * Looked up by method, a map because a method may be "constructor": several times faster than `v.variant`, which tries
 * each.
 */
const READERS: ReadonlyMap<unknown, Reader> = /* @__PURE__ */ pure(() => {
  const primary: Reader = { schema: primaryEventSchema, unchanged: unchanged(primaryEventSchema) }
  const secondary = [
    ['capture', captureEventSchema],
    ['void', voidEventSchema],
    ['auth_increment', authIncrementEventSchema],
    ['refund', refundEventSchema],
  ] as const
  return new Map<unknown, Reader>([
    ...(['purchase', 'auth', 'credit', 'p2p', 'lookup'] as const).map((method) => [method, primary] as const),
    ...secondary.map(([method, schema]) => [method, { schema, unchanged: unchanged(schema) }] as const),
  ])
})

/**
 * A webhook's record, or an event that became JSON and back: reads it as {@link readEvent} does. Any stored
 * `event.record` becomes an event again: without the fields that decide an {@link UnexpectedEvent}. Only two inputs are
 * rejected: a value that is not an object, and a copy of an event that has lost a field.
 * @see The API document, "Events".
 * @example
 * import * as v from 'valibot'
 * import { webhookEventSchema } from 'edgetill/schemas'
 * const read = (message: string) => v.parse(webhookEventSchema, JSON.parse(message))
 */
export const webhookEventSchema: Schema<WebhookEvent> = /* @__PURE__ */ pure(() =>
  v.pipe(
    anObject,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        return readEvent(dataset.value)
      } catch (error) {
        addIssue({ message: String((error as Error).message) })
        return NEVER
      }
    }),
  ),
)
