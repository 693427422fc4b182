import type { Context } from '../context.ts'
import { addOperation, authorizedAmount, sumOf } from '../domain/operations.ts'
import type { Violation } from '../http/problem.ts'
import { findOrder, pick, type Route, readJson, rejectInvalid } from '../http/request.ts'
import { validate } from '../http/validate.ts'
import { toMinor, toUnits } from '../state/accounts.ts'
import type { Order } from '../state/state.ts'

/** `POST {base_url}/api/v1/capture` (API document, "Capture a reserve"): in full, in part, or beyond the authorized amount. */
export const capturePayment: Route = (context, request) => {
  const body = readJson(context, request)
  rejectInvalid(context, validate(context.rules, context.rules.parameters.capture, body))
  const order = findOrder(context, body.order_id)
  const partial = typeof body.charge_amount === 'number'
  // Assumption: a full capture after partial ones takes what is left of the authorized amount.
  const asked = partial ? toMinor(Number(body.charge_amount)) : authorizedAmount(order) - sumOf(order, 'capture')
  rejectInvalid(context, conditions(context, order, body.order_currency, asked))
  const operation = addOperation(context, order, {
    method: 'capture',
    amount: toUnits(asked),
    comment: (body.comment as string | undefined) ?? null,
    server_url: (body.server_url as string | undefined) ?? null,
  })
  const { responses } = context.rules
  const currency = partial ? responses.partialCaptureCurrency : responses.fullCaptureCurrency
  return Response.json({ ...pick(operation, responses.capture), [currency]: operation.currency })
}

/** Assumption: a 400 that names what is unmet; "Response to a capture request whose precondition is unmet: not shown". */
function conditions(context: Context, order: Order, currency: unknown, asked: number): Violation[] {
  const payment = order.payments[0]
  const rules = context.rules.conditions
  if (!rules.captureMethod(payment)) return [{ field_name: 'order_id', violation: 'only an auth can be captured' }]
  if (!rules.captureStatus(payment))
    return [{ field_name: 'order_id', violation: 'only status success can be captured' }]
  if (!rules.reserveStands(order.operations))
    return [{ field_name: 'order_id', violation: 'the authorization was voided' }]
  if (!rules.captureCurrency(payment, currency)) {
    return [{ field_name: 'order_currency', violation: `must be ${payment.currency}` }]
  }
  if (asked <= 0) return [{ field_name: 'order_id', violation: 'nothing is left of the authorized amount' }]
  const percent = context.options.maxCapturePercent
  if (!rules.captureWithin(authorizedAmount(order), sumOf(order, 'capture'), asked, percent)) {
    return [{ field_name: 'charge_amount', violation: `must stay within ${percent}% of the authorized amount` }]
  }
  return []
}
