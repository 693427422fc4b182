import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import { badge, type Tone } from '../../pages/status.ts'
import { type Attempt, type Delivery, hasFailed, isOpen, stateOf } from '../../webhooks/delivery-store.ts'

export const PAGE_SIZE = 50

export function orderAddress(orderId: string): string {
  return `/_emulator/orders?order_id=${encodeURIComponent(orderId)}`
}

export function webhookAddress({ id }: Pick<Delivery, 'id'>): string {
  return `/_emulator/webhooks/${encodeURIComponent(id)}`
}

export function nameOf({ event }: Pick<Delivery, 'event'>): string {
  return `${String(event.method)} ${String(event.status)}`
}

export function when(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 23)}</time>`
}

export function shortWhen(at: string): Html {
  return html`<time datetime="${at}">${at.slice(5, 10)} ${at.slice(11, 19)}</time>`
}

export function money(amount: number, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`
}

type CommandFormOptions = { inputs?: Html | ''; danger?: boolean; small?: boolean; describedBy?: string }

export function commandForm(
  command: string,
  hidden: Record<string, string>,
  label: string,
  { inputs = '', danger = false, small = false, describedBy = '' }: CommandFormOptions = {},
): Html {
  return html`<form method="post" action="/_emulator/api/${command}">${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${inputs}<button type="submit" class="${danger ? 'danger' : 'quiet'}${small ? ' small' : ''}"${
    describedBy === '' ? '' : html` aria-describedby="${describedBy}"`
  }>${label}</button></form>`
}

/** A command that cannot be undone: the button that does it appears when the question has been opened. */
export function confirmForm(command: string, hidden: Record<string, string>, label: string, question: string): Html {
  return html`<details class="confirm"><summary>${label} …</summary><p>${question}</p>${commandForm(
    command,
    hidden,
    label,
    { danger: true },
  )}</details>`
}

export function amountInput(id: string, label: string, value: number, max?: number): Html {
  const limit = max === undefined ? '' : html` max="${max.toFixed(2)}"`
  return html`<div><label for="${id}">${label}</label>
<input id="${id}" name="amount" type="number" min="0.01"
  step="0.01"${limit} value="${value.toFixed(2)}" required></div>`
}

export function pager(
  address: string,
  query: Record<string, string>,
  from: number,
  shown: number,
  total: number,
): Html {
  const link = (start: number, label: string): Html => {
    const search = new URLSearchParams({ ...query, ...(start > 0 && { from: String(start) }) })
    return html`<a href="${address}?${search.toString()}">${label}</a>`
  }
  return html`<p class="pager"><span class="number">${total === 0 ? 0 : from + 1}–${from + shown} of ${total}</span>
  ${from > 0 ? link(Math.max(0, from - PAGE_SIZE), 'Newer') : ''}
  ${from + shown < total ? link(from + PAGE_SIZE, 'Older') : ''}</p>`
}

export function searchForm(
  address: string,
  label: string,
  text: string,
  [name, only, on]: [string, string, boolean],
): Html {
  return html`<form class="actions" method="get" action="${address}" role="search">
  <div><label for="q">${label}</label><input class="wide-field" id="q" name="q" value="${text}"></div>
  <label><input type="checkbox" name="${name}"${on ? html` checked` : ''}> ${only}</label>
  <button type="submit" class="quiet">Search</button>
</form>`
}

export function pageOf<T>(found: readonly T[], address: string, query: URLSearchParams): [page: T[], links: Html | ''] {
  const from = startOf(query)
  const page = [...found].reverse().slice(from, from + PAGE_SIZE)
  const filters = Object.fromEntries([...query].filter(([name, value]) => name !== 'from' && value !== ''))
  return [page, found.length > PAGE_SIZE ? pager(address, filters, from, page.length, found.length) : '']
}

export function startOf(query: URLSearchParams): number {
  const from = Number(query.get('from') ?? 0)
  return Number.isSafeInteger(from) && from > 0 ? from : 0
}

export function toneOfAttempt(attempt: Attempt): Tone {
  return isOpen(attempt) ? 'wait' : hasFailed(attempt) ? 'bad' : 'ok'
}

export function attemptBadge(attempt: Attempt): Html {
  return badge(isOpen(attempt) ? 'under way' : String(attempt.status ?? 'failed'), toneOfAttempt(attempt))
}

const STATE_TONES = { 'no address': 'idle', waiting: 'wait', failed: 'bad', delivered: 'ok' } as const

export function deliveryState(delivery: Delivery): [text: string, tone: Tone] {
  const state = stateOf(delivery)
  return [state, STATE_TONES[state]]
}
