import type { Client } from '../client/client-methods.ts'
import type { Issue } from '../errors.ts'
import { sha256Async } from '../lib/sha256.ts'
import { again, LOST } from '../money/drive.ts'
import type { OperationKind } from '../money/protocol.ts'
import type { ReceivedEvent } from '../money/queue.ts'
import { eventText } from '../orders/event-key.ts'
import { foldSummaries } from '../orders/fold.ts'
import { operationOf } from '../orders/identity.ts'
import { needsPerson } from '../orders/needs-person.ts'
import { fieldsOf } from '../orders/summary.ts'
import type { OrderLookup } from '../outcome/look-up.ts'
import { isDocumentedEvent, type WebhookEvent } from '../schemas/event.ts'
import { keepReceived, recordOf, without } from '../schemas/read.ts'
import type { TillDatabase } from './database.ts'
import { append, readOrder, type TillOrder } from './store.ts'

/** The methods of a client that the till calls. */
export type TillClient = Pick<Client, `${'create' | 'cancel' | OperationKind}Payment` | keyof OrderLookup>

/** `client`: what `createClient` returns. `database`: `sqlite(…)`, `postgres(…)`, `d1(…)`, or your own. */
export interface TillOptions {
  client: TillClient
  database: TillDatabase
  /** Your code for what happens to orders. A process without it leaves the events to one that has it. */
  onEvent?: OnTillEvent | undefined
  /** Whether stored records keep `cc_token`, which can be charged. Default false. */
  keepCardToken?: boolean | undefined
}

/**
 * Your code for an event that was stored: for each status of an operation once, occasionally twice, so it must be idempotent. When it
 * throws or takes longer than 25 seconds, it is called again later. Rely on `order`, which is folded from all events.
 */
export type OnTillEvent = (received: ReceivedEvent, order: TillOrder) => unknown

/** Stores a genuine event: when this returns, it is durable, and `onEvent` is due for it. */
export async function storeEvent(scope: TillOptions, event: WebhookEvent): Promise<void> {
  const { order_id } = recordOf(event)
  const summary = { id: await sha256Async(eventText(event)), ...fieldsOf(event) }
  const { id, kind, status } = summary
  const cut = (name: string, value: unknown) => (name === 'cc_token' && !scope.keepCardToken ? undefined : value)
  const body = JSON.parse(JSON.stringify({ summary, ...stored(event) }, cut))
  if (typeof order_id !== 'string' || order_id === '') {
    const none = { order_key: `stray/${id}`, order_id: null, next: 0 }
    const inserted = append(scope, none, { kind: 'stray', id, body, isOpen: true })
    // A copy of it loses the insert.
    return inserted.catch((error: unknown) => (error === LOST ? undefined : Promise.reject(error)))
  }
  // The name of an event of which `onEvent` hears once. An event of an odd shape stands for itself.
  const operation = kind === 'unexpected' ? undefined : operationOf(summary)
  const name = operation ? JSON.stringify([operation, status]) : id
  return again(async () => {
    const before = await readOrder(scope, order_id)
    if (before.events.some((one) => one.id === id)) return
    const isOpen = needsPerson(foldSummaries(order_id, [...before.events, summary], before.payment?.terms))
    const dueInMs = before.events.some((one) => one.name === name) ? null : 0
    await append(scope, before, { kind: 'event', id, body, name, isOpen, dueInMs })
  })
}

/** An event as a store keeps it: what was received, `fields` of the event that differ from it, and the names that the event lacks. */
export type StoredEvent = { record: Record<string, unknown>; fields: object; left: string[]; issues: readonly Issue[] }

/** The service sends nothing deeper, and the JSON of a deeper value overflows the stack of some runtime. */
const isDeep = (value: unknown, left = 100): boolean =>
  typeof value === 'object' && (left === 0 || Object.values(value ?? {}).some((one) => isDeep(one, left - 1)))

/** An event for {@link restored}, which needs no schema. What is nested too deeply is left out, and named in `issues`. */
function stored(event: WebhookEvent): StoredEvent {
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
