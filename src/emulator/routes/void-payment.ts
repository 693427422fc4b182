import { voidAuthorization } from '../domain/secondary.ts'
import { findOrder, pick, type Route, readJson, rejectInvalid } from '../http/request.ts'
import { validate } from '../http/validate.ts'
import { secondaryInput } from './secondary.ts'

/** `POST {base_url}/api/v1/void` (beyond the API document, [A]): a successful `auth`, always whole. */
export const voidPayment: Route = (context, request) => {
  const body = readJson(context, request)
  rejectInvalid(context, validate(context.rules, context.rules.parameters.void, body))
  const operation = voidAuthorization(context, findOrder(context, body.order_id), secondaryInput(request, body))
  return Response.json(pick(operation, context.rules.responses.operation))
}
