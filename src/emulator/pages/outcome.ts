import { html } from 'hono/html'
import type { Order } from '../state/state.ts'
import { renderPage } from './layout.ts'

/** Where a payment stands, in words for the customer, and the way back to the shop. */
export function outcomePage(order: Order): Promise<Response> {
  const payment = order.payments[0]
  const [title, text] = {
    success: ['Paid', 'Thank you. The payment was successful.'],
    failure: [payment.status_code === '6007' ? 'Cancelled' : 'Declined', 'Nothing was charged.'],
    pending: ['In progress', 'The payment is still being processed. The shop will be notified of the result.'],
  }[payment.status] ?? ['Not paid', 'This payment has not been made.']
  const body = html`
<h1>${title}</h1>
<p role="status">${text}</p>
<dl>
  <dt>Reason</dt><dd>${payment.status_description ?? 'unknown'} (code ${payment.status_code ?? 'none'})</dd>
  <dt>Order</dt><dd>${order.order_id}</dd>
  <dt>Amount</dt><dd>${payment.amount.toFixed(2)} ${payment.currency}</dd>
</dl>
${payment.result_url === null ? '' : html`<p><a class="button" href="${payment.result_url}">Back to the shop</a></p>`}`
  return renderPage({ title: String(title), body })
}

/** A page that says why there is nothing to see. */
export function messagePage(status: number, title: string, text: string): Promise<Response> {
  return renderPage({ title, body: html`<h1>${title}</h1><p>${text}</p>`, status, reason: `${title}: ${text}` })
}
