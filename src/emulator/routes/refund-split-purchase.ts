import { refund } from '../domain/secondary.ts'
import { findOrder, pick, type Route } from '../http/request.ts'
import { secondaryBody, splitInput } from './secondary.ts'

/** `POST {base_url}/api/v1/split/refund` (beyond the API document, [A]): each sub-merchant gives back at most its share. */
export const refundSplitPurchase: Route = (context, request) => {
  const body = secondaryBody(context, request, 'splitRefund')
  const operation = refund(context, findOrder(context, body.order_id), splitInput(request, body, 'refund_amount'))
  return Response.json({ ...pick(operation, context.rules.responses.operation), split: body.split })
}
