import { html } from 'hono/html'
import { moneyState } from '../../shop/lib/money-state.ts'
import type { Html } from '../../shop/pages/layout.ts'
import type { Link } from '../../shop/routes/results.ts'
import { form, notAsked, notice, page, redirect } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import type { Recipient } from '../lib/send.ts'
import { today } from '../lib/shop-day.ts'
import { shortTimeOf } from '../lib/time.ts'
import { box, facts, hidden } from '../parts.ts'
import { maySell } from '../roles.ts'
import { at, call, orderPath, type SignedVisit } from '../visit.ts'
import { againPath, goTo, isUsable, linkPath, linkPill, openLink, readLink, shareOf, untilOf } from './link-parts.ts'
import { showReusable } from './reusable-link.ts'

/** So often a page is loaded again without anybody's doing: about five minutes. */
const LOOKS = 20

/** `/links/:order_id`: the newest link of an order, to be sent; it goes from made to opened to paid. */
export async function link(visit: SignedVisit, order_id: string): Promise<Response> {
  const { words, c } = visit
  const text = words.link
  const found = await readLink(visit, order_id)
  if (!found) return found === null ? notice(visit, 503, words.failed) : notice(visit, 404, text.none)
  if (found.reusable) return showReusable(visit, found, found.reusable)
  const { amount_minor, currency, description, state, short_url, by } = found
  const isOpen = isUsable(found)
  const isGood = isOpen || state === 'paid'
  const [sealed, ended] = await Promise.all([openLink(visit, found), isGood ? undefined : endOf(visit, found)])
  const steps = isGood ? (['sent', 'opened', 'paid'] as const) : (['sent', state] as const)
  const { look: looks = '' } = c.req.query()
  const look = /^\d{1,3}$/.test(looks) ? Number(looks) : 0
  const refresh = `${at(visit, linkPath(order_id))}?look=${look + 1}`
  const to: Recipient = {
    phone: sealed?.order.customer_phone,
    email: sealed?.customerEmail ?? sealed?.order.customer_email,
  }
  const isEverOpened = state === 'opened' || state === 'paid' || (ended !== undefined && ended !== 'none')
  const share = short_url ? shareOf(visit, found, short_url, to) : html`<p>${text.erased}</p>`
  return page(visit, {
    title: text.title(sumOf(words, amount_minor, currency)),
    // Without script: the page is loaded again until the link is paid, or for some minutes.
    ...(isOpen && look < LOOKS && { headers: { refresh: `15;url=${refresh}` } }),
    body: html`<div class="cols sheet"><div class="card head">
<ol class="steps">${steps.map((step) => {
      const isNow = step === state
      const isPaid = step === 'paid' && sealed?.order.method === 'purchase'
      const name = step === 'sent' && !isNow ? text.made : isPaid ? words.states.paid : text.states[step]
      const shown = isNow ? linkPill(words, found, name) : name
      return html`<li${isNow ? html` aria-current="step"` : ''}>${shown}</li>`
    })}</ol>
<p class="sum">${sumOf(words, amount_minor, currency)}</p>
${description ? html`<p><bdi>${description}</bdi></p>` : ''}
${endedBox(visit, found, ended)}
${facts([
  [words.order.customer, found.customer_name],
  ...(isOpen ? [untilOf(visit, found)] : []),
  [text.by, by === 'api' ? words.record.api : by],
])}
<div class="quiets">${
      isEverOpened ? goTo(visit, orderPath(order_id), text.order, state === 'paid' ? 'main' : 'plain') : ''
    }${maySell(visit) ? goTo(visit, againPath(order_id), words.order.again, isGood ? 'plain' : 'main') : ''}${
      isOpen && maySell(visit)
        ? form(visit, `${linkPath(order_id)}/revoke`, html`<button class="plain danger">${text.close}</button>`)
        : ''
    }</div>
${isOpen && look >= LOOKS ? html`<p><a href="${at(visit, linkPath(order_id))}">${text.refresh}</a></p>` : ''}</div>
${isOpen ? html`<div class="side card">${share}</div>` : ''}
</div>`,
  })
}

type End = 'none' | 'cancelled' | 'paid' | 'pending' | 'unknown'

/** The end of the payment that was opened with a link which is closed or has expired. */
async function endOf(visit: SignedVisit, { order_id, revoked_at }: Link): Promise<End> {
  const reply = await call(visit, 'GET /api/orders/:order_id', { path: { order_id } })
  if (!reply.ok) return reply.status === 404 ? 'none' : 'unknown'
  const { state } = moneyState(reply.body)
  if (state === 'failed') return 'cancelled'
  if (state === 'pending') return 'pending'
  if (state !== 'waiting') return 'paid'
  // The service has confirmed it: its webhook may be late.
  const { record } = reply.body
  const isConfirmed = record.some(
    ({ action, result, at }) => action === 'cancel' && result === 'done' && at >= (revoked_at ?? ''),
  )
  return isConfirmed ? 'cancelled' : 'unknown'
}

