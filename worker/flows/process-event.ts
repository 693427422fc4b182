import type { Context } from '../context.ts'
import { type Env, keepsCardToken, retentionMs } from '../env.ts'
import { toBase64url } from '../lib/crypto.ts'
import { report } from '../lib/log.ts'
import { type EventSummary, type ExpectedPayment, recordOf, summarizeEvent, type WebhookEvent } from '../sdk.ts'
import { getCheckout } from '../store/checkouts.ts'
import { putDeadLetter } from '../store/dead-letters.ts'
import {
  getEvent,
  type LoggedEvent,
  listEvents,
  orderIdOf,
  orderKeyOf,
  putEvent,
  type StoredEvent,
  webhookOf,
} from '../store/event-log.ts'
import { deleteRetry, isDone } from '../store/event-progress.ts'
import { StorageError } from '../store/kv.ts'
import { type Order, orderFrom, putStatus } from '../store/order.ts'
import { dayOf, putRecent } from '../store/order-index.ts'
import { runOnEvent } from './run-on-event.ts'

/** What comes with an event. */
export interface Arrival {
  /** The raw `data` of its webhook: kept when the event cannot be stored as an object. */
  data?: string | undefined
  /** What was asked for when its payment was created. */
  expected?: ExpectedPayment | undefined
  /** False for the response to a call of our own: its webhook is what `onEvent` gets. */
  notify?: boolean
}

/** An event as it is stored: its summary, and its record without card data. */
export interface PackedEvent extends Pick<StoredEvent, 'event' | 'issues'> {
  order_id: string
  summary: EventSummary
}

/**
 * Takes in a genuine event: when this returns, the event is durable, and `onEvent` has run or will run.
 *
 * @throws {StorageError} when the storage failed: nothing may be acknowledged.
 */
async function receiveEvent(context: Context, event: WebhookEvent, arrival: Arrival = {}): Promise<void> {
  const packed = packEvent(event, context.env)
  if (packed) return receivePacked(context, packed, arrival)
  return receiveUnpackable(context, event, arrival.data)
}

/**
 * Takes in what the service answered when it was asked. The service sends the webhook at the same moment, so that KV may
 * reject this second write to the event's key: nobody waits for an acknowledgement here, and the other write is of the
 * same event.
 */
export async function receiveResent(context: Context, event: WebhookEvent, arrival: Arrival = {}): Promise<void> {
  try {
    await receiveEvent(context, event, arrival)
  } catch (error) {
    if (!(error instanceof StorageError && error.tooSoon)) throw error
  }
}

const CARD_FIELDS = /^(cc_number|card_number|pan|card_cvv|cvv2?|cvc2?)$/i

/** Undefined for an event that names no order, or is too deep to be stored as an object. */
export function packEvent(event: WebhookEvent, env: Env): PackedEvent | undefined {
  const order_id = orderIdOf(event)
  const record = order_id === undefined ? undefined : withoutCardData(recordOf(event), keepsCardToken(env))
  if (order_id === undefined || record === undefined) return undefined
  return {
    order_id,
    // Of the whole record: an event keeps its key whatever is cut.
    summary: summarizeEvent(event),
    event: record,
    ...(event.issues.length > 0 && { issues: event.issues }),
  }
}

