import type { Issue } from '../errors.ts'
import { isDocumentedEvent, type WebhookEvent } from './event.ts'
import { keepReceived, recordOf, without } from './read.ts'

/** An event as a store keeps it: what was received, and what was made of it. */
export interface StoredEvent {
  record: Record<string, unknown>
  /** Fields of the event that are not the record's. */
  typed: Record<string, unknown>
  /** Fields of the record that are not the event's. */
  left: string[]
  issues: readonly Issue[]
}

/** An event for {@link restored}, which needs no schema. @param lost Fields that cannot be stored, and why. */
export function stored(event: WebhookEvent, lost: readonly Issue[] = []): StoredEvent {
  const { issues = [], ...fields } = event as object & { issues?: readonly Issue[] }
  const record = recordOf(event)
  const names = lost.map(({ path }) => path)
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
