import { html } from 'hono/html'
import type { ExpectedPayment } from '../sdk.ts'
import { baseOrderId } from '../store/checkouts.ts'
import type { OrderStatus } from '../store/order.ts'
import { page } from './layout.ts'

const QUICK_REFRESHES = 5
const QUICK_SECONDS = 3
const SLOW_SECONDS = 10
/** About five minutes: after that the customer decides when to refresh. */
const REFRESHES = 30

/** What the page shows. */
export interface Shown {
  status: OrderStatus | undefined
  expected: ExpectedPayment | undefined
  link: string | undefined
}

/** What the customer sees of an order. `look` counts how often this page refreshed automatically. */
export function resultPage(order_id: string, shown: Shown, url: string, look: number): Promise<Response> {
  const { status, link } = shown
  const about = details(order_id, shown)
  if (status?.status === 'success') {
    return page({ title: successTitle(status), body: html`<p>Thank you.</p>${about}` })
  }
  if (status?.status === 'failure') {
    if (status.cancelled) {
      return page({ title: 'Payment cancelled', body: html`<p>Nothing was charged.</p>${about}` })
    }
    const again = link
      ? html`<p><a href="${link}">Try again</a></p>`
      : html`<p>Please go back to the shop to try again.</p>`
    return page({ title: 'Payment failed', body: html`<p>Nothing was charged.</p>${again}${about}` })
  }
  const next = `${url}&look=${look + 1}`
  const refreshes = look < REFRESHES
  const seconds = look < QUICK_REFRESHES ? QUICK_SECONDS : SLOW_SECONDS
  return page({
    title: 'Your payment is being confirmed',
    body: html`<p role="status">${refreshes ? 'This page refreshes automatically.' : 'This takes longer than usual.'} You may close it: your payment is processed in any case. Please do not pay again.</p>
<p><a href="${next}">Refresh now</a></p>${about}`,
    ...(refreshes && { refresh: { seconds, url: next } }),
  })
}

/** What became of the money, also after it was paid. */
function successTitle({ method, totals }: OrderStatus): string {
  const { captured, refunded, voided } = totals
  if (captured > 0 && refunded >= captured) return 'Your payment was refunded'
  if (refunded > 0) return 'Your payment was partly refunded'
  if (method !== 'auth' || captured > 0) return 'Your payment was successful'
  return voided > 0 ? 'The reservation of your payment was released' : 'Your payment is reserved'
}

/** For a visitor who cannot show that the order is theirs: nothing is looked up. */
export function neutralPage(): Promise<Response> {
  return page({
    title: 'Thank you',
    body: html`<p>The shop receives the result of your payment. You can close this page.</p>`,
  })
}

function details(order_id: string, { status, expected }: Shown): ReturnType<typeof html> {
  const { amount, currency } = status ?? { amount: expected?.amount ?? null, currency: expected?.currency ?? null }
  const sum = amount === null ? '' : html`<dt>Amount</dt><dd>${amount.toFixed(2)} ${currency ?? ''}</dd>`
  return html`<dl><dt>Order</dt><dd>${baseOrderId(order_id)}</dd>${sum}</dl>`
}
