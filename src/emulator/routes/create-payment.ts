import { createOrder, pay } from '../domain/payments.ts'
import { type Route, readJson } from '../http/request.ts'
import { instrumentOf, recordOf, redirectToCheckout, validatePurchase } from './purchase.ts'

/** `POST {base_url}/api/v1/payment` (document, "Create payment" and "Recurring payments"): purchase or auth, direct or hosted. */
export const createPayment: Route = (world, request) => {
  const body = readJson(world, request)
  validatePurchase(world, body, ['purchase', 'auth'], false)
  const order = createOrder(world, body, false)
  if (body.mode === 'hosted') {
    // "Hosted with `auth`: response shape: not shown": the record is the other possibility, with the checkout as user action.
    if (body.method === 'auth' && world.options.hostedAuthAnswer === 'record') {
      return recordOf(world, order, world.rules.answers.payment)
    }
    return redirectToCheckout(world, order)
  }
  pay(world, order, instrumentOf(body))
  return recordOf(world, order, world.rules.answers.payment)
}
