import { html } from 'hono/html'
import type { Html } from '../../shop/pages/layout.ts'
import type { AttentionItem } from '../../shop/routes/list-orders.ts'
import { attentionOf, form, notice, page, redirect } from '../layout.ts'
import { timeOf } from '../lib/time.ts'
import { hidden } from '../parts.ts'
import { isAllowed } from '../roles.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { wordFor } from '../words/language.ts'

/** `/attention`: what needs a person, in groups, the oldest first. */
export async function showAttention(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const attention = await attentionOf(visit)
  if (!attention) return notice(visit, 503, words.failed)
  const { items, more } = attention
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  return page(visit, {
    title: words.nav.attention,
    attention,
    body: html`${
      items.length === 0
        ? html`<div class="card"><p class="ok">✓ ${words.attention.well}</p>
<a class="main go" href="${at(visit, '/')}">${words.nav.today}</a></div>`
        : ''
    }
${kinds.map(
  (kind) =>
    html`<h2>${wordFor(words.attention.kinds, kind)}</h2>${items
      .filter((item) => item.kind === kind)
      .map((item) => card(visit, item, item === items[0]))}`,
)}${more ? html`<p class="quiet">${words.attention.more}</p>` : ''}`,
  })
}

function card(visit: SignedVisit, item: AttentionItem, isFirst: boolean): Html {
  const { words, c } = visit
  const { kind, order_id, flag, event_id, text } = item
  const sentence = words.flags[String(flag ?? kind)] ?? words.attention.says[kind] ?? text
  const path = order_id === null ? undefined : orderPath(order_id)
  const mayAct = path !== undefined && isAllowed(visit, 'settle')
  const act = (to: string, fields: Record<string, string>, label: string) =>
    form(visit, `${path}/${to}`, html`${hidden(fields)}<button class="plain">${label}</button>`)
  const name = order_id === null ? '' : html`<strong><bdi>${shownId(order_id)}</bdi></strong> · `
  return html`<div class="card"><p>${name}<span class="quiet">${timeOf(words, item.at, c.env.SHOP_TZ)}</span></p>
<p>${sentence}</p>
<div class="quiets">${
    path ? html`<a class="${isFirst ? 'main' : 'plain'} go" href="${at(visit, path)}">${words.link.order}</a>` : ''
  }${mayAct && typeof event_id === 'string' ? act('replay', { event: event_id }, words.acts.replay.button) : ''}${
    mayAct && kind === 'checkout_open' ? act('resend', {}, words.acts.resend.button) : ''
  }${mayAct ? act('done', { kind, ...(typeof flag === 'string' && { flag }) }, words.attention.done) : ''}</div></div>`
}

/** `/orders/:order_id/done` */
export async function finish(visit: SignedVisit, id: string, fields: Record<string, string>): Promise<Response> {
  if (!isAllowed(visit, 'settle')) return notice(visit, 403, visit.words.forbidden)
  const { kind = '', flag } = fields
  const body = { kind, ...(flag && { flag }) }
  const reply = await call(visit, 'POST /api/orders/:order_id/attention/done', { path: { order_id: id }, body })
  // Whatever is not there any more was done by a colleague.
  if (reply.ok || reply.status === 404) return redirect(visit, '/attention', 'done')
  return notice(visit, reply.status, visit.words.failed)
}
