import { capture } from '../domain/secondary.ts'
import { findOrder, pick, type Route } from '../http/request.ts'
import { secondaryBody, secondaryInput } from './secondary.ts'

/**
 * `POST {base_url}/api/v1/capture` (API document, "Capture a reserve"): in full, in part, or beyond the authorized
 * amount.
 */
export const capturePayment: Route = (context, request) => {
  const body = secondaryBody(context, request, 'capture')
  const order = findOrder(context, body.order_id)
  const operation = capture(context, order, secondaryInput(request, body, 'charge_amount'))
  const { responses } = context.rules
  const partial = typeof body.charge_amount === 'number'
  const currency = partial ? responses.partialCaptureCurrency : responses.fullCaptureCurrency
  return Response.json({ ...pick(operation, responses.capture), [currency]: operation.currency })
}
