import { voidAuthorization } from '../domain/secondary.ts'
import { findOrder, pick, type Route } from '../http/request.ts'
import { secondaryBody, secondaryInput } from './secondary.ts'

/** `POST {base_url}/api/v1/void` (beyond the API document, [A]): a successful `auth`, always whole. */
export const voidPayment: Route = (context, request) => {
  const body = secondaryBody(context, request, 'void')
  const operation = voidAuthorization(context, findOrder(context, body.order_id), secondaryInput(request, body))
  return Response.json(pick(operation, context.rules.responses.operation))
}
