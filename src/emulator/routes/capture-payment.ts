import type { World } from '../context.ts'
import { addOperation, reserveOf, sumOf } from '../domain/operations.ts'
import type { Violation } from '../http/problem.ts'
import { findOrder, pick, type Route, readJson, refuse } from '../http/request.ts'
import { validate } from '../http/validate.ts'
import { toMinorUnits, toUnits } from '../state/accounts.ts'
import type { Order } from '../state/state.ts'

/** `POST {base_url}/api/v1/capture` (document, "Capture a reserve"): in full, in part, or beyond the reserve. */
export const capturePayment: Route = (world, request) => {
  const body = readJson(world, request)
  refuse(world, validate(world.rules, world.rules.parameters.capture, body))
  const order = findOrder(world, body.order_id)
  const partial = typeof body.charge_amount === 'number'
  // Assumption: a full capture after partial ones takes what is left of the reserve.
  const asked = partial ? toMinorUnits(Number(body.charge_amount)) : reserveOf(order) - sumOf(order, 'capture')
  refuse(world, conditions(world, order, body.order_currency, asked))
  const operation = addOperation(world, order, {
    method: 'capture',
    amount: toUnits(asked),
    comment: (body.comment as string | undefined) ?? null,
    server_url: (body.server_url as string | undefined) ?? null,
  })
  const { answers } = world.rules
  const currency = partial ? answers.partialCaptureCurrency : answers.fullCaptureCurrency
  return Response.json({ ...pick(operation, answers.capture), [currency]: operation.currency })
}

/** Assumption: a 400 that names what is unmet; "Response to a capture request whose precondition is unmet: not shown". */
function conditions(world: World, order: Order, currency: unknown, asked: number): Violation[] {
  const payment = order.payments[0]
  const rules = world.rules.conditions
  if (!rules.captureMethod(payment)) return [{ field_name: 'order_id', violation: 'only an auth can be captured' }]
  if (!rules.captureStatus(payment))
    return [{ field_name: 'order_id', violation: 'only status success can be captured' }]
  if (!rules.reserveStands(order.operations)) return [{ field_name: 'order_id', violation: 'the reserve was voided' }]
  if (!rules.captureCurrency(payment, currency)) {
    return [{ field_name: 'order_currency', violation: `must be ${payment.currency}` }]
  }
  if (asked <= 0) return [{ field_name: 'order_id', violation: 'nothing is left of the reserve' }]
  const percent = world.options.maxCapturePercent
  if (!rules.captureWithin(reserveOf(order), sumOf(order, 'capture'), asked, percent)) {
    return [{ field_name: 'charge_amount', violation: `must stay within ${percent}% of the reserve` }]
  }
  return []
}
