import type { Context } from '../context.ts'
import { toUnits } from '../state/accounts.ts'
import type { Order } from '../state/state.ts'
import type { WhatExpires } from './expiry.ts'
import { authorizedAmount, sumOf } from './operations.ts'
import { leftToRefund, refundedPayment } from './secondary.ts'

/** The operations that an order takes now. Amounts in units of the currency; 0 where it cannot be done. */
export interface PossibleOperations {
  capture: number
  captureMax: number
  refund: number
  increment: boolean
  void: boolean
  cancel: boolean
  cancelRecurring: boolean
  conclude: boolean
  expire: WhatExpires[]
}

export function possibleOperations(context: Context, order: Order): PossibleOperations {
  const { conditions, statuses } = context.rules
  const [payment] = order.payments
  const stands =
    conditions.captureMethod(payment) &&
    conditions.captureStatus(payment) &&
    conditions.notVoided(order.operations) &&
    !order.expired
  const refunded = refundedPayment(context, order)
  const isRefundable = conditions.refundMethod(refunded) && conditions.refundStatus(refunded)
  const authorized = authorizedAmount(order)
  const captured = sumOf(order, 'capture', true)
  const limit = Math.floor((authorized * context.options.maxCapturePercent) / 100)
  return {
    capture: stands ? toUnits(Math.max(0, authorized - captured)) : 0,
    captureMax: stands ? toUnits(Math.max(0, limit - captured)) : 0,
    refund: isRefundable ? toUnits(Math.max(0, leftToRefund(order, refunded))) : 0,
    increment: stands,
    void: stands && conditions.voidWhole(captured),
    cancel: conditions.cancelMethod(payment) && conditions.cancelMode(payment) && conditions.cancelStatus(payment),
    cancelRecurring: order.subscription?.status === statuses.recurringActive,
    conclude: [...order.payments, ...order.operations].some(({ status }) => status === statuses.processing),
    expire: expirable(context, order, stands && captured < authorized),
  }
}

function expirable(context: Context, order: Order, isHeld: boolean): WhatExpires[] {
  const [payment] = order.payments
  const token = context.state.tokens.get(payment.cc_token ?? '')
  const open: Record<WhatExpires, boolean> = {
    checkout: payment.mode === 'hosted' && payment.status === context.rules.statuses.created,
    '3ds': payment.user_action_required,
    authorization: isHeld,
    token: token !== undefined && token.expires > context.scheduler.now(),
  }
  return (Object.keys(open) as WhatExpires[]).filter((what) => open[what])
}
