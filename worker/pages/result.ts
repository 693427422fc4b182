import { html } from 'hono/html'
import type { Order } from '../store/order.ts'
import { page } from './layout.ts'

const QUICK_LOOKS = 5
const QUICK_SECONDS = 3
const SLOW_SECONDS = 10
/** About five minutes: after that the customer decides when to look. */
const LOOKS = 30

/** What the customer sees of an order. `look` counts how often this page looked by itself. */
export function resultPage(order: Order, url: string, look: number): Promise<Response> {
  const { status } = order
  if (status === 'success') {
    return page({
      title: order.method === 'auth' ? 'Your payment is reserved' : 'Your payment was successful',
      body: html`<p>Thank you. The shop has been told.</p>${details(order)}`,
    })
  }
  if (status === 'failure') {
    return page({
      title: 'The payment was not made',
      body: html`<p>Nothing was charged. Please go back to the shop to try again.</p>${details(order)}`,
    })
  }
  const next = `${url}&look=${look + 1}`
  const looking = look < LOOKS
  const seconds = look < QUICK_LOOKS ? QUICK_SECONDS : SLOW_SECONDS
  return page({
    title: 'Your payment is being confirmed',
    body: html`<p role="status">${looking ? 'This page looks again by itself.' : 'This takes longer than usual.'} You may also close it: the shop will be told in any case. Please do not pay again.</p>
<p><a href="${next}">Look again now</a></p>${details(order)}`,
    ...(looking && { refresh: { seconds, url: next } }),
  })
}

/** For a visitor who cannot show that the order is theirs: nothing is looked up. */
export function neutralPage(): Promise<Response> {
  return page({
    title: 'Thank you',
    body: html`<p>The shop will be told how the payment went. You can close this page.</p>`,
  })
}

function details({ order_id, amount, currency }: Order): ReturnType<typeof html> {
  const sum = amount === null ? '' : html`<dt>Amount</dt><dd>${amount.toFixed(2)} ${currency ?? ''}</dd>`
  return html`<dl><dt>Order</dt><dd>${order_id}</dd>${sum}</dl>`
}
