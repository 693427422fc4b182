import { isFinal } from '../../helpers/status.ts'
import { bookkeepingOf } from '../../money/personal-data.ts'
import { holdsMoney } from '../../orders/fold.ts'
import type { EventSummary } from '../../orders/index.ts'
import { summarizeEvent } from '../../orders/summary.ts'
import { recordOf } from '../../schemas/read.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { keepsCardToken, retentionMs, type ShopEnv } from '../env.ts'
import { putStray } from '../kv/strays.ts'
import { attemptId, baseOrderId } from '../lib/attempt-id.ts'
import { toBase64url } from '../lib/crypto.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import type { Order } from '../lib/shown-order.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import type { Scope } from '../scope.ts'
import { type CheckoutRecord, getCheckout, latestAttempt } from './checkouts.ts'
import {
  isErased,
  type LoggedEvent,
  listEvents,
  orderIdOf,
  orderKeyOf,
  putEvent,
  putOwnEvent,
  type StoredEvent,
} from './events.ts'
import { getStatus, isPaidBeside, orderFrom } from './order.ts'
import { touch } from './published.ts'
import { raiseAlert } from './raise-alert.ts'
import { takeStock } from './rebuild.ts'
import { scheduleErasure } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import { putWatched, type WatchedRow } from './watchlist.ts'

/** An event as it is stored: its summary, and its record without card data. */
export interface PackedEvent extends Pick<StoredEvent, 'event' | 'issues'> {
  order_id: string
  summary: EventSummary
  /** What was asked for when its payment was created. */
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
export async function storeUnpackable(scope: Scope, event: WebhookEvent): Promise<void> {
  const order_id = orderIdOf(event)
  const data = toBase64url(new TextEncoder().encode(textWithoutCardData(recordOf(event))))
  // Padded, as a webhook's `data` is.
  const padded = data.padEnd(Math.ceil(data.length / 4) * 4, '=')
  await storeStray(scope, padded, order_id === undefined ? 'no_order_id' : 'too_deep', order_id)
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
  const orderKey = order_id === undefined ? undefined : await orderKeyOf(order_id)
  const retention = retentionMs(env)
  const id = await putStray(kv, data, {
    reason,
    received_at: now(),
    ...(orderKey !== undefined && { orderKey }),
    ...(retention !== undefined && { ttlSeconds: retention / 1000 }),
  })
  if (id !== undefined) raiseAlert(scope, { kind: 'stray', order_id: order_id ?? null, reason, id })
}

/** How an event is stored. */
export interface StoreOptions {
  /** False for the response to a call of this worker: `onEvent` gets its webhook. */
  notify?: boolean
}

/** Stores an event that the service showed when it was asked. */
export async function storeShown(
  scope: OrderScope,
  event: WebhookEvent,
  { expected, ...options }: StoreOptions & { expected?: ExpectedOrder } = {},
): Promise<void> {
  const packed = packEvent(event, scope.env, expected)
  const store = () => (packed ? storeEvent(scope, packed, options) : storeUnpackable(scope, event))
  // Queue behind webhooks: two concurrent writers would overwrite each other's status.
  await scope.eventsInTurn(store)
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
  const { kv, store, outbox } = scope
  const { order_id, summary, expected, ...stored } = packed
  const now = scope.now()
  const orderKey = await orderKeyOf(order_id)
  const logged: LoggedEvent = { ...summary, received_at: now, ...(expected && { expected }) }
  const isQueued = scope.onEvent !== undefined && notify
  // Before the log has it: an event in KV whose gate has no row is one of a gate that was lost.
  await takeStock(scope, order_id, logged.id)
  const known = await listEvents(store, orderKey)
  if (known.some(({ id }) => id === logged.id)) {
    // One that was erased before it was queued, since its gate died between the two.
    const event = isErased(store, orderKey, logged.id) ? bookkeepingOf(stored.event, stored.event) : stored.event
    if (isQueued) await outbox.add(logged, order_id, { ...stored, event }, known)
    return
  }
  const fields = stored.issues?.map(({ path }) => path)
  if (fields) raiseAlert(scope, { kind: 'unexpected_shape', order_id, event_id: logged.id, fields })
  await scheduleErasure(scope, order_id)
  const checkout = await getCheckout(store, order_id)
  const posId = scope.env.POS_ID
  const order = orderFrom(order_id, [...known, logged], { checkout, posId })
  const before = orderFrom(order_id, known, { checkout, posId })
  for (const flag of order.flags) {
    // A second try at paying informs; nobody has to look at it.
    if (flag !== 'paid_after_failure' && !before.flags.includes(flag))
      raiseAlert(scope, { kind: 'flag', order_id, flag })
  }
  const isPaid = holdsMoney(order.totals) && !holdsMoney(before.totals)
  if (isPaid && (await isPaidBeside(store, order_id))) {
    raiseAlert(scope, { kind: 'flag', order_id, flag: 'paid_twice' })
  }
  const beside = isPaid ? await openBeside(scope, order_id) : []
  await putEvent(kv, orderKey, logged, stored)
  const putOwn = (): void => {
    putOwnEvent(store, orderKey, logged, stored.event)
    touch(store, order_id, now)
    // The alarm cancels it.
    for (const row of beside) putWatched(store, { ...row, next_at: now }, now)
  }
  if (isQueued) await outbox.add(logged, order_id, stored, known, putOwn)
  else await store.writeDue(now, putOwn)
  // Last: until then the service is asked about the order, so it is not forgotten when this stops halfway.
  if (hasEnded(order, before, expected ?? checkout)) await scope.watchlist.remove(order_id).catch(ignoreOutage)
}

/** The other attempts at paying an order that a customer may still pay: each is looked at from now on. */
async function openBeside({ store, watchlist, now }: OrderScope, order_id: string): Promise<WatchedRow[]> {
  const base = baseOrderId(order_id)
  const rows = await watchlist.list()
  const latest = await latestAttempt(store, base, (await getCheckout(store, base))?.attempts)
  const open: WatchedRow[] = []
  for (let attempt = 1; attempt <= latest; attempt++) {
    const id = attemptId(base, attempt)
    if (id === order_id || (await getStatus(store, id))) continue
    const known = rows.find((row) => row.kind === 'checkout' && row.order_id === id)
    open.push(known ?? { kind: 'checkout', order_id: id, since: now(), asks: 0, next_at: now(), listed: true })
  }
  return open
}

/** Of an order that this worker did not open, nothing is watched. */
const hasEnded = (order: Order, before: Order, asked: ExpectedOrder | CheckoutRecord | undefined): boolean =>
  isFinal(order.status ?? '') && !isFinal(before.status ?? '') && asked !== undefined