function endedBox(visit: SignedVisit, { order_id }: Link, ended: End | undefined): Html | '' {
  const { words } = visit
  if (ended === undefined) return ''
  if (ended === 'none') return html`<p>${words.link.closed}</p>`
  const again =
    ended === 'unknown' && maySell(visit)
      ? form(visit, `${linkPath(order_id)}/cancel`, html`<button class="plain">${words.acts.cancel.go('')}</button>`)
      : ''
  return html`${box(ended === 'cancelled' ? 'plain' : 'wait', words.link.ended[ended])}${again}`
}

/** `/links/:order_id/close`: says what closing does. Nothing is done. */
export async function closeLink(visit: SignedVisit, order_id: string): Promise<Response> {
  const { words } = visit
  if (!maySell(visit)) return notice(visit, 403, words.forbidden)
  const found = await readLink(visit, order_id)
  if (!found) return found === null ? notice(visit, 503, words.failed) : notice(visit, 404, words.link.none)
  const says = found.reusable ? words.link.closeAll : words.link.closeSays
  const fields = { id: found.id, sure: 'yes', ...(found.reusable && { many: 'yes' }) }
  return page(visit, {
    title: words.link.closeTitle,
    body: html`<div class="card"><p class="sum">${sumOf(words, found.amount_minor, found.currency)}</p>
${found.description ? html`<p><bdi>${found.description}</bdi></p>` : ''}${box('wait', says)}
${form(
  visit,
  `${linkPath(order_id)}/revoke`,
  html`${hidden(fields)}<button class="main danger">${words.link.close}</button>`,
)}<p><a href="${at(visit, linkPath(order_id))}">${words.link.back}</a></p></div>`,
  })
}

/** Closes a link, then cancels the payment that was opened with it. The link's page says how that ended. */
export async function revokeLink(
  visit: SignedVisit,
  order_id: string,
  { id = '', sure, many }: Record<string, string>,
): Promise<Response> {
  const { words } = visit
  if (!maySell(visit)) return notice(visit, 403, words.forbidden)
  if (sure === undefined) return redirect(visit, `${linkPath(order_id)}/close`)
  const reply = await call(visit, 'DELETE /api/links/:id', { path: { id }, query: { cancel: 'true' } })
  if (!reply.ok) return notice(visit, reply.status, reply.status === 404 ? words.link.none : words.failed)
  return reply.body.opened && !many ? cancelOpened(visit, order_id) : redirect(visit, linkPath(order_id))
}

/** `/links/:order_id/cancel`: the payment that was opened with a closed link; its page reads how that ended. */
export async function cancelOpened(visit: SignedVisit, order_id: string): Promise<Response> {
  if (!maySell(visit)) return notice(visit, 403, visit.words.forbidden)
  await call(visit, 'POST /api/orders/:order_id/cancel', { path: { order_id } })
  return redirect(visit, linkPath(order_id))
}

/** `/links`: every link that was made here. */
export async function links(visit: SignedVisit): Promise<Response> {
  const { words, c } = visit
  const { state = '', cursor } = c.req.query()
  const known = Object.hasOwn(words.link.states, state) ? state : ''
  const query = { ...(known && { state: known }), ...(cursor && { cursor }) }
  const reply = await call(visit, 'GET /api/links', { query })
  if (!reply.ok) return notAsked(visit, reply)
  const { links: found, cursor: next } = reply.body
  const to = (more: Record<string, string>) => `${at(visit, '/links')}?${new URLSearchParams(more)}`
  const older = next && to({ ...(known && { state: known }), cursor: next })
  const none = known ? words.links.noneSuch : words.links.none
  const filters = [['', words.orders.filters.all], ...Object.entries(words.link.states)]
  return page(visit, {
    title: words.nav.links,
    body: html`${
      maySell(visit) ? html`<a class="main go" href="${at(visit, '/new-link')}">${words.newLink.title}</a>` : ''
    }<ul class="filters" aria-label="${words.day.go}">${filters.map(
      ([name = '', label = '']) =>
        html`<li><a href="${name ? to({ state: name }) : at(visit, '/links')}"${
          name === known ? html` aria-current="page"` : ''
        }>${label}</a></li>`,
    )}</ul>
${found.length > 0 ? rowsOf(visit, found) : html`<p class="card">${none}</p>`}
${older ? html`<p><a href="${older}">${words.orders.older}</a></p>` : ''}`,
  })
}

function rowsOf(visit: SignedVisit, found: readonly Link[]): Html {
  const { words, c } = visit
  return html`<ul class="rows card">${found.map(
    ({
      order_id,
      description,
      customer_name,
      amount_minor: sum,
      currency,
      created_at,
      state,
      by,
      reusable,
    }) => html`<li class="row">
<span><a href="${at(visit, linkPath(order_id))}"><bdi>${description ?? order_id}</bdi></a>
<span class="quiet">${linkPill(words, { state, reusable })}
${customer_name ? html`<bdi>${customer_name}</bdi> · ` : ''}
${shortTimeOf(words, created_at, c.env, today(visit))} ·
<bdi>${by === 'api' ? words.record.api : by}</bdi></span></span><span>${sumOf(words, sum, currency)}</span></li>`,
  )}</ul>`
}
