import { createOrder, pay } from '../domain/payments.ts'
import { type Route, readJson } from '../http/request.ts'
import { createOtherPayment, isOtherMethod } from './other-payment.ts'
import { instrumentOf, recordOf, redirectToCheckout, validatePurchase } from './purchase.ts'

/**
 * `POST {base_url}/api/v1/payment` (API document, "Create payment" and "Recurring payments"): purchase or auth, direct
 * or hosted.
 */
export const createPayment: Route = (context, request) => {
  const { statusCode } = request
  const sent = readJson(context, request)
  if (isOtherMethod(sent.method)) return createOtherPayment(context, request, sent)
  const body = validatePurchase(context, request, sent, ['purchase', 'auth'], false)
  const order = createOrder(context, body, false)
  if (body.mode === 'hosted') {
    // "Hosted with `auth`: response shape: not shown": the record is the other possibility, with the checkout as user
    // action.
    if (body.method === 'auth' && context.options.hostedAuthResponse === 'record') {
      return recordOf(context, order, context.rules.responses.payment)
    }
    return redirectToCheckout(context, order)
  }
  pay(context, order, instrumentOf(body), statusCode())
  return recordOf(context, order, context.rules.responses.payment)
}
