import { html } from 'hono/html'
import type { Context } from '../../context.ts'
import { type PossibleOperations, possibleOperations } from '../../domain/allowed-operations.ts'
import type { WhatExpires } from '../../domain/expiry.ts'
import { authorizedAmount, sumOf } from '../../domain/operations.ts'
import type { OrderView } from '../../domain/orders.ts'
import type { Html } from '../../pages/layout.ts'
import { badge, toneOf } from '../../pages/status.ts'
import { toMinor, toUnits } from '../../state/accounts.ts'
import type { Operation, Order, Payment } from '../../state/state.ts'
import { amountInput, commandForm, confirmForm, money, orderAddress, when } from './components.ts'
import { type Desk, missingPage, noteList, renderSection } from './frame.ts'
import { storyList, storyOf } from './story.ts'
import { webhookTable } from './webhooks.ts'

export function orderPage(desk: Desk, orderId: string): Promise<Response> {
  const { context, emulator } = desk
  const order = context.state.orders.get(orderId)
  const view = emulator.orders.get(orderId)
  if (order === undefined || view === undefined) return missingPage(desk, 'order')
  const [payment] = order.payments
  const own = context.deliveries.store.ofOrder(orderId)
  const body = html`
<p><a href="/_emulator">All orders</a></p>
<h1>Order ${orderId}</h1>
<p>${badge(payment.status)} ${payment.status_code ?? ''} ${payment.status_description ?? ''}</p>
${noteList(emulator.notes.filter(({ order_id }) => order_id === orderId))}
${amountsTable(context, order)}
${facts(order)}
${links(view, payment)}
${actions(order, possibleOperations(context, order))}
<h2>What happened</h2>
${storyList(storyOf(context, orderId))}
<h2>Webhooks</h2>
${webhookTable(own, orderAddress(orderId))}
<h2>Records</h2>
${[...(order.declined ?? []), ...order.payments, ...order.operations].map(recordBlock)}`
  return renderSection(desk, { title: `Order ${orderId}`, body, section: 'overview' })
}

function amountsTable(context: Context, order: Order): Html {
  const [payment] = order.payments
  const { currency, method } = payment
  const isHeld = method === 'auth' && payment.status === 'success'
  const paid = order.payments
    .filter((one) => one.method !== 'auth' && one.status === 'success')
    .reduce((sum, { amount, processed_amount }) => sum + toMinor(processed_amount ?? amount), 0)
  const captured = sumOf(order, 'capture')
  const refunded = sumOf(order, 'refund')
  const voided = sumOf(order, 'void')
  const amounts: [name: string, minor: number][] = isHeld
    ? [
        ['Authorized', authorizedAmount(order)],
        ['Captured', captured],
        ['Voided', voided],
        ['Refunded', refunded],
        ['Left to capture', toMinor(possibleOperations(context, order).capture)],
        ['Left to refund', captured - refunded],
      ]
    : [
        ['Paid', paid],
        ['Refunded', refunded],
        ['Left', paid - refunded],
      ]
  return html`<dl class="amounts">${amounts.map(
    ([name, minor]) => html`<div><dt>${name}</dt><dd>${money(toUnits(minor), currency)}</dd></div>`,
  )}</dl>`
}

function facts({ payments: [payment], subscription, split, request }: Order): Html {
  const { mode, method, amount, currency, processed_amount, cc_mask, created_at, description } = payment
  const paid = processed_amount === null ? '' : `, paid ${money(processed_amount, currency)}`
  return html`<dl>
  <dt>Payment</dt><dd>${mode} ${method}${split ? ', split' : ''}</dd>
  <dt>Amount</dt><dd>${money(amount, currency)}${paid}</dd>
  <dt>Description</dt><dd>${description}</dd>
  ${cc_mask === null ? '' : html`<dt>Card</dt><dd><code>${cc_mask}</code></dd>`}
  ${subscription && html`<dt>Recurring</dt><dd>${subscriptionText(subscription)}</dd>`}
  <dt>Webhooks go to</dt><dd>${String(request.server_url ?? 'the default address')}</dd>
  <dt>Created</dt><dd>${when(created_at)}</dd>
</dl>`
}

function subscriptionText({ id, status, next }: NonNullable<Order['subscription']>): Html {
  const charge = next === undefined ? '' : html`, next charge ${when(new Date(next).toISOString())}`
  return html`${badge(status, toneOf(status))} <code>${id}</code>${charge}`
}

function links(
  { checkout_url }: OrderView,
  { mode, status, user_action_required, user_action_url }: Payment,
): Html | '' {
  if (user_action_required && user_action_url !== null) {
    return html`<p><a class="button quiet small" href="${user_action_url}">Open the 3-D Secure page</a></p>`
  }
  const open = mode === 'hosted' && status === 'init'
  return open ? html`<p><a class="button quiet small" href="${checkout_url}">Open the checkout page</a></p>` : ''
}

function actions({ order_id, payments: [payment] }: Order, possible: PossibleOperations): Html | '' {
  const hidden = { order_id, return_to: orderAddress(order_id) }
  const unit = payment.currency
  const confirm = (name: string, label: string, effect: string, more = {}): Html =>
    confirmForm(name, { ...hidden, ...more }, label, `${effect} This cannot be undone.`)
  const forms = [
    possible.capture > 0 &&
      commandForm('capture', hidden, 'Capture', {
        inputs: amountInput('capture-amount', `Capture (${unit})`, possible.capture, possible.captureMax),
      }),
    possible.increment &&
      commandForm('auth_increment', hidden, 'Increase', {
        inputs: amountInput('increment-amount', `Increase by (${unit})`, 1),
      }),
    possible.refund > 0 &&
      commandForm('refund', hidden, 'Refund', {
        inputs: amountInput('refund-amount', `Refund (${unit})`, possible.refund, possible.refund),
      }),
    possible.void && confirm('void', 'Void', 'The whole authorization will be released.'),
    possible.cancel && confirm('cancel', 'Cancel', 'The payment will fail, and its checkout closes.'),
    possible.conclude && commandForm('conclude', hidden, 'Conclude', { inputs: statusCodeInput }),
    possible.cancelRecurring && commandForm('charge', hidden, 'Charge now'),
    possible.cancelRecurring && confirm('cancel_recurring', 'End the subscription', 'No further charge will be made.'),
    ...possible.expire.map((what) =>
      confirm('expire', EXPIRY[what], 'It expires at this moment, as it would in time.', { what }),
    ),
  ].filter((form) => form !== false)
  return forms.length === 0 ? '' : html`<h2>Actions</h2><div class="actions">${forms}</div>`
}

const EXPIRY: Record<WhatExpires, string> = {
  checkout: 'Expire the checkout',
  '3ds': 'Expire 3-D Secure',
  authorization: 'Expire the authorization',
  token: 'Expire the card token',
}

const statusCodeInput = html`<div><label for="status_code">Status code of the pending operation</label>
<input id="status_code" name="status_code" value="1000" pattern="\\d{4}" required></div>`

function recordBlock(record: Payment | Operation): Html {
  const id = 'operation_id' in record ? record.operation_id : record.payment_id
  const amount = money(record.amount, record.currency)
  return html`<details><summary>${badge(record.status)} ${record.method} of ${amount} <code>${id}</code></summary>
<pre>${JSON.stringify(record, null, 2)}</pre></details>`
}
