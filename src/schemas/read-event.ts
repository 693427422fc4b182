import * as v from 'valibot'
import type { Issue } from '../errors.ts'
import { kindOf } from '../lib/kind.ts'
import {
  authIncrementEventSchema,
  captureEventSchema,
  type DocumentedEvent,
  primaryEventSchema,
  refundEventSchema,
  voidEventSchema,
  type WebhookEvent,
} from './event.ts'
import { unchanged } from './fast-path.ts'
import { anObject, pure, type Schema } from './fields.ts'
import { keepReceived, type Received, readReceived } from './read.ts'

/**
 * Reads an event from a record that you trust already, such as the `record` of an event that you stored. Never throws: a
 * record without the fields that decide becomes an {@link UnexpectedEvent}.
 *
 * What decides is the identity (`payment_id`, `order_id`, of a secondary operation `operation_id` too), `method`, `status`,
 * `amount`, `currency`, and `processed_amount` and `processed_currency` where they are present. Any other field of an odd
 * type is left out, named in `issues`, and kept under `record`.
 *
 * @see The API document, "Events".
 * @example
 * import { readEvent } from 'edgetill/webhooks'
 * const event = readEvent(JSON.parse('{"method":"loyalty","order_id":"A-1"}'))
 * event.kind // unknown
 */
export function readEvent(record: Readonly<Record<string, unknown>>): WebhookEvent {
  const { method, order_id } = record
  const reader = typeof method === 'string' ? READERS.get(method) : undefined
  if (reader?.unchanged(record)) return asEvent(record, record, [])
  const order = typeof order_id === 'string' ? { order_id } : {}
  if (typeof method !== 'string' || method === '') {
    const issues = [{ path: 'method', message: 'must be a non-empty string', received: kindOf(method) }]
    return { kind: 'unexpected', ...order, issues, record }
  }
  if (!reader) return { kind: 'unknown', method, ...order, issues: [], record }
  const { value, issues } = readReceived<Received>(reader.schema, record)
  if (!value) return { kind: 'unexpected', method, ...order, issues, record }
  return asEvent(value, record, value.issues)
}

function asEvent(fields: object, record: Readonly<Record<string, unknown>>, issues: readonly Issue[]): DocumentedEvent {
  const event = { ...fields, kind: record.method }
  return keepReceived(event, record, issues) as DocumentedEvent
}

interface Reader {
  schema: Schema<object>
  /** The short way: most webhooks pass as they came. */
  unchanged: (value: unknown) => boolean
}

/** Looked up by method, a map because a method may be "constructor": several times faster than `v.variant`, which tries each. */
const READERS: ReadonlyMap<string, Reader> = /* @__PURE__ */ pure(() => {
  const primary: Reader = { schema: primaryEventSchema, unchanged: unchanged(primaryEventSchema) }
  const secondary = [
    ['capture', captureEventSchema],
    ['void', voidEventSchema],
    ['auth_increment', authIncrementEventSchema],
    ['refund', refundEventSchema],
  ] as const
  return new Map<string, Reader>([
    ...(['purchase', 'auth', 'credit', 'p2p', 'lookup'] as const).map((method) => [method, primary] as const),
    ...secondary.map(([method, schema]) => [method, { schema, unchanged: unchanged(schema) }] as const),
  ])
})

/**
 * A webhook's record, or an event that became JSON and back: reads it as `verifyWebhook` does. An unknown method is a value;
 * a record without the fields that decide is not.
 * @see The API document, "Events".
 * @example
 * import * as v from 'valibot'
 * import { webhookEventSchema } from 'edgetill/schemas'
 * const read = (message: string) => v.parse(webhookEventSchema, JSON.parse(message))
 */
export const webhookEventSchema: Schema<Exclude<WebhookEvent, { kind: 'unexpected' }>> = /* @__PURE__ */ pure(() =>
  v.pipe(
    anObject,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const event = readEvent(dataset.value)
      if (event.kind !== 'unexpected') return event
      for (const { path: key, message } of event.issues) {
        const value = dataset.value[key]
        addIssue({
          message,
          input: value,
          path: [{ type: 'object', origin: 'value', input: dataset.value, key, value }],
        })
      }
      return NEVER
    }),
  ),
)
