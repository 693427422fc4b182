import { html } from 'hono/html'
import { type CheckoutLink, readCheckoutLink } from '../../../checkout-link/link.ts'
import { linkSecrets } from '../../env.ts'
import { dayOf } from '../../lib/day.ts'
import type { Html } from '../../pages/layout.ts'
import type { Link } from '../../routes/calls.ts'
import { goTo, notice } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { qrOf, type Recipient, waysToSend } from '../lib/send.ts'
import { startOf } from '../lib/shop-day.ts'
import { timeOf } from '../lib/time.ts'
import { pill, type Tone } from '../parts.ts'
import { maySell } from '../roles.ts'
import { call, type SignedVisit } from '../visit.ts'
import { actorOf } from '../words/language.ts'
import type { Words } from '../words/words.ts'

// The parts that the pages of links share.

export const linkPath = (order_id: string): string => `/links/${encodeURIComponent(order_id)}`

/** The newest link of an order; null while the shop's storage does not respond. */
export async function readLink(visit: SignedVisit, order_id: string): Promise<Link | undefined | null> {
  const reply = await call(visit, 'GET /api/links', { query: { limit: 1, order_id } })
  return reply.ok ? reply.body.links[0] : null
}

/** The newest link of an order; or the page with the reason why it cannot be shown. */
export async function linkOf(visit: SignedVisit, order_id: string): Promise<Link | Response> {
  const { failed, link } = visit.words
  const found = await readLink(visit, order_id)
  return found ?? (found === null ? notice(visit, 503, failed) : notice(visit, 404, link.none))
}

/** The order of a link: its address carries it, sealed. */
export async function openLink({ c }: SignedVisit, { url }: Link): Promise<CheckoutLink | undefined> {
  if (url === null) return undefined
  return await readCheckoutLink(url.slice(url.lastIndexOf('/') + 1), linkSecrets(c.env))
}

const TONES: Partial<Record<Link['state'], Tone>> = { sent: 'wait', opened: 'wait', paid: 'ok' }

/** Whether a link leads to a payment. */
export const isUsable = ({ state }: Pick<Link, 'state'>): boolean => /^(sent|opened|rejected)$/.test(state)

/** Why a link cannot be paid, with the fields that the service rejects, as far as it names them. */
export const rejectedText = ({ attention }: Words, fields: readonly string[]): Html =>
  html`${attention.says.checkout_rejected}${fields.length > 0 && html` <code>${fields.join(', ')}</code>`}`

/** The name of a link's state; for a reusable link, whether it makes orders. */
export function linkPill(
  { link }: Words,
  { state, reusable }: Pick<Link, 'state' | 'reusable'>,
  name: string = link.states[state],
): Html {
  if (!reusable || !isUsable({ state }) || state === 'rejected') return pill(TONES[state] ?? 'bad', name)
  const { taken, max_orders } = reusable
  return max_orders !== null && taken >= max_orders ? pill('bad', link.full) : pill('ok', link.anybody)
}

/** The way to the form of a new link, for those who may sell. */
export const goSell = (visit: SignedVisit): Html | false =>
  maySell(visit) && goTo(visit, '/new-link', visit.words.newLink.title)

/** The way to the form of a new link like an earlier one. */
export const goAgain = (visit: SignedVisit, order_id: string, kind: string): Html | false =>
  maySell(visit) && goTo(visit, `/new-link?${new URLSearchParams({ again: order_id })}`, visit.words.order.again, kind)

/** The amount and the purpose of a link. */
export const linkHead = ({ words }: SignedVisit, { amount_minor, currency, description }: Link): Html =>
  html`<p class="sum">${sumOf(words, amount_minor, currency)}</p>
${description && html`<p><bdi>${description}</bdi></p>`}`

/** The facts of every link: until when it can be used, and its author. */
export const linkFacts = (visit: SignedVisit, link: Link): [name: string, value: string][] => [
  ...(isUsable(link) ? [untilOf(visit, link)] : []),
  [visit.words.link.by, actorOf(visit.words, link.by)],
]

/** The last day of a link that ends with a day, else the moment of its end. @internal For a test. */
export function untilOf({ words, c: { env } }: SignedVisit, { expires_at }: Link): [name: string, value: string] {
  const end = Date.parse(expires_at)
  const day = dayOf(end, env)
  if (startOf(env, day) !== end) return [words.link.untilTime, timeOf(words, expires_at, env.SHOP_TZ)]
  return [words.link.until, timeOf(words, new Date(startOf(env, day, -1)).toISOString(), env.SHOP_TZ, 'day')]
}

export function shareOf({ words }: SignedVisit, found: Link, url: string, to: Recipient): Html {
  const text = words.link
  const says = text.text(String(found.description), sumOf(words, found.amount_minor, found.currency))
  const [first, ...others] = waysToSend(words, { url, says, to })
  const go = ({ name, to: href }: { name: string; to: string }, kind: string) =>
    html`<a class="${kind} go" href="${href}" rel="noreferrer">${name}</a>`
  return html`<h2>${text.share}</h2>${first && go(first, 'main')}
<div class="quiets">${others.map((way) => go(way, 'plain'))}</div>
<p class="box address"><a href="${url}"><bdi>${url}</bdi></a></p>${qrOf(url, text.qr)}`
}
