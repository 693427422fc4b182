import type { Context } from '../context.ts'
import { operationDestination } from '../domain/operations.ts'
import { destination } from '../domain/transitions.ts'
import { Problem } from '../http/problem.ts'
import { checkPathIds, findOrder, type Route, rejectInvalid } from '../http/request.ts'
import type { Order } from '../state/state.ts'
import { primaryPayload, secondaryPayload } from '../webhooks/payload.ts'

/**
 * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true` (API document, "Re-send a webhook
 * for an operation").
 */
export const resendWebhook: Route = (context, { path, query, notes }) => {
  checkPathIds(context, path)
  const callback = query.getAll('callback')
  if (callback.length === 1 && callback[0] === '1') {
    notes.add(
      'callback',
      `callback is 1, as PHP writes true; the API document's value is ${context.rules.wire.callback}.`,
    )
  } else if (callback.length !== 1 || callback[0] !== context.rules.wire.callback) {
    rejectInvalid(context, [{ field_name: 'callback', violation: `must be ${context.rules.wire.callback}` }])
  }
  const operation = path.operation ?? ''
  const unknown = context.rules.types.method(operation)
  if (unknown !== undefined) rejectInvalid(context, [{ field_name: 'operation', violation: unknown }])
  const order = findOrder(context, path.order_id)
  const transactionId = query.get('transactionId')
  if (transactionId !== null && (order.subscription === undefined || operation !== 'purchase')) {
    notes.add('transactionId', 'transactionId is for recurring payments with operation purchase only.')
  }
  const { url, payload } = find(context, order, operation, transactionId)
  context.deliveries.send(order.order_id, url, payload)
  return Response.json(payload)
}

interface Found {
  url: string | null
  payload: Record<string, unknown>
}

/** "Without `transactionId` the data of the latest transaction of the subscription is returned." */
function find(context: Context, order: Order, operation: string, transactionId: string | null): Found {
  const isNamed = (one: { method: string; transaction_id: string }): boolean =>
    one.method === operation && (transactionId === null || one.transaction_id === transactionId)
  const payment = order.payments.filter(isNamed).at(-1)
  if (payment !== undefined) {
    return { url: destination(context, order, payment), payload: primaryPayload(context.rules, order, payment) }
  }
  const secondary = order.operations.filter(isNamed).at(-1)
  if (secondary !== undefined) {
    return {
      url: operationDestination(context, secondary),
      payload: secondaryPayload(context.rules, secondary),
    }
  }
  const name = transactionId === null ? 'operation' : 'transactionId'
  throw new Problem(404, 'Operation not found', [{ field_name: name, violation: "is not one of this order's" }])
}
