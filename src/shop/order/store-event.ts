import { isFinal } from '../../helpers/status.ts'
import { encodeBase64url } from '../../lib/base64url.ts'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { bookkeepingOf } from '../../money/personal-data.ts'
import { holdsMoney } from '../../orders/fold.ts'
import type { EventSummary } from '../../orders/index.ts'
import { orderKey } from '../../orders/order-key.ts'
import { summarizeEvent } from '../../orders/summary.ts'
import { recordOf } from '../../schemas/read.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { actShop } from '../books/actions.ts'
import { addStrays, type StrayRow } from '../books/orders.ts'
import { keepsCardToken, retentionMs, type ShopEnv } from '../env.ts'
import { putStray, type Stray } from '../kv/strays.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import type { Scope } from '../scope.ts'
import { announcedIds, getCheckout } from './checkouts.ts'
import { isErased, type LoggedEvent, listEvents, orderIdOf, putEvent, putOwnEvent, type StoredEvent } from './events.ts'
import { noteMessage } from './messages.ts'
import { getStatus, isPaidBeside, orderFrom } from './order.ts'
import { touch } from './published.ts'
import { enqueue } from './queue.ts'
import { raiseAlert, textOf } from './raise-alert.ts'
import { takeStock } from './rebuild.ts'
import { scheduleErasure } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'
import { checkoutRow, newCheckout, putWatched, unwatch, type WatchedRow } from './watchlist.ts'

/** An event as it is stored: its summary, and its record without card data. */
export interface PackedEvent extends Pick<StoredEvent, 'event' | 'issues'> {
  order_id: string
  summary: EventSummary
  /** The request that created its payment. */
  expected?: ExpectedOrder | undefined
}

const CARD_FIELDS = /^(cc_number|card_number|pan|card_cvv|cvv2?|cvc2?)$/i
const isCut = (key: string, keepToken: boolean): boolean => CARD_FIELDS.test(key) || (!keepToken && key === 'cc_token')

