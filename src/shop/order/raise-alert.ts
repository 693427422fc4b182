import { sha256Base64url } from '../../lib/sha256.ts'
import { callInTime } from '../../money/queue.ts'
import type { OrderFlag } from '../../orders/index.ts'
import type { ShopEnv } from '../env.ts'
import { HOUR_MS } from '../lib/day.ts'
import { orderPart, originOf } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { ifPossible, StorageError } from '../lib/storage-error.ts'
import type { OnAlert, RaisedAlert } from '../options.ts'
import type { Scope } from '../scope.ts'
import { alertHook } from './chat.ts'
import { type CheckoutRecord, getCheckout } from './checkouts.ts'
import type { OrderScope } from './scope.ts'

/** How long `onAlert` may take until the log says that it has not finished. */
const ON_ALERT_MS = 10_000
/** How many alerts this isolate remembers of each `onAlert`: spares reads, and works while the storage fails. */
const REMEMBERED = 500
/** So many alerts of one kind are passed on in an hour; after that only how many there are, at 20, 40, 80 … */
const ONE_BY_ONE = 10

/**
 * Writes an alert to the log and passes it to the merchant's `onAlert`, unless the same one was passed within an hour,
 * or many of its kind. Nothing waits for it, and no failure of it gets out.
 */
export function raiseAlert(scope: Scope | OrderScope, alert: RaisedAlert): void {
  const { kind, ...fields } = alert
  logError(kind, fields)
  const { waitUntil } = scope
  const onAlert = alertHook(scope)
  const passed = onAlert && unlessTooMany(onAlert, alert, scope.now())
  if (!passed) return
  const raised = deliver(scope, onAlert, passed).catch((error: unknown) => {
    logError('on_alert_failed', { alert: kind, order_id: alert.order_id, ...describeError(error) })
  })
  waitUntil?.(raised)
}

/** Raises the alert of a wrong configuration: the name of each binding, never its value. */
export const raiseMisconfigured = (scope: Scope, misconfigured: readonly string[]): void =>
  raiseAlert(scope, { kind: 'configuration', order_id: null, misconfigured })

interface Raised {
  /** When each alert was raised. */
  times: Map<string, number>
  /** How many of a kind there were in the hour since. */
  kinds: Map<string, { since: number; count: number }>
}

const remembered = new WeakMap<OnAlert<ShopEnv>, Raised>()

