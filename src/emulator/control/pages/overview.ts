import { html } from 'hono/html'
import type { OrderView } from '../../domain/orders.ts'
import type { Html } from '../../pages/layout.ts'
import { badge, toneOf } from '../../pages/status.ts'
import type { LoggedRequest } from '../../state/activity.ts'
import type { DeliveryLog } from '../../webhooks/deliveries.ts'
import type { Delivery } from '../../webhooks/delivery-store.ts'
import type { OtherPayment } from '../actions.ts'
import type { EmulatorControls } from '../emulator-controls.ts'
import {
  amountInput,
  commandForm,
  deliveryState,
  money,
  orderAddress,
  PAGE_SIZE,
  pager,
  shortWhen,
  startOf,
  webhookAddress,
} from './components.ts'
import { type Desk, noteList, renderSection } from './frame.ts'
import { isView, requestTable } from './requests.ts'

const FEW = 5
export function overviewPage(desk: Desk, query: URLSearchParams): Promise<Response> {
  const { context, emulator } = desk
  const { deliveries } = context
  const text = query.get('q') ?? ''
  const from = startOf(query)
  const { total, orders } = emulator.orders.search({ text, from, count: PAGE_SIZE })
  const failed = deliveries.store.undelivered()
  const body = html`
<h1>Overview</h1>
${shopLinks(emulator)}
${failed.length === 0 ? '' : failedNotice(failed)}
${noteList(emulator.notes)}
<form class="actions" method="get" action="/_emulator" role="search">
  <div><label for="q">Search orders</label><input class="wide-field" id="q" name="q" value="${text}" placeholder="id, amount, status, card"></div>
  <button type="submit" class="quiet">Search</button>
  ${text === '' ? '' : html`<a href="/_emulator">All orders</a>`}
</form>
${orders.length === 0 ? html`<p>${text === '' ? html`No order yet. <a href="/_emulator/connect">Connect a shop</a>.` : 'No order has that.'}</p>` : orderTable(orders, deliveries)}
${total > PAGE_SIZE ? pager('/_emulator', text === '' ? {} : { q: text }, from, orders.length, total) : ''}
<h2>Latest requests</h2>
${requestTable(latest(emulator))}
<p><a href="/_emulator/requests">All requests</a></p>
${otherPaymentSection()}`
  return renderSection(desk, { title: 'Overview', body, section: 'overview' })
}

function shopLinks({ shop, shops }: EmulatorControls): Html | '' {
  const names = shop === undefined ? shops.list().map((one) => one.shop ?? '') : []
  if (names.length === 0) return ''
  return html`<p>Shops at this address: ${names.map((name) => html`<a href="/_emulator/shops/${name}">${name}</a> `)}</p>`
}

function latest({ requests }: EmulatorControls): LoggedRequest[] {
  const found: LoggedRequest[] = []
  for (let index = requests.length - 1; index >= 0 && found.length < FEW; index--) {
    const request = requests[index]
    if (request !== undefined && !isView(request)) found.push(request)
  }
  return found
}

function failedNotice(failed: readonly Delivery[]): Html {
  const latest = failed.slice(-FEW).reverse()
  return html`<div class="notice bad"><strong>${failed.length === 1 ? 'One webhook was' : `${failed.length} webhooks were`} not delivered.</strong>
<ul>${latest.map((delivery) => {
    const last = delivery.attempts.at(-1)
    return html`<li><a href="${webhookAddress(delivery)}">${String(delivery.event.method)} ${String(delivery.event.status)} of ${delivery.order_id}</a>: ${String(last?.error ?? `the receiver responded ${last?.status}`)}</li>`
  })}</ul>${failed.length > latest.length ? html`<a href="/_emulator/webhooks?failed">All that failed</a>` : ''}</div>`
}

function orderTable(orders: readonly OrderView[], deliveries: DeliveryLog): Html {
  return html`<table class="list orders">
  <thead><tr><th scope="col">Order</th><th scope="col">Status</th><th scope="col">Method</th><th scope="col" class="amount">Amount</th><th scope="col">Webhooks</th><th scope="col">Created</th></tr></thead>
  <tbody>${orders.map((order) => {
    const [payment] = order.payments
    return html`<tr data-key="${order.order_id}">
      <td title="${order.order_id}"><a href="${orderAddress(order.order_id)}">${order.order_id}</a></td>
      <td>${badge(order.status)} ${payment?.status_code ?? ''} ${moreStates(order)}</td>
      <td class="method">${payment?.mode ?? ''} ${payment?.method ?? ''}</td>
      <td class="amount">${payment === undefined ? '' : money(payment.amount, payment.currency)}</td>
      <td>${webhookSummary(deliveries.store.ofOrder(order.order_id))}</td>
      <td>${payment === undefined ? '' : shortWhen(payment.created_at)}</td></tr>`
  })}</tbody></table>`
}

function moreStates({ operations, recurring }: OrderView): Html {
  const methods = [...new Set(operations.map(({ method }) => method))]
  const states = methods.map((method) => {
    const own = operations.filter((operation) => operation.method === method)
    const status = own.at(-1)?.status ?? ''
    return badge(own.length === 1 ? method : `${own.length} × ${method}`, toneOf(status))
  })
  return html`${states} ${recurring === undefined ? '' : badge(`recurring ${recurring.status}`, toneOf(recurring.status))}`
}

function webhookSummary(deliveries: readonly Delivery[]): Html | string {
  if (deliveries.length === 0) return 'none'
  const states = deliveries.map(deliveryState)
  const words = [...new Set(states.map(([word]) => word))]
  return html`${words.map((word) => {
    const same = states.filter(([one]) => one === word)
    return html`${badge(`${same.length} ${word}`, same[0]?.[1] ?? 'idle')} `
  })}`
}

/** Payments that the API document shows no request for. What is wrong with an input is said by the page that the form leads to. */
function otherPaymentSection(): Html {
  const inputs = html`<div><label for="other-method">Method</label><select id="other-method" name="method">${OTHER_METHODS.map(
    ([method, name]) => html`<option value="${method}">${name}</option>`,
  )}</select></div>
  <div><label for="other-order">New order_id</label><input class="wide-field" id="other-order" name="order_id" maxlength="256" required></div>
  ${amountInput('other-amount', 'Amount', 5)}
  <div><label for="other-currency">Currency</label><input id="other-currency" name="currency" value="UAH" pattern="[A-Z]{3}" required></div>
  <div><label for="other-code">Ends with code</label><input id="other-code" name="status_code" value="1000" pattern="\\d{4}" required></div>
  <div><label for="other-url">Webhook to</label><input class="wide-field" id="other-url" name="server_url" type="url" placeholder="default: --webhook-url"></div>`
  return html`<h2>Credit, p2p or lookup</h2>
<p id="other-payments">The API document shows the webhooks of these payments alone, not how they are created. They can be made here.</p>
<div class="actions">${commandForm('payment', { return_to: '/_emulator' }, 'Make the payment', { inputs, describedBy: 'other-payments' })}</div>`
}

const OTHER_METHODS: readonly [method: OtherPayment['method'], name: string][] = [
  ['credit', 'credit: to a card'],
  ['p2p', 'p2p: from card to card'],
  ['lookup', 'lookup: of a card'],
]
