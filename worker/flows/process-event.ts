import type { Context } from '../context.ts'
import { type Env, keepsCardToken, retentionMs } from '../env.ts'
import { toBase64url } from '../lib/crypto.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { type EventSummary, isFinal, recordOf, summarizeEvent, type WebhookEvent } from '../sdk.ts'
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
import { ignoreOutage, unlessJustWritten } from '../store/kv.ts'
import { getStatus, type Order, orderFrom, putStatus } from '../store/order.ts'
import { dayOf, putRecent } from '../store/order-index.ts'
import { keepFor } from './erase-personal-data.ts'
import { raiseAlert } from './raise-alert.ts'
import { runOnEvent } from './run-on-event.ts'

/** What comes with an event. */
export interface Arrival {
  /** What was asked for when its payment was created. */
  expected?: ExpectedOrder | undefined
  /** False for the response to a call of our own: its webhook is what `onEvent` gets. */
  notify?: boolean
  /** The order's page has no final status, so that the service was asked. */
  forPage?: true
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
  return receiveUnpackable(context, event)
}

/**
 * Takes in what the service responded when it was asked. The service sends the webhook at the same moment, so that KV may
 * reject this second write to the event's key: no sender waits for a response here, and the other write is of the
 * same event.
 */
export async function receiveResent(context: Context, event: WebhookEvent, arrival: Arrival = {}): Promise<void> {
  const receive = () => unlessJustWritten(receiveEvent(context, event, arrival))
  // A money call takes it in: beside a webhook, each would overwrite the order's status with what it has read.
  await (context.eventsInTurn?.(receive) ?? receive())
}

