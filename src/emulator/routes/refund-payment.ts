import { refund } from '../domain/secondary.ts'
import { findOrder, pick, type Route } from '../http/request.ts'
import { secondaryBody, secondaryInput } from './secondary.ts'

/** `POST {base_url}/api/v1/refund` (beyond the API document, [A]): all that is left, or `refund_amount` of it. */
export const refundPayment: Route = (context, request) => {
  const body = secondaryBody(context, request, 'refund')
  const operation = refund(context, findOrder(context, body.order_id), secondaryInput(request, body, 'refund_amount'))
  return Response.json(pick(operation, context.rules.responses.operation))
}
