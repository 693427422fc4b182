import { cancelSubscription, findSubscription } from '../domain/subscriptions.ts'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/request.ts'

/**
 * `PUT {api_url}/api/v1/recurring/{recurring_id}/cancel` (beyond the API document, [A]): no charge and no retry
 * follows. Assumption: cancelling again is not an error.
 */
export const cancelRecurring: Route = (context, { path }) => {
  const order = findSubscription(context, path.recurring_id ?? '')
  if (order === undefined) {
    throw new Problem(404, 'Recurring payment not found', [
      { field_name: 'recurring_id', violation: 'is not the id of a recurring payment' },
    ])
  }
  cancelSubscription(context, order)
  const { id, status } = order.subscription
  return Response.json({ recurring_id: id, recurring_status: status, order_id: order.order_id })
}