function withoutCardData(record: object, keepToken: boolean): Record<string, unknown> | undefined {
  const cut = (key: string, value: unknown) =>
    CARD_FIELDS.test(key) || (!keepToken && key === 'cc_token') ? undefined : value
  try {
    return JSON.parse(JSON.stringify(record, cut)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Keeps a genuine event that {@link packEvent} cannot pack. */
export async function receiveUnpackable(context: Context, event: WebhookEvent, data = ''): Promise<void> {
  const order_id = orderIdOf(event)
  if (order_id !== undefined) return receiveUnreadable(context, data, 'too_deep', await orderKeyOf(order_id))
  const record = withoutCardData(recordOf(event), keepsCardToken(context.env))
  return receiveUnreadable(
    context,
    record ? toBase64url(new TextEncoder().encode(JSON.stringify(record))) : data,
    'no_order_id',
  )
}

/** Keeps a genuine webhook that cannot be filed as an event. */
export async function receiveUnreadable(
  { store, env, now }: Context,
  data: string,
  reason: string,
  orderKey?: string,
): Promise<void> {
  const retention = retentionMs(env)
  const isNew = await putDeadLetter(store, data, {
    reason,
    received_at: now(),
    ...(orderKey !== undefined && { orderKey }),
    ...(retention !== undefined && { ttlSeconds: retention / 1000 }),
  })
  if (isNew) report('dead_letter', { reason })
}

/** {@link receiveEvent} for an event that was packed. */
export async function receivePacked(context: Context, packed: PackedEvent, arrival: Arrival): Promise<void> {
  const { store } = context
  const { order_id, summary, ...stored } = packed
  const { expected, notify = true } = arrival
  const now = context.now()
  const orderKey = await orderKeyOf(order_id)
  const logged: LoggedEvent = { ...summary, received_at: now, ...(expected && { expected }) }

  // Looking for a duplicate saves a write; a listing that fails must not keep the event from being stored.
  const known = await listEvents(store, orderKey).catch(ignoreOutage)
  const seen = known ? known.some(({ id }) => id === logged.id) : await isStored(context, orderKey, logged.id)
  const reading = { order_id, orderKey, logged, known: known ?? [] }
  if (!seen) {
    const fields = stored.issues?.map(({ path }) => path)
    if (fields) report('unexpected_shape', { order_id, event_id: logged.id, fields })
    // The index first: an event whose row is missing would never be listed, a row without an event does no harm.
    if (!known?.some(({ received_at }) => dayOf(received_at) === dayOf(now))) await putRecent(store, order_id, now)
    // Before the event: a worker that dies in between leaves a page that is right, and the event is delivered again.
    await keepStatus(context, reading)
    await putEvent(store, orderKey, logged, stored)
  }
  if (!context.onEvent || !notify) return
  if (context.outbox) return context.outbox.add(logged.id, stored, now)
  if (await isDone(store, logged.id)) return
  const received = { id: logged.id, event: webhookOf(stored) }
  const handled = await runOnEvent(context, received, await orderAfter(context, reading, !seen))
  if (handled && seen) await deleteRetry(store, logged.id).catch(ignoreOutage)
}

interface Received {
  order_id: string
  orderKey: string
  logged: LoggedEvent
  known: readonly LoggedEvent[]
}

/** Keeps what pages show, and reports what a person should look at. */
async function keepStatus({ store, env }: Context, { order_id, logged, known }: Received): Promise<void> {
  const posId = env.POS_ID
  const checkout = logged.expected ? undefined : await getCheckout(store, order_id)
  const order = orderFrom(order_id, [...known, logged], { checkout, posId })
  const before = orderFrom(order_id, known, { checkout, posId }).flags
  for (const flag of order.flags) if (!before.includes(flag)) report('flag', { flag, order_id })
  if (order.status === 'success' || order.status === 'failure') await putStatus(store, order)
}

/** The order with this event, and with those that arrived while it was being written. */
async function orderAfter(
  context: Context,
  { order_id, orderKey, logged, known }: Received,
  isNew: boolean,
): Promise<Order> {
  const later = isNew ? ((await listEvents(context.store, orderKey).catch(ignoreOutage)) ?? []) : []
  const checkout = await getCheckout(context.store, order_id)
  return orderFrom(order_id, [...known, ...later, logged], { checkout, posId: context.env.POS_ID })
}

async function isStored({ store }: Context, orderKey: string, id: string): Promise<boolean> {
  return (await getEvent(store, orderKey, id)) !== undefined
}

function ignoreOutage(error: unknown): undefined {
  if (!(error instanceof StorageError)) throw error
  return undefined
}
