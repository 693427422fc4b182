import { cancelPayment as cancel } from '../domain/payments.ts'
import { checkPathIds, findOrder, pick, type Route } from '../http/request.ts'
import { customer } from '../webhooks/payload.ts'

/** `POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel` (API document, "Cancel a created, unpaid payment"). */
export const cancelPayment: Route = (context, { path }) => {
  checkPathIds(context, path)
  const order = findOrder(context, path.order_id)
  cancel(context, order)
  const { cancel: fields, cancelCustomer } = context.rules.responses
  // "unknown values are null", those of the customer included.
  const known = customer(order)
  return Response.json([{ ...pick(order.payments[0], fields), ...pick(known, cancelCustomer), ...known }])
}
