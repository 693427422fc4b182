import { html } from 'hono/html'
import type { RecordEntry } from '../../engine/record.ts'
import type { Html } from '../../pages/layout.ts'
import { notAsked, older, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { at, call, orderPath, outcomeByCode, type SignedVisit, shownId } from '../visit.ts'
import { actorOf, wordFor } from '../words/language.ts'
import type { Words } from '../words/words.ts'

type Entry = RecordEntry & { order_id?: string; currency?: string }

/** `/record`: the acts of the whole shop, newest first. */
export async function showRecord(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const cursor = c.req.query('cursor')
  const query = { limit: 50, ...(cursor !== undefined && { cursor }) }
  const reply = await call(visit, 'GET /api/audit', { query })
  if (!reply.ok) return notAsked(visit, reply)
  const { entries, cursor: next } = reply.body
  return page(visit, {
    title: words.nav.record,
    body: html`<div class="card">${recordList(visit, entries, null)}</div>${older(visit, '/record', next)}`,
  })
}

/** Entries of a record: each has the act's end, as far as known now. */
export function recordList(visit: SignedVisit, entries: readonly Entry[], currency: string | null): Html {
  const { words, c } = visit
  if (entries.length === 0) return html`<p class="quiet">${words.record.none}</p>`
  return html`<ul class="rows">${entries.map((entry) => {
    const { at: time, by, action, amount_minor, text, order_id, result } = entry
    const sum = amount_minor === undefined ? '' : sumOf(words, amount_minor, entry.currency ?? currency)
    const id = shownId(order_id ?? '')
    const order = id && html`<a href="${at(visit, orderPath(id))}"><bdi>${id}</bdi></a>`
    const act = wordFor(words.record.actions, action)
    return html`<li><div class="row"><span><bdi>${actorOf(words, by)}</bdi>: ${act} ${order}</span>
<span>${sum}</span></div>${text !== undefined && html`<p><bdi>${textOf(words, action, text)}</bdi></p>`}
<div class="quiet">${timeOf(words, time, c.env.SHOP_TZ)} · ${ending(words, result)}</div></li>`
  })}</ul>`
}

/** The codes that an entry may have in place of words that a person wrote. */
function textOf(words: Words, action: string, text: string): string {
  if (action === 'settle') return text === 'true' ? words.order.executed : words.order.notExecuted
  return action === 'attention_done' ? wordFor({ ...words.attention.kinds, ...words.flags }, text) : text
}

function ending({ record, problems }: Words, result = 'outcome_unknown'): string {
  const outcome = outcomeByCode(result)
  return record.results[result] ?? (outcome ? problems[outcome].title : record.failed(result))
}
