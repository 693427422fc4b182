import { html } from 'hono/html'
import { findCard } from '../state/cards.ts'
import type { Order } from '../state/state.ts'
import { renderPage } from './layout.ts'
import { messagesFor } from './messages.ts'

/** The page of the bank: its two buttons post `outcome=pass` or `outcome=fail` to its own address. */
export function threeDSecurePage(order: Order): Promise<Response> {
  const payment = order.payments[0]
  const messages = messagesFor(order)
  const { threeDS } = messages
  const card = findCard(order.card ?? '')
  const passes = card.code === undefined ? card.status : `${card.status} (${card.code})`
  const body = html`
<p class="name">${threeDS.bank} · 3-D Secure</p>
<h1>${threeDS.question}</h1>
<dl>
  <dt>${threeDS.shop}</dt><dd>${shopOf(order)}</dd>
  <dt>${messages.order}</dt><dd>${order.order_id}</dd>
  <dt>${messages.amount}</dt><dd><strong>${payment.amount.toFixed(2)} ${payment.currency}</strong></dd>
  <dt>${threeDS.card}</dt><dd><code>${payment.cc_mask ?? ''}</code></dd>
</dl>
<form method="post">
  <div class="choice">
    <button type="submit" name="outcome" value="pass" aria-describedby="pass">${threeDS.confirm}</button>
    <span class="hint" id="pass">${threeDS.emulator} ${passes}: <code>outcome=pass</code></span>
  </div>
  <div class="choice">
    <button type="submit" name="outcome" value="fail" class="quiet" aria-describedby="fail">${threeDS.decline}</button>
    <span class="hint" id="fail">${threeDS.emulator} ${threeDS.fails}: <code>outcome=fail</code></span>
  </div>
</form>`
  return renderPage({ title: '3-D Secure', body, lang: messages.lang, banner: messages.banner, bank: true })
}

/** The shop, as a bank would name it: the host that the customer returns to, or the webhooks go to. */
function shopOf({ request, payments: [payment] }: Order): string {
  const address = payment.result_url ?? request.server_url
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).host : payment.pos_id
}
