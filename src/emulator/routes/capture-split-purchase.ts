import { capture } from '../domain/secondary.ts'
import { findOrder, pick, type Route, readJson, rejectInvalid } from '../http/request.ts'
import { validate } from '../http/validate.ts'
import { splitInput } from './secondary.ts'

/** `POST {base_url}/api/v1/split/capture` (beyond the API document, [A]): part of an authorization, divided between sub-merchants. */
export const captureSplitPurchase: Route = (context, request) => {
  const body = readJson(context, request)
  rejectInvalid(context, validate(context.rules, context.rules.parameters.splitCapture, body))
  const operation = capture(context, findOrder(context, body.order_id), splitInput(request, body, 'charge_amount'))
  return Response.json({ ...pick(operation, context.rules.responses.operation), split: body.split })
}
