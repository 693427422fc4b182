import { createOrder, pay } from '../domain/payments.ts'
import { type Route, readJson } from '../http/request.ts'
import { instrumentOf, recordOf, redirectToCheckout, validatePurchase } from './purchase.ts'

/** `POST {base_url}/api/v1/split/purchase` (API document, "Split purchase"): direct or hosted. */
export const createSplitPurchase: Route = (context, request) => {
  const { statusCode } = request
  const body = validatePurchase(context, request, readJson(context, request), ['purchase'], true)
  const order = createOrder(context, body, true)
  if (body.mode === 'hosted') return redirectToCheckout(context, order)
  pay(context, order, instrumentOf(body), statusCode())
  // The API document's response echoes the request, card data included; the record's own fields win.
  return recordOf(context, order, context.rules.responses.splitPurchase, echo(body))
}

function echo(body: Record<string, unknown>): Record<string, unknown> {
  const { init_recurring: _, ...sent } = body
  return sent
}
