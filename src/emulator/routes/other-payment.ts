import type { Context } from '../context.ts'
import { createOrder, pay } from '../domain/payments.ts'
import { announce, conclude } from '../domain/transitions.ts'
import { type EndpointRequest, rejectInvalid } from '../http/request.ts'
import { tolerate } from '../http/tolerate.ts'
import { relax, validate } from '../http/validate.ts'
import { findCard } from '../state/cards.ts'
import { instrumentOf, recordOf, redirectToCheckout } from './purchase.ts'

type Body = Record<string, unknown>

const METHODS = ['credit', 'p2p', 'lookup']
const REQUIRED = ['pos_id', 'method', 'amount', 'currency', 'order_id']

export function isOtherMethod(method: unknown): boolean {
  return METHODS.includes(String(method))
}

/**
 * `credit`, `p2p` and `lookup` over `POST {base_url}/api/v1/payment` (beyond the API document, [A]). Its parameters are
 * not shown: a purchase's parameters are checked if sent, and a missing `mode` is `direct`.
 */
export function createOtherPayment(context: Context, { notes, statusCode }: EndpointRequest, body: Body): Response {
  const { parameters, responses, types } = context.rules
  const method = String(body.method)
  notes.add('method', `The API document does not show how a ${method} is created.`)
  const mode = body.mode ?? 'direct'
  const wrong = types.mode(mode)
  if (wrong !== undefined) rejectInvalid(context, [{ field_name: 'mode', violation: wrong }])
  const purchase = mode === 'hosted' ? parameters.hostedPurchase : parameters.directPurchase
  const { init_recurring: _, ...table } = relax(purchase, (name) => !REQUIRED.includes(name))
  const { init_recurring: _ignored, ...taken } = tolerate(context.rules, table, body, { notes, textAmounts: true })
  rejectInvalid(context, validate(context.rules, table, taken))
  const order = createOrder(context, { description: `Emulated ${method}`, ...taken, mode }, false)
  if (mode === 'hosted') return redirectToCheckout(context, order)
  // A payout names a card only by its number.
  if (typeof (taken.cc_token ?? taken.cc_number) === 'string') {
    pay(context, order, instrumentOf(taken), statusCode())
  } else {
    conclude(context, order, order.payments[0], findCard(''), statusCode())
    announce(context, order, order.payments[0])
  }
  return recordOf(context, order, responses.payment)
}