/** @returns What is passed on: the alert, a count of its kind, or nothing. */
function unlessTooMany(onAlert: OnAlert, alert: RaisedAlert, now: number): RaisedAlert | undefined {
  const { times, kinds } = remembered.get(onAlert) ?? { times: new Map(), kinds: new Map() }
  remembered.set(onAlert, { times, kinds })
  const id = JSON.stringify(alert)
  if (now - (times.get(id) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return undefined
  if (times.size >= REMEMBERED) times.clear()
  times.set(id, now)
  const { kind } = alert
  const last = kinds.get(kind)
  const { since, count } = last && now - last.since < HOUR_MS ? last : { since: now, count: 0 }
  kinds.set(kind, { since, count: count + 1 })
  if (count < ONE_BY_ONE) return alert
  return Number.isInteger(Math.log2((count + 1) / ONE_BY_ONE)) ? { kind, order_id: null, count: count + 1 } : undefined
}

async function deliver(scope: Scope | OrderScope, onAlert: OnAlert, alert: RaisedAlert): Promise<void> {
  // Alert even if the storage fails: that may be the problem. A 429 means that another isolate just recorded it.
  const isNew = await mayRaise(scope, alert).catch((error: unknown) => {
    return !(error instanceof StorageError && error.tooSoon)
  })
  if (!isNew) return
  const { order_id } = alert
  // The price of the order: it is not worth a failure.
  const asked = ifPossible(() =>
    'store' in scope && order_id !== null ? getCheckout(scope.store, order_id) : undefined,
  )
  const text = textOf(alert, scope.env, asked)
  await callInTime(() => onAlert({ ...alert, text }, scope.env), 'onAlert', ON_ALERT_MS)
}

/**
 * Whether the same alert was not raised within an hour, as the order's gate knows. One about no order must be seen by all
 * gates: its key in KV is `alert/<hash of the alert>`, gone after an hour.
 */
async function mayRaise(scope: Scope | OrderScope, alert: RaisedAlert): Promise<boolean> {
  const at = scope.now()
  const id = sha256Base64url(JSON.stringify(alert))
  if ('store' in scope && alert.order_id !== null) {
    scope.store.all("DELETE FROM alert WHERE kind = 'raised' AND at <= ?", at - HOUR_MS)
    return scope.store.all("INSERT OR IGNORE INTO alert VALUES ('raised', ?, ?) RETURNING at", id, at).length > 0
  }
  const last = (await scope.kv.get(`alert/${id}`)) as { at: number } | undefined
  if (last && at - last.at < HOUR_MS) return false
  await scope.kv.put(`alert/${id}`, { at }, undefined, HOUR_MS / 1000)
  return true
}

/** The flags that need a person, and what is said of them. */
export const FLAGS: Readonly<Record<Exclude<OrderFlag, 'paid_after_failure' | 'rebuilt'>, string>> = {
  amount_mismatch: 'another amount was paid than was asked for',
  currency_mismatch: 'another currency was paid than was asked for',
  over_capture: 'more was charged than was reserved',
  unknown_order: 'no link of this shop opened it',
  unexpected_shape: 'it was reported in an unexpected form',
  foreign_pos: 'it was paid to another POS',
  status_conflict: 'it was reported both as successful and as failed',
  over_refund: 'more was refunded than was paid',
  paid_twice: 'it was paid twice: refund one of the payments',
}

const LIST_LOST =
  'A list of the shop was lost, and is being filled again. Short addresses, links and orders without a webhook may be gone.'

/** The event and its remedy, with an address: for the phone of who runs the shop. */
export function textOf(alert: RaisedAlert, env: Pick<ShopEnv, 'PUBLIC_ORIGIN'>, asked?: CheckoutRecord): string {
  const { kind, order_id, flag, count } = alert
  const sum = asked?.amount ? ` (${asked.amount.toFixed(2)} ${asked.currency})` : ''
  const order = `Order ${order_id}${sum}: `
  const origin = originOf(env, asked)
  const api = `${origin}/api/`
  const at = order_id === null ? `${api}orders` : `${api}orders/${orderPart(order_id)}`
  const portal = `Look it up in the merchant portal. See ${at}`
  if (count !== undefined) return `${count} alerts "${kind}" within an hour; the log has each of them. See ${at}`
  if (kind === 'rebuilt' && order_id === null) return `${LIST_LOST} See ${at}`
  switch (kind) {
    case 'stray':
      return `A webhook names no order (${alert.reason}). Ask the service which one is meant. See ${api}strays/${alert.id}`
    case 'configuration':
      return `The worker is misconfigured (${alert.misconfigured}). Correct it and deploy. See ${origin}/health`
    case 'on_event_given_up':
      return `${order}onEvent failed ${alert.attempts} times and is not called again. Correct it, then send POST ${api}events/${alert.event_id}/replay`
    case 'on_event_failing':
      return `${order}onEvent failed ${alert.attempts} times${alert.waiting ? `, and ${alert.waiting} events wait` : ''}. See ${api}events?failing=true, correct it and deploy`
    case 'operation_unsettled':
      return `${order}it is not known how a ${alert.operation} ended. ${portal}`
    case 'checkout_open':
      return `${order}its payment has not ended for a day. ${portal}`
    default: {
      const what = flag ?? kind
      return `${order}${FLAGS[what as keyof typeof FLAGS] ?? what}. Check it before you ship. See ${at}`
    }
  }
}
