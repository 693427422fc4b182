import { refund } from '../domain/secondary.ts'
import { findOrder, pick, type Route, readJson, rejectInvalid } from '../http/request.ts'
import { validate } from '../http/validate.ts'
import { secondaryInput } from './secondary.ts'

/** `POST {base_url}/api/v1/refund` (beyond the API document, [A]): all that is left, or `refund_amount` of it. */
export const refundPayment: Route = (context, request) => {
  const body = readJson(context, request)
  rejectInvalid(context, validate(context.rules, context.rules.parameters.refund, body))
  const operation = refund(context, findOrder(context, body.order_id), secondaryInput(request, body, 'refund_amount'))
  return Response.json(pick(operation, context.rules.responses.operation))
}
