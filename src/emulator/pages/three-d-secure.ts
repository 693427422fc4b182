import { html } from 'hono/html'
import type { Order } from '../state/state.ts'
import { renderPage } from './layout.ts'

/** The page of the bank: its two buttons post `outcome=pass` or `outcome=fail` to its own address. */
export function threeDSecurePage(order: Order): Promise<Response> {
  const payment = order.payments[0]
  const body = html`
<h1>3-D Secure</h1>
<p>Your bank asks whether it is you who pays <strong>${payment.amount.toFixed(2)} ${payment.currency}</strong>
  with the card <code>${payment.cc_mask ?? ''}</code>.</p>
<form method="post">
  <button type="submit" name="outcome" value="pass">Yes, confirm</button>
  <button type="submit" name="outcome" value="fail" class="quiet">No, decline</button>
</form>`
  return renderPage({ title: '3-D Secure', body })
}
