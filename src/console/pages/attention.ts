import { html } from 'hono/html'
import type { Html } from '../../shop/pages/layout.ts'
import { type AttentionItem, attentionOf, form, notice, page, redirect } from '../layout.ts'
import { timeOf } from '../lib/time.ts'
import { isAllowed } from '../roles.ts'
import { at, call, orderPath, type SignedVisit, shownId } from '../visit.ts'

/** `/attention`: what needs a person, in groups, the oldest first. */
export async function showAttention(visit: SignedVisit): Promise<Response> {
  const { words } = visit
  const attention = await attentionOf(visit)
  if (!attention) return notice(visit, 503, words.failed)
  const { items, more } = attention
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  return page(visit, {
    title: words.attention.title,
    attention,
    body: html`${items.length === 0 ? html`<p>${words.attention.well}</p>` : ''}
${kinds.map(
  (kind) =>
    html`<h2>${words.attention.kinds[kind] ?? kind}</h2><ul class="rows">${items.filter((item) => item.kind === kind).map((item) => row(visit, item))}</ul>`,
)}${more ? html`<p class="quiet">${words.attention.more}</p>` : ''}`,
  })
}

function row(visit: SignedVisit, item: AttentionItem): Html {
  const { words, c, person } = visit
  const { kind, order_id, flag, event_id, text } = item
  const sentence = (typeof flag === 'string' ? words.flags[flag] : words.attention.says[kind]) ?? text
  const path = order_id === null ? undefined : orderPath(order_id)
  const mayAct = path !== undefined && isAllowed(person.role, 'settle')
  return html`<li><p>${order_id === null ? '' : html`<strong><bdi>${shownId(order_id)}</bdi></strong> · `}<span class="quiet">${timeOf(words, item.at, c.env.SHOP_TZ)}</span></p><p>${sentence}</p>
<div class="acts">${path ? html`<a class="go" href="${at(visit, path)}">${words.attention.open}</a>` : ''}
${mayAct && typeof event_id === 'string' ? form(visit, `${path}/replay`, html`<input type="hidden" name="event" value="${event_id}"><button>${words.acts.replay.button}</button>`) : ''}
${mayAct && kind === 'checkout_open' ? form(visit, `${path}/resend`, html`<button>${words.acts.resend.button}</button>`) : ''}
${mayAct ? form(visit, `${path}/done`, html`<input type="hidden" name="kind" value="${kind}">${typeof flag === 'string' ? html`<input type="hidden" name="flag" value="${flag}">` : ''}<button class="plain">${words.attention.done}</button>`) : ''}</div></li>`
}

/** `/orders/:order_id/done` */
export async function finish(
  visit: SignedVisit,
  [id = '']: string[],
  fields: Record<string, string>,
): Promise<Response> {
  if (!isAllowed(visit.person.role, 'settle')) return notice(visit, 403, visit.words.forbidden)
  const { kind = '', flag } = fields
  const reply = await call(visit, `POST /api${orderPath(id)}/attention/done`, { kind, ...(flag && { flag }) })
  // Whatever is not there any more was done by a colleague.
  if (reply.ok || reply.status === 404) return redirect(visit, '/attention')
  return notice(visit, reply.status, visit.words.failed)
}
