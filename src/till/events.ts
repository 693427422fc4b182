import type { Client } from '../client/client-methods.ts'
import { sha256Async } from '../lib/sha256.ts'
import { again, LOST } from '../money/drive.ts'
import { eventText } from '../orders/event-key.ts'
import { foldSummaries } from '../orders/fold.ts'
import { operationOf } from '../orders/identity.ts'
import { needsPerson } from '../orders/needs-person.ts'
import { fieldsOf } from '../orders/summary.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { append, readOrder, type Tables, type TillOrder } from './store.ts'
import { stored } from './stored-event.ts'

/** A stored event, as your code gets it. */
export interface TillEvent {
  /** Stable: the same for every delivery of the same event. Use it as the key of whatever you do. */
  id: string
  /** The event, without `cc_token` unless `keepCardToken` is set. */
  event: WebhookEvent
}

/**
 * Your code for an event. It runs after the event was stored, at least once for each status of an operation, and occasionally twice,
 * so it must be idempotent. When it throws or takes longer than 25 seconds, it is called again later. Rely on `order`, which is
 * folded from all events, more than on the single one.
 */
export type OnTillEvent = (stored: TillEvent, order: TillOrder) => unknown

/** The methods of a client that the till calls. */
export type TillClient = Pick<
  Client,
  `${'create' | 'capture' | 'refund' | 'void' | 'cancel'}Payment` | 'listOrderOperations' | 'resendWebhook'
>

/** The state that the functions of a till share. */
export interface Scope extends Tables {
  client: TillClient
  onEvent: OnTillEvent | undefined
  keepCardToken: boolean
}

/** The stored record, without what could be charged. */
export const kept = <T>(value: T, { keepCardToken }: Scope): T =>
  JSON.parse(JSON.stringify(value, (name, one) => (name === 'cc_token' && !keepCardToken ? undefined : one)))

/** Stores a genuine event: when this returns, it is durable, and `onEvent` is due for it. */
export async function storeEvent(scope: Scope, event: WebhookEvent): Promise<void> {
  const { order_id } = recordOf(event)
  const summary = { id: await sha256Async(eventText(event)), ...fieldsOf(event) }
  const { id, kind, status } = summary
  const body = kept({ summary, ...stored(event) }, scope)
  if (typeof order_id !== 'string' || order_id === '') {
    const none = { order_key: `stray/${id}`, order_id: null, next: 0 }
    // A copy of it loses the insert.
    return append(scope, none, { kind: 'stray', id, body, isOpen: true }).catch(unlessLost)
  }
  // The name of an event of which `onEvent` hears once. An event of an odd shape stands for itself.
  const operation = kind === 'unexpected' ? undefined : operationOf(summary)
  const name = operation ? JSON.stringify([operation, status]) : id
  return again(async () => {
    const before = await readOrder(scope, order_id)
    if (before.events.some((one) => one.id === id)) return
    const isOpen = needsPerson(foldSummaries(order_id, [...before.events, summary], before.payment?.terms))
    const dueInMs = before.events.some((one) => one.name === name) ? undefined : 0
    await append(scope, before, { kind: 'event', id, body, name, isOpen, dueInMs })
  })
}

function unlessLost(error: unknown): undefined {
  if (error !== LOST) throw error
}
