// Genuine webhooks: stored in KV and in the log before they are acknowledged, or kept as strays.

import { encodeBase64url } from '../../lib/base64url.ts'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { isOrderId } from '../../orders/attempt-id.ts'
import { orderKey } from '../../orders/order-key.ts'
import { recordOf } from '../../schemas/read.ts'
import { storeEvent } from '../../till/events.ts'
import { withoutCardData } from '../../till/records.ts'
import { doClaimed } from '../../till/settle.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { retentionMs } from '../env.ts'
import { putStray, type Stray } from '../kv/strays.ts'
import { later } from '../later.ts'
import type { ExpectedOrder } from '../lib/links.ts'
import type { Scope } from '../scope.ts'
import { raiseAlert } from './alerts.ts'
import { addStray } from './attention.ts'

/** The order of an event; undefined if the event has no order_id, or an impossible one. */
export function orderIdOf(event: WebhookEvent): string | undefined {
  const { order_id } = recordOf(event)
  return isOrderId(order_id) ? order_id : undefined
}

/** Stores a genuine event: when this returns, it is durable. `onEvent` is called in the background. */
export async function receiveEvent(
  scope: Scope,
  event: WebhookEvent,
  options: { expected?: ExpectedOrder | undefined; notify?: boolean } = {},
): Promise<void> {
  const order_id = orderIdOf(event)
  if (order_id === undefined || !isFlat(recordOf(event))) return storeUnpackable(scope, event, order_id)
  const due = await storeEvent(scope.till, event, { ...options, isClaimed: true })
  if (due) later(scope, 'on_event_not_called', order_id, () => doClaimed(scope.till, due.row, due))
}

/** Whether a record can be stored as an object: JSON handles only some thousand levels. */
function isFlat(record: object): boolean {
  try {
    return withoutCardData(record) !== undefined
  } catch {
    return false
  }
}

function storeUnpackable(scope: Scope, event: WebhookEvent, order_id: string | undefined): Promise<void> {
  // Padded, as a webhook's `data` is.
  const record = recordOf(event)
  const data = encodeBase64url(encodeUtf8(textWithoutCardData(record)))
  return storeStray(scope, data, order_id === undefined ? 'no_order_id' : 'too_deep', order_id, aboutOf(record))
}

const isCut = (key: string): boolean => Object.keys(withoutCardData({ [key]: '' })).length === 0

/**
 * A record as JSON, without card data and without the token: the API shows strays, but never a token. Uses a list
 * instead of recursion, because the record may be nested too deeply for the stack.
 */
function textWithoutCardData(record: object): string {
  let text = ''
  const todo: (string | { value: unknown })[] = [{ value: record }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') text += next
    else if (next.value === null || typeof next.value !== 'object') text += JSON.stringify(next.value)
    else {
      const isArray = Array.isArray(next.value)
      const members = Object.entries(next.value).filter(([key]) => !isCut(key))
      text += isArray ? '[' : '{'
      todo.push(isArray ? ']' : '}')
      for (const [i, [key, value]] of [...members.entries()].reverse()) {
        todo.push({ value }, (i > 0 ? ',' : '') + (isArray ? '' : `${JSON.stringify(key)}:`))
      }
    }
  }
  return text
}

/** The facts by which a person finds a payment in the merchant portal. */
function aboutOf(record: Readonly<Record<string, unknown>>): Pick<Stray, 'number' | 'amount' | 'currency'> {
  const { payment_id, operation_id = payment_id, amount, currency } = record
  const isId = typeof operation_id === 'string' && operation_id.length <= 100
  const isSum = typeof amount === 'number' && typeof currency === 'string' && currency.length <= 10
  return { ...(isId && { number: operation_id }), ...(isSum && { amount, currency }) }
}

/** Stores a genuine webhook that cannot be stored under an order. */
export async function storeStray(
  scope: Scope,
  data: string,
  reason: string,
  order_id?: string,
  about: ReturnType<typeof aboutOf> = {},
): Promise<void> {
  const { kv, env, now } = scope
  const retention = retentionMs(env)
  const known = { ...about, reason, received_at: now() }
  const id = await putStray(kv, data, {
    ...known,
    ...(order_id !== undefined && { orderKey: orderKey(order_id) }),
    ...(retention !== undefined && { ttlSeconds: retention / 1000 }),
  })
  if (id === undefined) return
  raiseAlert(scope, { kind: 'stray', order_id: order_id ?? null, reason, id })
  later(scope, 'stray_not_listed', null, () => addStray(scope, { id, ...known }))
}
