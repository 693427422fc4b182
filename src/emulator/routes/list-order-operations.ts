import type { Context } from '../context.ts'
import { checkPathIds, findOrder, pick, type Route } from '../http/request.ts'
import type { Order } from '../state/state.ts'
import { customer, recurringObject } from '../webhooks/payload.ts'

/**
 * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}` (beyond the API document, [A]): every operation of an order,
 * primary and secondary, in the order of their creation. Assumption: the records are those of the other responses.
 */
export const listOrderOperations: Route = (context, { path }) => {
  checkPathIds(context, path)
  return Response.json(operationsOf(context, findOrder(context, path.order_id)))
}

function operationsOf(context: Context, order: Order): Record<string, unknown>[] {
  const { responses } = context.rules
  const recurring = order.subscription && { recurring: recurringObject(order) }
  const primaries: Record<string, unknown>[] = [...(order.declined ?? []), ...order.payments].map((payment) => ({
    ...pick(payment, responses.payment),
    ...customer(order),
    ...recurring,
  }))
  const secondaries: Record<string, unknown>[] = order.operations.map((operation) => ({
    ...pick(operation, responses.operation),
    ...(operation.split && { split: operation.split }),
  }))
  // The sort is stable and keeps the payment before its operations.
  const at = (record: Record<string, unknown>): number => Date.parse(`${record.created_at}Z`)
  return [...primaries, ...secondaries].sort((a, b) => at(a) - at(b))
}
