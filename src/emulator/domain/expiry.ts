import { type Context, note } from '../context.ts'
import { Problem } from '../http/problem.ts'
import { toUnits } from '../state/accounts.ts'
import type { Order } from '../state/state.ts'
import { addOperation, addressOf, authorizedAmount, sumOf } from './operations.ts'
import { followFirstPayment } from './subscriptions.ts'
import { announce, setStatus } from './transitions.ts'

/** The parts of an order that can expire. */
export type WhatExpires = 'checkout' | '3ds' | 'authorization' | 'token'

/** @throws {Problem} when the order has nothing of the kind that could expire. */
export function expire(context: Context, order: Order, what: WhatExpires): void {
  const expired = { checkout, '3ds': threeDSecure, authorization, token }[what](context, order)
  if (!expired) throw new Problem(400, `Order ${order.order_id} has no ${what} that could expire.`, [])
}

export function scheduleExpiry(context: Context, order: Order, what: 'checkout' | '3ds' | 'authorization'): void {
  const { checkoutMs, threeDSecureMs, authorizationMs } = context.options.expiry
  const lifetime = { checkout: checkoutMs, '3ds': threeDSecureMs, authorization: authorizationMs }[what]
  if (lifetime === undefined) return
  context.scheduler.schedule({ at: context.scheduler.now() + lifetime, kind: 'expiry', subject: order.order_id, what })
}

export function expireDue(context: Context, order: Order, what: string): void {
  if (what === 'checkout') checkout(context, order)
  if (what === '3ds') threeDSecure(context, order)
  if (what === 'authorization') authorization(context, order)
}

/** All that follows a change of the order's own payment: its expiry, its subscription and its webhook. */
export function followUp(context: Context, order: Order): void {
  const [payment] = order.payments
  if (payment.method === 'auth' && payment.status === 'success') scheduleExpiry(context, order, 'authorization')
  followFirstPayment(context, order)
  announce(context, order, payment)
}

/** Ends the order's own payment without money. */
export function fail(context: Context, order: Order, code: string, status?: string): void {
  setStatus(context, order, order.payments[0], status ?? context.rules.statuses.declined, code)
  followUp(context, order)
}

function checkout(context: Context, order: Order): boolean {
  const [payment] = order.payments
  if (payment.mode !== 'hosted' || payment.status !== context.rules.statuses.created) return false
  fail(context, order, context.rules.codes.sessionExpired)
  return true
}

function threeDSecure(context: Context, order: Order): boolean {
  if (!order.payments[0].user_action_required) return false
  fail(context, order, context.rules.codes.threeDSecureTimedOut)
  return true
}

/**
 * Assumption: the service voids an authorization of which nothing was captured, with the webhook of a void. After a
 * partial capture the rest can no longer be captured, and no webhook reports it: a void is always of the whole.
 */
function authorization(context: Context, order: Order): boolean {
  const { conditions } = context.rules
  const [payment] = order.payments
  if (payment.method !== 'auth' || payment.status !== 'success' || !conditions.notVoided(order.operations)) return false
  const captured = sumOf(order, 'capture', true)
  if (order.expired || captured >= authorizedAmount(order)) return false
  if (captured > 0) {
    order.expired = true
    note(context, order, `authorization expired with ${toUnits(authorizedAmount(order) - captured)} not captured`)
    return true
  }
  const amount = toUnits(authorizedAmount(order))
  const server_url = addressOf(context, order, undefined)
  addOperation(context, order, { method: 'void', amount, comment: 'The authorization expired', server_url })
  return true
}

function token(context: Context, order: Order): boolean {
  const known = context.state.tokens.get(order.payments[0].cc_token ?? '')
  if (known === undefined) return false
  known.expires = context.scheduler.now()
  known.ends = known.expires
  note(context, order, 'card token expired')
  return true
}