/** Undefined for an event that names no order, or is nested too deeply to be stored as an object. */
export function packEvent(event: WebhookEvent, env: ShopEnv, expected?: ExpectedOrder): PackedEvent | undefined {
  const order_id = orderIdOf(event)
  const record = order_id === undefined ? undefined : withoutCardData(recordOf(event), keepsCardToken(env))
  if (order_id === undefined || record === undefined) return undefined
  return {
    order_id,
    // Of the whole record: an event keeps its key whatever is cut.
    summary: summarizeEvent(event),
    event: record,
    ...(event.issues.length > 0 && { issues: event.issues }),
    ...(expected && { expected }),
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

/** Stores a genuine event that {@link packEvent} cannot pack. */
export function storeUnpackable(scope: Scope, event: WebhookEvent): Promise<void> {
  const order_id = orderIdOf(event)
  // Padded, as a webhook's `data` is.
  const data = encodeBase64url(encodeUtf8(textWithoutCardData(recordOf(event))))
  return storeStray(scope, data, order_id === undefined ? 'no_order_id' : 'too_deep', order_id)
}

/**
 * A record as JSON. Without the token too: the API shows strays, and no token. A list instead of recursion: the record may
 * be nested more deeply than the stack is.
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

/** Stores a genuine webhook that cannot be filed under an order. */
export async function storeStray(scope: Scope, data: string, reason: string, order_id?: string): Promise<void> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  const id = await putStray(kv, data, {
    reason,
    received_at: now(),
    ...(order_id !== undefined && { orderKey: orderKey(order_id) }),
    ...(retention !== undefined && { ttlSeconds: retention / 1000 }),
  })
  if (id === undefined) return
  raiseAlert(scope, { kind: 'stray', order_id: order_id ?? null, reason, id })
  const told = actShop(scope, 1, addStrays, [attentionOfStray(scope, { id, reason, received_at: now() })])
  scope.waitUntil?.(told.catch((error: unknown) => logError('stray_not_listed', { id, ...describeError(error) })))
}

/** A stray as it needs a person. */
export function attentionOfStray({ env }: Scope, { id, reason, received_at: since }: Stray): StrayRow {
  const alert = { kind: 'stray', order_id: null, reason, id } as const
  const retention = retentionMs(env)
  const until = retention === undefined ? null : since + retention
  return { id, since, until, attention: [{ ...alert, text: textOf(alert, env) }] }
}

export interface StoreOptions {
  /** False for the response to a call of this worker: `onEvent` gets its webhook. */
  notify?: boolean
}

/** Stores an event that the service showed when it was asked. */
export function storeShown(
  scope: OrderScope,
  event: WebhookEvent,
  { expected, ...options }: StoreOptions & { expected?: ExpectedOrder } = {},
): Promise<void> {
  const packed = packEvent(event, scope.env, expected)
  const store = () => (packed ? storeEvent(scope, packed, options) : storeUnpackable(scope, event))
  // Queue behind webhooks: two concurrent writers would overwrite each other's status.
  return scope.eventsInTurn(store)
}

/**
 * Stores a genuine event: when this returns, the event is durable, and `onEvent` is queued for it.
 *
 * @throws {StorageError} when the storage failed: nothing may be acknowledged.
 */
export async function storeEvent(
  scope: OrderScope,
  packed: PackedEvent,
  { notify = true }: StoreOptions = {},
): Promise<void> {
  const { kv, store } = scope
  const { order_id, summary, expected, ...stored } = packed
  const logged: LoggedEvent = { ...summary, received_at: store.now(), ...(expected && { expected }) }
  const isQueued = scope.onEvent !== undefined && notify
  // Before the log has it: an event in KV whose gate has no row is one of a gate that was lost.
  await takeStock(scope, order_id, logged.id)
  const known = listEvents(store, order_id)
  if (known.some(({ id }) => id === logged.id)) {
    // One that was erased before it was queued, since its gate died between the two.
    const event = isErased(store, order_id, logged.id) ? bookkeepingOf(stored.event, stored.event) : stored.event
    if (isQueued) await enqueue(store, logged, order_id, { ...stored, event }, known)
    return
  }
  const fields = stored.issues?.map(({ path }) => path)
  if (fields) raiseAlert(scope, { kind: 'unexpected_shape', order_id, event_id: logged.id, fields })
  await scheduleErasure(scope, order_id)
  const checkout = getCheckout(store, order_id)
  const posId = scope.env.POS_ID
  const order = orderFrom(order_id, [...known, logged], { checkout, posId })
  const before = orderFrom(order_id, known, { checkout, posId })
  for (const flag of order.flags) {
    // A second try at paying informs; nobody has to look at it.
    if (flag !== 'paid_after_failure' && !before.flags.includes(flag))
      raiseAlert(scope, { kind: 'flag', order_id, flag })
  }
  const isPaid = holdsMoney(order.totals) && !holdsMoney(before.totals)
  if (isPaid && isPaidBeside(store, order_id)) {
    raiseAlert(scope, { kind: 'flag', order_id, flag: 'paid_twice' })
  }
  await putEvent(kv, order_id, logged, stored)
  const putOwn = (): void => {
    putOwnEvent(store, order_id, logged, stored.event)
    touch(store, order_id)
    const isNewMoney = order.totals.authorized > before.totals.authorized
    if (isNewMoney) noteMessage(store, scope.env, order_id, logged.id)
    // The alarm cancels them.
    if (isPaid) for (const row of openBeside(store, order_id)) putWatched(store, { ...row, next_at: store.now() })
  }
  if (isQueued) await enqueue(store, logged, order_id, stored, known, putOwn)
  else await store.writeDue(store.now(), putOwn)
  const hasEnded = isFinal(order.status ?? '') && !isFinal(before.status ?? '')
  // Last: until then the service is asked about the order, so it is not forgotten when this stops halfway. Of one that this
  // worker did not open, nothing is watched.
  if (hasEnded && (expected ?? checkout)) await unwatch(store, order_id)
}

/** The other attempts at paying an order that a customer may still pay: each is looked at from now on. */
const openBeside = (store: OrderStore, order_id: string): WatchedRow[] =>
  announcedIds(store, baseOrderId(order_id))
    .filter((id) => id !== order_id && !getStatus(store, id))
    .map((id) => checkoutRow(store, id) ?? { ...newCheckout(store, id), listed: true })
