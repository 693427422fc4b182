import { html } from 'hono/html'
import { baseOrderId } from '../lib/attempt-id.ts'
import type { OrderPage, OrderStatus } from '../lib/shown-order.ts'
import { type Html, page, type Site } from './layout.ts'
import { money } from './money.ts'
import type { Wording } from './options.ts'

const QUICK_REFRESHES = 5
const QUICK_SECONDS = 3
const SLOW_SECONDS = 10
/** About five minutes: after that the customer decides when to refresh. */
const REFRESHES = 30

/** What the page shows. */
export type Shown = Omit<OrderPage, 'method' | 'lang'>

/** What the customer sees of an order. `look` counts how often this page refreshed automatically. */
export function resultPage(site: Site, order_id: string, shown: Shown, url: string, look: number): Promise<Response> {
  const { status, expected, link } = shown
  const { wording } = site
  const amount = status?.amount ?? expected?.amount ?? null
  const sum = amount === null ? undefined : money(wording, amount, status?.currency ?? expected?.currency ?? '')
  const about = { sum, details: details(wording, order_id, shown) }
  if (status?.status === 'success') {
    return page(site, { title: successTitle(wording, status), sign: 'ok', body: wording.thanks, ...about })
  }
  if (status?.status === 'failure') {
    const { title, text } = status.cancelled ? wording.cancelled : wording.failed
    if (status.cancelled) return page(site, { title, sign: 'note', body: text, ...about })
    if (link)
      return page(site, { title, sign: 'bad', body: text, action: { url: link, text: wording.tryAgain }, ...about })
    return page(site, { title, sign: 'bad', body: `${text} ${wording.failed.askShop}`, ...about })
  }
  const { title, refreshing, slow, advice } = wording.confirming
  const next = `${url}&look=${look + 1}`
  const refreshes = look < REFRESHES
  const seconds = look < QUICK_REFRESHES ? QUICK_SECONDS : SLOW_SECONDS
  return page(site, {
    title,
    sign: 'wait',
    body: html`<span role="status">${refreshes ? refreshing : slow} ${advice}</span>`,
    action: { url: next, text: wording.refreshNow },
    ...about,
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
  return page(site, { title, body: text })
}

function details(wording: Wording, order_id: string, { status, expected, description }: Shown): Html {
  const currency = status?.currency ?? expected?.currency ?? ''
  const { captured = 0, refunded = 0 } = status?.totals ?? {}
  const rows: [string, string][] = [[wording.order, baseOrderId(order_id)]]
  if (description) rows.push([wording.purchase, description])
  const date = status?.at && dateOf(wording, status.at)
  if (date) rows.push([wording.date, date])
  if (status?.card) rows.push([wording.card, `•••• ${status.card}`])
  if (captured > 0 && captured !== Math.round((status?.amount ?? 0) * 100)) {
    rows.push([wording.charged, money(wording, captured / 100, currency)])
  }
  if (refunded > 0) rows.push([wording.refundedAmount, money(wording, refunded / 100, currency)])
  const receipt = status?.receipt_url
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${receipt ? html`<p><a href="${receipt}">${wording.receipt}</a></p>` : ''}`
}

/** The time as the service writes it: it has no zone (the API document), so the service's receipt shows the same. */
function dateOf({ locale }: Wording, at: string): string | undefined {
  const time = Date.parse(`${at}Z`)
  if (Number.isNaN(time)) return undefined
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(time)
}
