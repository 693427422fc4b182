import { html } from 'hono/html'
import { dateFormat } from '../../lib/formats.ts'
import { baseOrderId } from '../../orders/attempt-id.ts'
import { type MoneyState, moneyState } from '../../orders/money-state.ts'
import { shopZone } from '../lib/day.ts'
import type { OrderPage, OrderStatus } from '../lib/shown-order.ts'
import { type Html, page, type Site } from './layout.ts'
import { money } from './money.ts'
import type { Wording } from './options.ts'

const QUICK_REFRESHES = 5
const QUICK_SECONDS = 3
const SLOW_SECONDS = 10
/** About five minutes: after that the customer decides when to refresh. */
const REFRESHES = 30

export type Shown = Omit<OrderPage, 'method' | 'lang'>

/** An order as the customer sees it. `look` counts how often this page refreshed automatically. */
export function resultPage(site: Site, order_id: string, shown: Shown, url: string, look: number): Promise<Response> {
  const { status, expected, link } = shown
  const { wording } = site
  const amount = status ? moneyState(status).sum : expected?.amount
  const sum = typeof amount === 'number' ? money(wording, amount, (status ?? expected)?.currency ?? '') : undefined
  const about = { sum, details: details(site, order_id, shown) }
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

/** The state of the money, also after the payment. */
function successTitle(wording: Wording, status: OrderStatus): string {
  const titles: Partial<Record<MoneyState, string>> = {
    reserved: wording.reserved,
    partly_charged: wording.partlyCaptured,
    released: wording.released,
    partly_refunded: wording.partlyRefunded,
    refunded: wording.refunded,
  }
  return titles[moneyState(status).state] ?? wording.paid
}

/** For a visitor who cannot show that the order is theirs: nothing is looked up. */
export function neutralPage(site: Site): Promise<Response> {
  const { title, text } = site.wording.neutral
  return page(site, { title, body: text })
}

function details(site: Site, order_id: string, { status, expected, description }: Shown): Html {
  const { wording } = site
  const currency = status?.currency ?? expected?.currency ?? ''
  const { captured_minor: captured = 0, refunded_minor: refunded = 0 } = status?.totals ?? {}
  const sum = status && moneyState(status).sum
  const rows: [string, string][] = [[wording.order, baseOrderId(order_id)]]
  if (description) rows.push([wording.purchase, description])
  const date = status?.at && dateOf(site, status.at)
  if (date) rows.push([wording.date, date])
  if (status?.card) rows.push([wording.card, `•••• ${status.card}`])
  if (captured > 0 && captured !== Math.round((sum ?? 0) * 100)) {
    rows.push([wording.charged, money(wording, captured / 100, currency)])
  }
  if (refunded > 0) rows.push([wording.refundedAmount, money(wording, refunded / 100, currency)])
  const receipt = status?.receipt_url
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${receipt ? html`<p><a href="${receipt}">${wording.receipt}</a></p>` : ''}`
}

/** The moment that the shop received it, in the shop's zone: as its own pages write it. */
const dateOf = ({ wording: { locale }, env }: Site, at: string): string =>
  dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: shopZone(env) }).format(Date.parse(at))
