import { html } from 'hono/html'
import type { Operation, Order, Payment } from '../state/state.ts'
import { renderPage } from './layout.ts'
import { type Messages, messagesFor } from './messages.ts'
import { badge } from './status.ts'

export function outcomePage(order: Order, back: string | null): Promise<Response> {
  const payment = order.payments[0]
  const messages = messagesFor(order)
  const [title, text] = messages.outcome[outcomeOf(payment)]
  const requested = `${payment.amount.toFixed(2)} ${payment.currency}`
  const isFinal = payment.status === 'failure'
  const body = html`
<p>${badge(payment.status)}</p>
<h1>${title}</h1>
<p role="status">${text}</p>
<dl>
  ${payment.status === 'success' ? '' : html`<dt>${messages.reason}</dt><dd>${reasonOf(payment)}</dd>`}
  <dt>${messages.order}</dt><dd>${order.order_id}</dd>
  <dt>${messages.amount}</dt><dd>${paidAmount(payment, requested, messages)}</dd>
</dl>
${isFinal ? html`<p>${messages.startAgain}</p>` : ''}
${
  back === null ? html`<p>${messages.noReturn}</p>` : html`<p><a class="button" href="${back}">${messages.back}</a></p>`
}
<p><a href="/_emulator/orders?order_id=${encodeURIComponent(order.order_id)}">${messages.inEmulator}</a></p>`
  return renderPage({ title, body, lang: messages.lang, banner: messages.banner })
}

function outcomeOf({ status, status_code, method }: Payment): keyof Messages['outcome'] {
  if (status === 'success') return method === 'auth' ? 'authorized' : 'paid'
  if (status === 'failure') return status_code === '6007' ? 'cancelled' : 'declined'
  return status === 'pending' ? 'pending' : 'unpaid'
}

function reasonOf({ status_description, status_code }: Payment): string {
  return status_code === null ? '-' : `${status_description ?? ''} (${status_code})`
}

function paidAmount({ processed_amount, currency }: Payment, requested: string, messages: Messages): string {
  return processed_amount === null
    ? requested
    : messages.paidAmount(`${processed_amount.toFixed(2)} ${currency}`, requested)
}

/** `/_emulator/receipts/…`: where `receipt_url` leads. */
export function receiptPage(record: Payment | Operation): Promise<Response> {
  const paid = 'processed_amount' in record ? (record.processed_amount ?? record.amount) : record.amount
  const body = html`<h1>Receipt</h1>
<p>${badge(record.status)}</p>
<dl>
  <dt>Operation</dt><dd>${record.method}</dd>
  <dt>Order</dt><dd>${record.order_id}</dd>
  <dt>Amount</dt><dd>${paid.toFixed(2)} ${record.currency}</dd>
  <dt>Processed</dt><dd><time>${record.processed_at}</time></dd>
</dl>`
  return renderPage({ title: 'Receipt', body })
}
