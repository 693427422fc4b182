import { html } from 'hono/html'
import type { OrderView } from '../../domain/orders.ts'
import type { Html } from '../../pages/layout.ts'
import { badge, toneOf } from '../../pages/status.ts'
import type { LoggedRequest } from '../../state/activity.ts'
import type { DeliveryLog } from '../../webhooks/deliveries.ts'
import type { Delivery } from '../../webhooks/delivery-store.ts'
import type { EmulatorControls } from '../emulator-controls.ts'
import {
  deliveryState,
  money,
  nameOf,
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
  const none = text === '' ? html`No order yet. <a href="/_emulator/connect">Connect a shop</a>.` : 'No order has that.'
  const body = html`
<h1>Overview</h1>
${shopLinks(emulator)}
${failed.length === 0 ? '' : failedNotice(failed)}
${noteList(emulator.notes)}
${forgottenHint(context)}
<form class="actions" method="get" action="/_emulator" role="search">
  <div><label for="q">Search orders</label><input class="wide-field" id="q" name="q" value="${text}"
    placeholder="id, amount, status, card"></div>
  <button type="submit" class="quiet">Search</button>
  ${text === '' ? '' : html`<a href="/_emulator">All orders</a>`}
</form>
${orders.length === 0 ? html`<p>${none}</p>` : orderTable(orders, deliveries)}
${total > PAGE_SIZE ? pager('/_emulator', text === '' ? {} : { q: text }, from, orders.length, total) : ''}
<h2>Latest requests</h2>
${requestTable(latest(emulator))}
<p><a href="/_emulator/requests">All requests</a></p>`
  return renderSection(desk, { title: 'Overview', body, section: 'overview' })
}

function shopLinks({ shop, shops }: EmulatorControls): Html | '' {
  const names = shop === undefined ? shops.list().map((one) => one.shop ?? '') : []
  if (names.length === 0) return ''
  const links = names.map((name) => html`<a href="/_emulator/shops/${name}">${name}</a> `)
  return html`<p>Shops at this address: ${links}</p>`
}

function forgottenHint({ state: { forgotten }, options: { keepOrders } }: Desk['context']): Html | '' {
  if (forgotten === 0) return ''
  const text = `${forgotten} older orders were forgotten: the emulator keeps the latest ${keepOrders}.`
  return html`<p class="hint">${text}</p>`
}

function latest({ requests }: EmulatorControls): LoggedRequest[] {
  return requests()
    .filter((request) => !isView(request))
    .slice(-FEW)
    .reverse()
}

function failedNotice(failed: readonly Delivery[]): Html {
  const latest = failed.slice(-FEW).reverse()
  const count = failed.length === 1 ? 'One webhook was' : `${failed.length} webhooks were`
  return html`<div class="notice bad"><strong>${count} not delivered.</strong>
<ul>${latest.map((delivery) => {
    const last = delivery.attempts.at(-1)
    const why = last?.error ?? `the receiver responded ${last?.status}`
    return html`<li><a href="${webhookAddress(delivery)}">${nameOf(delivery)} of ${delivery.order_id}</a>: ${why}</li>`
  })}</ul>${failed.length > latest.length ? html`<a href="/_emulator/webhooks?failed">All that failed</a>` : ''}</div>`
}

function orderTable(orders: readonly OrderView[], deliveries: DeliveryLog): Html {
  return html`<table class="list orders">
  <thead><tr><th scope="col">Order</th><th scope="col">Status</th><th scope="col">Method</th>
    <th scope="col" class="amount">Amount</th><th scope="col">Webhooks</th><th scope="col">Created</th></tr></thead>
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
  return html`${states} ${recurring && badge(`recurring ${recurring.status}`, toneOf(recurring.status))}`
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
