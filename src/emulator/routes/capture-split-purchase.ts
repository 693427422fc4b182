import { capture } from '../domain/secondary.ts'
import { findOrder, pick, type Route } from '../http/request.ts'
import { secondaryBody, splitInput } from './secondary.ts'

/** `POST {base_url}/api/v1/split/capture` (beyond the API document, [A]): part of an authorization, divided between sub-merchants. */
export const captureSplitPurchase: Route = (context, request) => {
  const body = secondaryBody(context, request, 'splitCapture')
  const operation = capture(context, findOrder(context, body.order_id), splitInput(request, body, 'charge_amount'))
  return Response.json({ ...pick(operation, context.rules.responses.operation), split: body.split })
}
