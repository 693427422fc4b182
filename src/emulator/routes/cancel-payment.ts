import { cancelPayment as cancel } from '../domain/payments.ts'
import type { Violation } from '../http/problem.ts'
import { checkPathIds, findOrder, pick, type Route, refuse } from '../http/request.ts'
import { customer } from '../webhooks/payload.ts'

/** `POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel` (document, "Cancel a created, unpaid payment"). */
export const cancelPayment: Route = (world, { path }) => {
  checkPathIds(world, path)
  const order = findOrder(world, path.order_id)
  const payment = order.payments[0]
  const { cancelMethod, cancelMode, cancelStatus } = world.rules.conditions
  // Assumption: a 400; the document does not show the answer to a cancel request that does not meet the conditions.
  const unmet: Violation[] = []
  if (!cancelMethod(payment)) unmet.push({ field_name: 'method', violation: 'must be purchase or auth' })
  if (!cancelStatus(payment)) unmet.push({ field_name: 'status', violation: 'must be init' })
  if (!cancelMode(payment)) unmet.push({ field_name: 'mode', violation: 'must be hosted' })
  refuse(world, unmet)
  cancel(world, order)
  // "`customer_city` (String) also appears in the cancellation response"; "unknown values are null".
  const fields = { customer_city: null, ...customer(order) }
  return Response.json([{ ...pick(payment, world.rules.answers.cancel), ...fields }])
}
