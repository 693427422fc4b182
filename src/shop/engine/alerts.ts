// Alerts: texts for a person of the shop, sent at once, the same alert at most once an hour.

import { sha256Base64url } from '../../lib/sha256.ts'
import { holdsMoney } from '../../orders/fold.ts'
import type { Order, OrderFlag } from '../../orders/index.ts'
import { isDeclined } from '../../till/protocol.ts'
import { callInTime } from '../../till/queue.ts'
import { type Judged, type Reading, readOrder } from '../../till/store.ts'
import type { ShopEnv } from '../env.ts'
import { HOUR_MS } from '../lib/day.ts'
import { orderPart, originOf } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { OnAlert, RaisedAlert } from '../options.ts'
import type { Scope } from '../scope.ts'
import { isFirst } from '../tables.ts'

/** How long `onAlert` may take until it is logged as unfinished. */
const ON_ALERT_MS = 10_000
/** How many alerts this isolate keeps for each `onAlert`: it saves reads, and works while the storage fails. */
const REMEMBERED = 500
/** This many alerts of a kind are passed on in an hour; after that only their number, at 20, 40, 80 … */
const ONE_BY_ONE = 10

/**
 * Writes an alert to the log and passes it to the merchant's `onAlert`. An alert is not passed if the same alert, or
 * many of its kind, were passed within an hour. Nothing waits for `onAlert`, and its failures are only logged.
 */
export function raiseAlert(scope: Scope, alert: RaisedAlert): void {
  const { kind, ...fields } = alert
  logError(kind, fields)
  const { waitUntil, onAlert } = scope
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
  /** How many alerts of a kind were raised in the hour from `since` on. */
  kinds: Map<string, { since: number; count: number }>
}

const remembered = new WeakMap<OnAlert<ShopEnv>, Raised>()

/** @returns The alert to pass on: this one, a count of its kind, or none. */
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

async function deliver(scope: Scope, onAlert: OnAlert, alert: RaisedAlert): Promise<void> {
  // Alert even if the storage fails: that may be the problem. A 429 means that another isolate just recorded it.
  const isNew = await mayRaise(scope, alert).catch((error: unknown) => {
    return !(error instanceof StorageError && error.tooSoon)
  })
  if (!isNew) return
  const { order_id } = alert
  // The order's price is optional: an alert without it is better than none.
  const price = order_id === null ? undefined : await readOrder(scope.till, order_id).then(priceOf, () => undefined)
  const text = textOf(alert, scope.env, price)
  await callInTime(() => onAlert({ ...alert, text }, scope.env), 'onAlert', ON_ALERT_MS)
}

/**
 * Whether the same alert was not raised within an hour. An alert about no order may be about the database, so it is
 * noted in KV: as `alert/<hash of the alert>`, for an hour.
 */
async function mayRaise(scope: Scope, alert: RaisedAlert): Promise<boolean> {
  const at = scope.now()
  const id = sha256Base64url(JSON.stringify(alert))
  if (alert.order_id !== null) return isFirst(scope, id, HOUR_MS)
  const last = (await scope.kv.get(`alert/${id}`)) as { at: number } | undefined
  if (last && at - last.at < HOUR_MS) return false
  await scope.kv.put(`alert/${id}`, { at }, undefined, HOUR_MS / 1000)
  return true
}

/** The alerts of a change: new flags, and operations whose outcome differs from the response to their callers. */
export function alertsOfChange(
  before: Judged,
  after: Pick<Reading, 'order_id' | 'calls'> & Pick<Order, 'flags'>,
): RaisedAlert[] {
  const { order_id } = after
  // `paid_after_failure` is for information only. `over_sold` is new only when the order is first paid.
  const known = ['paid_after_failure', ...before.order.flags, holdsMoney(before.order.totals) && 'over_sold']
  const flags = after.flags.filter((flag) => !known.includes(flag))
  const raised = lateAlerts(order_id, before).map(({ attempt_id }) => attempt_id)
  return [
    ...flags.map((flag): RaisedAlert => ({ kind: 'flag', order_id, flag })),
    ...lateAlerts(order_id, after).filter(({ attempt_id }) => !raised.includes(attempt_id)),
  ]
}

