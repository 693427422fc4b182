import { html } from 'hono/html'
import type { RecordEntry } from '../../shop/order/record.ts'
import type { Html } from '../../shop/pages/layout.ts'
import { notice, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'

type Entry = RecordEntry & { order_id?: string; currency?: string }

/** `/record`: who did what in the whole shop, the newest first. */
export async function showRecord(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const cursor = c.req.query('cursor')
  const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
  const reply = await call<{ entries: Entry[]; cursor: string | null }>(visit, `GET /api/audit?limit=50${query}`)
  if (!reply.ok) return notice(visit, reply.status, reply.status === 400 ? words.notFound : words.failed)
  const { entries, cursor: next } = reply.body
  return page(visit, {
    title: words.record.title,
    body: html`${entries.length === 0 ? html`<p class="quiet">${words.record.none}</p>` : recordList(visit, entries, null)}
${next ? html`<p><a href="${at(visit, '/record')}?cursor=${encodeURIComponent(next)}">${words.record.older}</a></p>` : ''}`,
  })
}

/** Entries of a record. An amount without a known currency is left out. */
export function recordList(visit: SignedVisit, entries: readonly Entry[], currency: string | null): Html {
  const { words, c } = visit
  return html`<ul class="rows">${entries.map((entry) => {
    const { at: time, by, action, amount, text, order_id, result } = entry
    const known = entry.currency ?? currency
    const sum = amount === undefined ? '' : known === null ? (amount / 100).toFixed(2) : sumOf(words, amount, known)
    return html`<li><div class="row"><span><bdi>${by}</bdi>: ${words.record.actions[action] ?? action} ${order_id === undefined ? '' : html`<a href="${at(visit, orderPath(shownId(order_id)))}"><bdi>${shownId(order_id)}</bdi></a>`}</span><span>${sum}</span></div>
${text === undefined ? '' : html`<p><bdi>${text}</bdi></p>`}
<div class="quiet">${timeOf(words, time, c.env.SHOP_TZ)} · ${ending(words.record, result)}</div></li>`
  })}</ul>`
}

const ending = (words: SignedVisit['words']['record'], result: string | undefined): string => {
  if (result === 'done') return words.done
  return result === undefined || result === 'outcome_unknown' ? words.unknown : words.failed(result)
}
