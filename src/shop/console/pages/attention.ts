import { html } from 'hono/html'
import type { AttentionItem } from '../../engine/attention.ts'
import type { Html } from '../../pages/layout.ts'
import { attentionOf, buttonTo, goTo, notice, page, redirect } from '../layout.ts'
import { wireSum } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { isAllowed } from '../roles.ts'
import { at, call, type Form, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import type { Words } from '../words/words.ts'
import { rejectedText } from './link-parts.ts'

/** `/attention`: every matter that needs a person, in groups, oldest first. */
export async function showAttention(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const attention = await attentionOf(visit)
  if (!attention) return notice(visit, 503, words.failed)
  const { items, more } = attention
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  const well = html`<div class="card"><p class="ok">✓ ${words.attention.well}</p>
<a class="main go" href="${at(visit, '/')}">${words.nav.today}</a></div>`
  return page(visit, {
    title: words.nav.attention,
    attention,
    body: html`${items.length === 0 && well}${kinds.map((kind) => {
      const ofKind = items.filter((item) => item.kind === kind)
      const name = wordFor(words.attention.kinds, kind)
      return html`<h2>${name}</h2>${ofKind.map((item) => card(visit, item, item === items[0]))}`
    })}${more && html`<p class="quiet">${words.attention.more}</p>`}`,
  })
}

/** Why a matter needs a person. */
export const sentenceOf = (words: Words, { kind, flag, text, fields }: AttentionItem): Html | string =>
  kind === 'checkout_rejected'
    ? rejectedText(words, fields as string[])
    : (words.flags[String(flag ?? kind)] ?? words.attention.says[kind] ?? text)

function card(visit: SignedVisit, item: AttentionItem, isFirst: boolean): Html {
  const { words, c } = visit
  const { kind, order_id, flag, event_id, amount, currency = null } = item
  const path = order_id === null ? undefined : orderPath(order_id)
  const mayAct = isAllowed(visit, 'settle')
  const act = (to: string, fields: Record<string, string>, label: string) =>
    mayAct && buttonTo(visit, `${path ?? '/attention'}/${to}`, label, fields)
  const number = String(order_id ?? item.number ?? '')
  const name = number && html`<strong><bdi>${shownId(number)}</bdi></strong> · `
  const sum = amount !== undefined && html`${wireSum(words, amount, currency)} · `
  const time = timeOf(words, item.at, c.env.SHOP_TZ)
  const which = { kind, ...(typeof flag === 'string' && { flag }), ...(!path && { id: String(item.id) }) }
  return html`<div class="card"><p>${name}${sum}<span class="quiet">${time}</span></p>
<p>${sentenceOf(words, item)}</p>
<div class="quiets">${path && goTo(visit, path, words.link.order, isFirst ? 'main' : 'plain')}
${typeof event_id === 'string' && act('replay', { event: event_id }, words.acts.replay.button)}
${kind === 'checkout_open' && act('resend', {}, words.acts.resend.button)}
${act('done', which, words.attention.done)}</div></div>`
}

/** `/orders/:order_id/done`, and `/attention/done` for a message without an order. */
export async function finish(visit: SignedVisit, id: string, fields: Form): Promise<Response> {
  const { kind = '', flag, id: stray = '' } = fields
  const body = { kind, ...(flag && { flag }) }
  const reply = await (id
    ? call(visit, 'POST /api/orders/:order_id/attention/done', { path: { order_id: id }, body })
    : call(visit, 'POST /api/strays/:id/done', { path: { id: stray } }))
  // A missing matter was done by a colleague.
  if (reply.ok || reply.status === 404) return redirect(visit, '/attention', 'done')
  return notice(visit, reply.status, visit.words.failed)
}