const CARD_FIELDS = /^(cc_number|card_number|pan|card_cvv|cvv2?|cvc2?)$/i
const isCut = (key: string, keepToken: boolean): boolean => CARD_FIELDS.test(key) || (!keepToken && key === 'cc_token')

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
  const cut = (key: string, value: unknown) => (isCut(key, keepToken) ? undefined : value)
  try {
    return JSON.parse(JSON.stringify(record, cut)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Keeps a genuine event that {@link packEvent} cannot pack. */
export async function receiveUnpackable(context: Context, event: WebhookEvent): Promise<void> {
  const order_id = orderIdOf(event)
  const data = toBase64url(new TextEncoder().encode(textWithoutCardData(recordOf(event))))
  // Padded, as a webhook's `data` is.
  return receiveUnreadable(
    context,
    data.padEnd(Math.ceil(data.length / 4) * 4, '='),
    order_id === undefined ? 'no_order_id' : 'too_deep',
    order_id,
  )
}

/**
 * A record as JSON. Without the token too: the API shows dead letters, and no token. A list in place of recursion: it may be
 * nested more deeply than the stack is.
 */
function textWithoutCardData(record: object): string {
  let text = ''
  const todo: (string | { value: unknown })[] = [{ value: record }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') text += next
    else if (next.value === null || typeof next.value !== 'object') text += JSON.stringify(next.value)
    else {
      const isArray = Array.isArray(next.value)
      const members = Object.entries(next.value).filter(([key]) => !isCut(key, false))
      text += isArray ? '[' : '{'
      todo.push(isArray ? ']' : '}')
      for (const [i, [key, value]] of [...members.entries()].reverse()) {
        todo.push({ value }, (i > 0 ? ',' : '') + (isArray ? '' : `${JSON.stringify(key)}:`))
      }
    }
  }
  return text
}

/** Keeps a genuine webhook that cannot be filed as an event. */
export async function receiveUnreadable(
  context: Context,
  data: string,
  reason: string,
  order_id?: string,
): Promise<void> {
  const { store, env, now } = context
  const orderKey = order_id === undefined ? undefined : await orderKeyOf(order_id)
  const retention = retentionMs(env)
  const id = await putDeadLetter(store, data, {
    reason,
    received_at: now(),
    ...(orderKey !== undefined && { orderKey }),
    ...(retention !== undefined && { ttlSeconds: retention / 1000 }),
  })
  if (id !== undefined) raiseAlert(context, { kind: 'dead_letter', order_id: order_id ?? null, reason, id })
}

/** {@link receiveEvent} for an event that was packed. */
export async function receivePacked(context: Context, packed: PackedEvent, arrival: Arrival): Promise<void> {
  const { store } = context
  const { order_id, summary, ...stored } = packed
  const { expected, notify = true, forPage } = arrival
  const now = context.now()
  const orderKey = await orderKeyOf(order_id)
  const logged: LoggedEvent = { ...summary, received_at: now, ...(expected && { expected }) }

  // Looking for a duplicate saves a write; a listing that fails must not keep the event from being stored.
  const known = await listEvents(store, orderKey).catch(ignoreOutage)
  const seen = known ? known.some(({ id }) => id === logged.id) : await isStored(context, orderKey, logged.id)
  const reading = { order_id, orderKey, logged, known: known ?? [], receipt_url: receiptOf(stored.event) }
  let hasEnded = false
  if (!seen) {
    const fields = stored.issues?.map(({ path }) => path)
    if (fields) raiseAlert(context, { kind: 'unexpected_shape', order_id, event_id: logged.id, fields })
    await keepFor(context, order_id)
    // The index first: an event whose row is missing would never be listed, a row without an event does no harm.
    const isListed = known?.some(({ received_at }) => dayOf(received_at) === dayOf(now))
    if (!context.rows && !isListed) await putRecent(store, { order_id }, now)
    // Before the event: a worker that dies in between leaves a page that is right, and the event is delivered again.
    const { order, ...state } = await keepStatus(context, reading)
    hasEnded = state.hasEnded
    await putEvent(store, orderKey, logged, stored)
    // Again: an alarm may have folded the order just before the event was there.
    await context.rows?.note(order, now)
    if (!known) await context.rows?.touch(order_id, now)
  } else if (forPage) await restoreStatus(context, reading).catch(ignoreOutage)
  if (context.onEvent && notify) await tellOnEvent(context, reading, stored, seen)
  // Last: until then the order is asked about, and so is not forgotten when this stops halfway.
  if (hasEnded) await context.open.remove(order_id).catch(ignoreOutage)
}

/** Queues the event in a gate; over KV alone calls `onEvent` now. */
async function tellOnEvent(
  context: Context,
  reading: Received,
  stored: Pick<StoredEvent, 'event' | 'issues'>,
  seen: boolean,
): Promise<void> {
  const { store, outbox } = context
  const { logged } = reading
  if (outbox) return void (await outbox.add(logged.id, stored, logged.received_at))
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
  /** Where the service shows this payment's receipt. */
  receipt_url?: string | undefined
}

const RECEIPT_LENGTH = 2_000

/** The receipt of a payment or a capture; that of a refund does not take its place. */
function receiptOf({ method, receipt_url }: StoredEvent['event']): string | undefined {
  const isAddress = typeof receipt_url === 'string' && /^https?:\/\//i.test(receipt_url) && URL.canParse(receipt_url)
  return isAddress && receipt_url.length <= RECEIPT_LENGTH && method !== 'refund' ? receipt_url : undefined
}

/** Keeps what lists and pages show, and reports what a person should look at. */
async function keepStatus(
  context: Context,
  { order_id, logged, known, receipt_url }: Received,
): Promise<{ order: Order; hasEnded: boolean }> {
  const { store, env, rows } = context
  const posId = env.POS_ID
  const reading = logged.expected && !rows ? undefined : getCheckout(store, order_id)
  // What decides came with the webhook where it says what was asked for; the rest is for the index.
  const checkout = await (logged.expected ? reading?.catch(ignoreOutage) : reading)
  const order = orderFrom(order_id, [...known, logged], { checkout, posId })
  await rows?.note(order, logged.received_at)
  const before = orderFrom(order_id, known, { checkout, posId })
  for (const flag of order.flags)
    if (!before.flags.includes(flag)) raiseAlert(context, { kind: 'flag', order_id, flag })
  if (!isFinal(order.status ?? '')) return { order, hasEnded: false }
  const wasFinal = isFinal(before.status ?? '')
  const kept = wasFinal && !receipt_url ? await getStatus(store, order_id).catch(ignoreOutage) : undefined
  await putStatus(store, order, receipt_url ?? kept?.receipt_url)
  // Of an order that this worker did not open nothing is watched.
  return { order, hasEnded: !wasFinal && (logged.expected ?? checkout) !== undefined }
}

/** Writes what pages show of a final order where it is missing: a worker with a gate, or without one, took in its events. */
async function restoreStatus({ store, env }: Context, { order_id, known }: Received): Promise<void> {
  if (await getStatus(store, order_id)) return
  const order = orderFrom(order_id, known, { checkout: await getCheckout(store, order_id), posId: env.POS_ID })
  // Without the receipt: it may have been erased.
  if (isFinal(order.status ?? '')) await putStatus(store, order)
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
