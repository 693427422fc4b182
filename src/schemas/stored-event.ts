import type { Issue } from '../errors.ts'
import { isDocumentedEvent, type WebhookEvent } from './event.ts'
import { keepReceived, recordOf, without } from './read.ts'

/**
 * An event as a store keeps it: the received record, the event's `fields` that differ from it, and the names that the
 * event lacks.
 */
export type StoredEvent = { record: Record<string, unknown>; fields: object; left: string[]; issues: readonly Issue[] }

/** The service sends nothing deeper, and the JSON of a deeper value overflows the stack of some runtime. */
const isDeep = (value: unknown, left = 100): boolean =>
  typeof value === 'object' && (left === 0 || Object.values(value ?? {}).some((one) => isDeep(one, left - 1)))

/**
 * An event for {@link restored}, which needs no schema. A value that is nested too deeply is left out, and named in
 * `issues`.
 */
export function stored(event: WebhookEvent): StoredEvent {
  const record = recordOf(event)
  const names = Object.keys(record)
  const deep = names.filter((name) => isDeep(record[name]))
  const same = names.filter((name) => record[name] === event[name as 'kind'])
  const lost = deep.map((path) => ({ path, message: 'is nested too deeply to be stored', received: 'object' }))
  return {
    record: without(record, deep),
    fields: without(event, [...deep, ...same, 'issues']),
    left: names.filter((name) => !Object.hasOwn(event, name)),
    issues: [...(event.issues ?? []), ...lost],
  }
}

/** The event that was {@link stored}. */
export function restored({ record, fields, left, issues }: StoredEvent): WebhookEvent {
  const event = { ...without(record, left), ...fields } as unknown as WebhookEvent
  return keepReceived(event, record, issues, left, issues.length > 0 && !isDocumentedEvent(event)) as WebhookEvent
}
