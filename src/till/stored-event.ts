import type { Issue } from '../errors.ts'
import { isDocumentedEvent, type WebhookEvent } from '../schemas/event.ts'
import { keepReceived, recordOf, without } from '../schemas/read.ts'

/** An event as a store keeps it: what was received, and what was made of it. */
export interface StoredEvent {
  record: Record<string, unknown>
  /** Fields of the event that are not the record's. */
  typed: Record<string, unknown>
  /** Fields of the record that are not the event's. */
  left: string[]
  issues: readonly Issue[]
}

/** The service sends nothing deeper, and the JSON of a deeper value overflows the stack of some runtime. */
const isDeep = (value: unknown, left = 100): boolean =>
  typeof value === 'object' && (left === 0 || Object.values(value ?? {}).some((one) => isDeep(one, left - 1)))

/** An event for {@link restored}, which needs no schema. What is nested too deeply is left out, and named in `issues`. */
export function stored(event: WebhookEvent): StoredEvent {
  const { issues = [], ...fields } = event as object & { issues?: readonly Issue[] }
  const record = recordOf(event)
  const names = Object.keys(record).filter((name) => isDeep(record[name]))
  const lost = names.map((path) => ({ path, message: 'is nested too deeply to be stored', received: 'object' }))
  return {
    record: without(record, names),
    typed: Object.fromEntries(Object.entries(without(fields, names)).filter(([name, value]) => value !== record[name])),
    left: Object.keys(record).filter((name) => !Object.hasOwn(event, name)),
    issues: [...issues, ...lost],
  }
}

/** The event that was {@link stored}. */
export function restored({ record, typed, left, issues }: StoredEvent): WebhookEvent {
  const fields = { ...without(record, left), ...typed } as unknown as WebhookEvent
  return keepReceived(fields, record, issues, left, issues.length > 0 && !isDocumentedEvent(fields)) as WebhookEvent
}