/** The alerts of the operations whose final outcome differs from the one that was reported to the caller. */
export const lateAlerts = (order_id: string, { calls }: Pick<Judged, 'calls'>): RaisedAlert[] =>
  calls.flatMap((one): RaisedAlert[] => {
    const kind = isDeclined(one) ? 'operation_declined' : 'operation_contradicted'
    return one.late ? [{ kind, order_id, operation: one.kind, attempt_id: one.id }] : []
  })

/** The flags that need a person, each with its sentence. */
export const FLAGS: Readonly<Record<Exclude<OrderFlag, 'paid_after_failure'>, string>> = {
  amount_mismatch: 'another amount was paid than was asked for',
  currency_mismatch: 'another currency was paid than was asked for',
  over_capture: 'more was charged than was reserved',
  unknown_order: 'no link of this shop opened it',
  unexpected_shape: 'it was reported in an unexpected form',
  foreign_pos: 'it was paid to another POS',
  status_conflict: 'it was reported both as successful and as failed',
  over_refund: 'more was refunded than was paid',
  paid_twice: 'it was paid twice: refund one of the payments',
  over_sold: 'its link had sold as many as it may: send one more, or refund it',
}

/** The requested amount, and the origin of the link that requested it. */
export interface Price {
  amount?: number
  currency?: string
  origin?: string
}

/** The amount that the first payment of an order requested. */
export function priceOf({ attempts }: Pick<Reading, 'attempts'>): Price | undefined {
  const payment = attempts.find((one) => one.payment)?.payment
  if (!payment) return undefined
  const { amount, currency } = payment.terms
  return { amount, currency, origin: (payment.link?.page as Price | undefined)?.origin } as Price
}

/** The text of an alert, short enough for a phone: the incident, its remedy and an address. */
export function textOf(alert: RaisedAlert, env: Pick<ShopEnv, 'PUBLIC_ORIGIN'>, price?: Price): string {
  const { kind, order_id, flag, count } = alert
  const sum = price?.amount ? ` (${price.amount.toFixed(2)} ${price.currency})` : ''
  const order = `Order ${order_id}${sum}: `
  const origin = originOf(env, price)
  const api = `${origin}/api/`
  const at = order_id === null ? `${api}orders` : `${api}orders/${orderPart(order_id)}`
  const portal = `Look it up in the merchant portal. See ${at}`
  if (count !== undefined) return `${count} alerts "${kind}" within an hour; the log has each of them. See ${at}`
  switch (kind) {
    case 'stray':
      return `A webhook names no order (${alert.reason}). Ask the service which one is meant. See ${api}strays/${alert.id}`
    case 'configuration':
      return `The worker is misconfigured (${alert.misconfigured}). Correct it and deploy. See ${origin}/health`
    case 'storage':
      return `The database is ${alert.percent}% full, and takes no orders at 100%: move to Postgres. See ${origin}/health`
    case 'on_event_given_up':
      return `${order}onEvent failed ${alert.attempts} times and is not called again. Correct it, then send POST ${api}events/${alert.event_id}/replay`
    case 'on_event_failing':
      return `${order}onEvent failed ${alert.attempts} times${alert.waiting ? `, and ${alert.waiting} events wait` : ''}. See ${api}events?failing=true, correct it and deploy`
    case 'operation_unsettled':
      return `${order}it is not known how a ${alert.operation} ended. ${portal}`
    case 'operation_contradicted':
      return `${order}a ${alert.operation} that was settled had a different outcome. ${portal}`
    case 'operation_declined':
      return `${order}a ${alert.operation} that was pending was declined: no money moved. See ${at}`
    case 'checkout_rejected': {
      const fields = String(alert.fields)
      return `${order}the service rejects its payment${fields && ` (${fields})`}, so nobody can pay it. Correct it, or make a new link. See ${at}`
    }
    case 'checkout_open':
      return `${order}its payment has not ended for a day. ${portal}`
    default: {
      const what = flag ?? kind
      return `${order}${FLAGS[what as keyof typeof FLAGS] ?? what}. Check it before you ship. See ${at}`
    }
  }
}
