import { refund } from '../domain/secondary.ts'
import { findOrder, pick, type Route, readJson, rejectInvalid } from '../http/request.ts'
import { validate } from '../http/validate.ts'
import { splitInput } from './secondary.ts'

/** `POST {base_url}/api/v1/split/refund` (beyond the API document, [A]): each sub-merchant gives back at most its share. */
export const refundSplitPurchase: Route = (context, request) => {
  const body = readJson(context, request)
  rejectInvalid(context, validate(context.rules, context.rules.parameters.splitRefund, body))
  const operation = refund(context, findOrder(context, body.order_id), splitInput(request, body, 'refund_amount'))
  return Response.json({ ...pick(operation, context.rules.responses.operation), split: body.split })
}
