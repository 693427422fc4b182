import { cancelPayment as cancel } from '../domain/payments.ts'
import type { Violation } from '../http/problem.ts'
import { checkPathIds, findOrder, pick, type Route, rejectInvalid } from '../http/request.ts'
import { customer } from '../webhooks/payload.ts'

/** `POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel` (API document, "Cancel a created, unpaid payment"). */
export const cancelPayment: Route = (context, { path }) => {
  checkPathIds(context, path)
  const order = findOrder(context, path.order_id)
  const payment = order.payments[0]
  const { cancelMethod, cancelMode, cancelStatus } = context.rules.conditions
  // Assumption: a 400; the API document does not show the response to a cancel request that does not meet the conditions.
  const unmet: Violation[] = []
  if (!cancelMethod(payment)) unmet.push({ field_name: 'method', violation: 'must be purchase or auth' })
  if (!cancelStatus(payment)) unmet.push({ field_name: 'status', violation: 'must be init' })
  if (!cancelMode(payment)) unmet.push({ field_name: 'mode', violation: 'must be hosted' })
  rejectInvalid(context, unmet)
  cancel(context, order)
  // "`customer_city` (String) also appears in the cancellation response"; "unknown values are null".
  const fields = { customer_city: null, ...customer(order) }
  return Response.json([{ ...pick(payment, context.rules.responses.cancel), ...fields }])
}
