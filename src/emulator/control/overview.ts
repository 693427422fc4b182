import { html } from 'hono/html'
import type { OrderView } from '../domain/orders.ts'
import { FAULT_KINDS } from '../faults/fault.ts'
import { type Html, renderPage } from '../pages/layout.ts'
import { timestamp } from '../state/time.ts'
import type { Delivery } from '../webhooks/deliveries.ts'
import type { EmulatorControls } from './emulator-controls.ts'

/** `/_emulator`: the orders and what can be done to the whole emulator. */
export function overviewPage({ orders, clock, faults, credentials }: EmulatorControls): Promise<Response> {
  const list = orders.list().reverse()
  const { next, rates } = faults.list()
  const body = html`
<h1>What happened</h1>
<p>It is ${timestamp(clock.now())} UTC here.</p>
${post('clock', { days: '1' }, 'Advance one day')}
${post('clock', { months: '1' }, 'Advance one month')}
${post('reset', {}, 'Forget everything')}
<h2>Orders</h2>
${list.length === 0 ? html`<p>None yet.</p>` : orderTable(list)}
<h2>Faults</h2>
<p>${next.length + rates.length === 0 ? 'None is set.' : `${next.map(({ kind }) => kind).join(', ') || 'none'} next; ${rates.map(({ fault, probability }) => `${fault.kind} at ${probability}`).join(', ') || 'none'} at random.`}</p>
<form method="post" action="/_emulator/api/faults">
  <label for="fault">The next thing that goes wrong</label>
  <select id="fault" name="fault">${FAULT_KINDS.map((kind) => html`<option>${kind}</option>`)}</select>
  <button type="submit">Set</button>
</form>
<h2>Addresses and credentials</h2>
<dl>${Object.entries(credentials).map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>`
  return renderPage({ title: 'Overview', body, wide: true })
}

function orderTable(list: OrderView[]): Html {
  return html`<div class="scroll" role="region" aria-label="Orders" tabindex="0"><table>
  <thead><tr><th scope="col">Order</th><th scope="col">Method</th><th scope="col">Amount</th><th scope="col">Status</th><th scope="col">Created</th></tr></thead>
  <tbody>${list.map(
    ({ order_id, status, payments: [payment] }) => html`<tr>
      <td><a href="${orderAddress(order_id)}">${order_id}</a></td><td>${payment?.method ?? ''}</td>
      <td>${payment?.amount.toFixed(2) ?? ''} ${payment?.currency ?? ''}</td><td>${status} ${payment?.status_code ?? ''}</td>
      <td>${payment?.created_at ?? ''}</td></tr>`,
  )}</tbody></table></div>`
}

/** `/_emulator/orders?order_id=…`: an order's timeline, its operations and its deliveries. */
export function orderPage(order: OrderView, deliveries: readonly Delivery[]): Promise<Response> {
  const { order_id, payments, operations, recurring } = order
  const back = orderAddress(order_id)
  const [first] = payments
  const body = html`
<p><a href="/_emulator">All orders</a></p>
<h1>Order ${order_id}</h1>
<p>${first?.method ?? ''} of ${first?.amount.toFixed(2) ?? ''} ${first?.currency ?? ''}: <strong>${order.status}</strong>
  ${recurring === undefined ? '' : html`; recurring <code>${recurring.id}</code> is ${recurring.status}`}</p>
${first?.mode === 'hosted' && order.status === 'init' ? html`<p><a href="${order.checkout_url}">Open the checkout page</a></p>` : ''}
${first?.method === 'auth' ? post('void', { order_id, return_to: back }, 'Void') : ''}
${post('refund', { order_id, return_to: back }, 'Refund')}
${recurring?.status === 'active' ? post('cancel_recurring', { order_id, return_to: back }, 'Cancel recurring') : ''}
<h2>Timeline</h2>
<ol>${order.timeline.map(({ at, what }) => html`<li><code>${at}</code> ${what}</li>`)}</ol>
<h2>Webhooks</h2>
${deliveries.length === 0 ? html`<p>None yet.</p>` : ''}
${deliveries.map((delivery) => deliveryBlock(delivery, back))}
<h2>Records</h2>
<div class="scroll" role="region" aria-label="Records" tabindex="0"><pre>${JSON.stringify({ payments, operations }, null, 2)}</pre></div>`
  return renderPage({ title: `Order ${order_id}`, body, wide: true })
}

function deliveryBlock({ id, url, event, attempts }: Delivery, back: string): Html {
  return html`<details><summary>${String(event.method)} ${String(event.status)} to ${url ?? 'nowhere'}: ${
    attempts.map(({ status, error }) => status ?? error).join(', ') || 'not sent'
  }</summary><pre>${JSON.stringify(event, null, 2)}</pre></details>
${url === null ? '' : post('resend', { id, return_to: back }, 'Send again')}`
}

/** `/_emulator/receipts/…`: where `receipt_url` leads. */
export function receiptPage(record: {
  method: string
  amount: number
  currency: string
  order_id: string
}): Promise<Response> {
  const body = html`<h1>Receipt</h1><dl>
  <dt>Operation</dt><dd>${record.method}</dd><dt>Order</dt><dd>${record.order_id}</dd>
  <dt>Amount</dt><dd>${record.amount.toFixed(2)} ${record.currency}</dd></dl>`
  return renderPage({ title: 'Receipt', body })
}

function orderAddress(orderId: string): string {
  return `/_emulator/orders?order_id=${encodeURIComponent(orderId)}`
}

function post(name: string, fields: Record<string, string>, label: string): Html {
  return html`<form method="post" action="/_emulator/api/${name}" style="display:inline">${Object.entries(fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  )}<button type="submit" class="quiet">${label}</button></form>`
}
