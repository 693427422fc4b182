import { createOrder, pay } from '../domain/payments.ts'
import { type Route, readJson } from '../http/request.ts'
import { instrumentOf, recordOf, redirectToCheckout, validatePurchase } from './purchase.ts'

/** `POST {base_url}/api/v1/split/purchase` (document, "Split purchase"): direct or hosted. */
export const createSplitPurchase: Route = (world, request) => {
  const body = readJson(world, request)
  validatePurchase(world, body, ['purchase'], true)
  const order = createOrder(world, body, true)
  if (body.mode === 'hosted') return redirectToCheckout(world, order)
  pay(world, order, instrumentOf(body))
  // The document's answer echoes the request, card data included; the record's own fields win.
  return recordOf(world, order, world.rules.answers.splitPurchase, echo(body))
}

function echo(body: Record<string, unknown>): Record<string, unknown> {
  const { init_recurring: _, ...sent } = body
  return sent
}
