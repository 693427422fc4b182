import { html } from 'hono/html'
import type { ExpectedPayment } from '../../index.ts'
import { baseOrderId } from '../store/checkouts.ts'
import type { OrderStatus } from '../store/order.ts'
import { type Html, page, type Site } from './layout.ts'
import type { Wording } from './options.ts'

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
export function resultPage(site: Site, order_id: string, shown: Shown, url: string, look: number): Promise<Response> {
  const { status, link } = shown
  const { wording } = site
  const about = details(wording, order_id, shown)
  if (status?.status === 'success') {
    return page(site, { title: successTitle(wording, status), body: html`<p>${wording.thanks}</p>${about}` })
  }
  if (status?.status === 'failure') {
    const { title, text } = status.cancelled ? wording.cancelled : wording.failed
    const again = link ? html`<p><a href="${link}">${wording.tryAgain}</a></p>` : html`<p>${wording.failed.askShop}</p>`
    return page(site, { title, body: html`<p>${text}</p>${status.cancelled ? '' : again}${about}` })
  }
  const { title, refreshing, slow, advice } = wording.confirming
  const next = `${url}&look=${look + 1}`
  const refreshes = look < REFRESHES
  const seconds = look < QUICK_REFRESHES ? QUICK_SECONDS : SLOW_SECONDS
  return page(site, {
    title,
    body: html`<p role="status">${refreshes ? refreshing : slow} ${advice}</p>
<p><a href="${next}">${wording.refreshNow}</a></p>${about}`,
    ...(refreshes && { refresh: { seconds, url: next } }),
  })
}

/** What became of the money, also after it was paid. */
function successTitle(wording: Wording, { method, totals }: OrderStatus): string {
  const { authorized, captured, refunded, voided } = totals
  if (captured > 0 && refunded >= captured) return wording.refunded
  if (refunded > 0) return wording.partlyRefunded
  if (method !== 'auth') return wording.paid
  if (captured > 0) return captured < authorized ? wording.partlyCaptured : wording.paid
  return voided > 0 ? wording.released : wording.reserved
}

/** For a visitor who cannot show that the order is theirs: nothing is looked up. */
export function neutralPage(site: Site): Promise<Response> {
  const { title, text } = site.wording.neutral
  return page(site, { title, body: html`<p>${text}</p>` })
}

function details(wording: Wording, order_id: string, { status, expected }: Shown): Html {
  const currency = status?.currency ?? expected?.currency ?? ''
  const amount = status?.amount ?? expected?.amount ?? null
  const { captured = 0, refunded = 0 } = status?.totals ?? {}
  const rows: [string, string | Html][] = [[wording.order, baseOrderId(order_id)]]
  if (amount !== null) rows.push([wording.amount, sum(wording, amount, currency)])
  if (captured > 0 && captured !== Math.round((amount ?? 0) * 100)) {
    rows.push([wording.charged, sum(wording, captured / 100, currency)])
  }
  if (refunded > 0) rows.push([wording.refundedAmount, sum(wording, refunded / 100, currency)])
  const receipt = status?.receipt_url
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${receipt ? html`<p><a href="${receipt}">${wording.receipt}</a></p>` : ''}`
}

/** Two decimals, as the language writes them, and the currency's code. */
function sum({ locale }: Wording, amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  return `${new Intl.NumberFormat(locale, digits).format(amount)} ${currency}`
}
