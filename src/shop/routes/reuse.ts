import { getCookie, setCookie } from 'hono/cookie'
import type { StatusCode } from 'hono/utils/http-status'
import { type CheckoutLink, REUSE_LENGTH } from '../../checkout-link/link.ts'
import { isMarkOf, markOf, nonceOf } from '../../checkout-link/seal.ts'
import { encodeBase64url } from '../../lib/base64url.ts'
import { actShop } from '../books/actions.ts'
import { askAll, askPage, type Paged } from '../books/ask.ts'
import { someOfBook } from '../books/links.ts'
import { noteEnded, orderOfVisit, ordersOfLink, unendedOf } from '../books/reuse.ts'
import type { Position } from '../books/tables.ts'
import { allowsInsecureHttp, linkSecrets } from '../env.ts'
import { bodyText } from '../lib/json-body.ts'
import { randomId } from '../lib/links.ts'
import { isLoopback } from '../lib/loopback.ts'
import { act } from '../order/actions.ts'
import { cancelOrder } from '../order/open-checkout.ts'
import { showOrder } from '../order/order-page.ts'
import { closedLink, landingPage } from '../pages/checkout.ts'
import type { Site } from '../pages/layout.ts'
import type { C, Scope } from '../scope.ts'
import { placeOf } from './days.ts'
import { type ListedOrder, listedOrder } from './list-orders.ts'

// A link that anybody may pay with, again and again. Its page makes nothing; its button makes an order, which the browser's
// cookie leads back to while it is unpaid.

const COOKIE = 'edgetill_visitor'
const DAY_S = 86_400
const FORM = 'reusable link form'

/** The target of a link for a visitor: an order of theirs, or a page. */
export async function reuse(
  c: C,
  scope: Scope,
  { link, path, site }: { link: CheckoutLink; path: string; site: Site },
): Promise<CheckoutLink | Response> {
  const { env, req } = c
  const nonce = nonceOf(path.slice(path.lastIndexOf('/') + 1))
  const [known] = getCookie(c, COOKIE)?.match(/^[\w-]{22}$/) ?? []
  const visitor = known ?? encodeBase64url(crypto.getRandomValues(new Uint8Array(16)), false)
  const isPress = req.raw.method === 'POST'
  const { after = '', key = '' } = Object.fromEntries(
    new URLSearchParams(isPress ? await bodyText(req.raw) : undefined),
  )
  const marked = (text: string) => `${nonce} ${visitor} ${text}`
  // A form of another site, or of another browser, makes nothing.
  const isOwn = known !== undefined && (await isMarkOf(linkSecrets(env), FORM, marked(after), key))
  const press = isOwn && { after, order_id: `${link.order.order_id}-${randomId(REUSE_LENGTH)}` }
  const { closed, last } = await actShop(scope, 1, orderOfVisit, { nonce, visitor, ...press })
  const isEnded = closed === 'revoked' || closed === 'expired'
  if (last && (isEnded || isOwn)) return { ...link, order: { ...link.order, order_id: last } }
  const isOver = last !== undefined && (await hasEnded(scope, last))
  if (closed && (!last || isOver)) return closedLink(site, closed)
  const before = isOver ? last : ''
  const isPlain = req.url.startsWith('http:') && (isLoopback(req.url) || allowsInsecureHttp(env))
  setCookie(c, COOKIE, visitor, { path, httpOnly: true, sameSite: 'Lax', maxAge: DAY_S, secure: !isPlain })
  const page = await landingPage(site, link.order, path, {
    status: isPress ? 403 : 200,
    fields: { after: before, key: await markOf(env.LINK_SECRET, FORM, marked(before)) },
  })
  return c.newResponse(page.body, page as Response & { status: StatusCode })
}

/** Whether a visitor who presses the button again means another order. */
async function hasEnded(scope: Scope, order_id: string): Promise<boolean> {
  const order = await act(scope, order_id, showOrder)
  const isCancelled = order?.record.some(({ action, result }) => action === 'cancel' && result === 'done')
  return order?.status === 'success' || isCancelled === true
}

/** A page of the orders that were made by a link, and opened. */
export async function ordersOf(
  scope: Scope,
  nonce: string,
  query: { limit: number; after: Position | undefined },
): Promise<Paged<ListedOrder>> {
  const { page, next } = await askPage(scope, ordersOfLink, { nonce, ...query }, { place: placeOf })
  const ids = page.map(({ id }) => id)
  return { page: await listed(scope, ids), next }
}

/** Those of these orders that are listed, in this order. */
export async function listed(scope: Scope, ids: readonly string[]): Promise<ListedOrder[]> {
  const found = new Map((await askAll(scope, someOfBook, ids)).map((row) => [row.order_id, row]))
  return ids.flatMap((id) => {
    const row = found.get(id)
    return row ? listedOrder(row) : []
  })
}

/** Orders of a closed link that are looked at in one turn, its turns, and orders that it cancels. */
const [LOOKED_AT, TURNS, CANCELLED] = [500, 20, 20]

/** Cancels orders of a closed link, or '' of all, that are not paid. @returns Whether some may still be paid: the next call goes on. */
export async function endOrders(scope: Scope, nonce: string, turns: number = TURNS): Promise<boolean> {
  const ids = await actShop(scope, 1, unendedOf, nonce, LOOKED_AT)
  if (ids.length === 0) return false
  const orders = await askAll(scope, someOfBook, ids)
  const paid = new Set(orders.flatMap(({ order_id, summary }) => (summary.status === 'success' ? order_id : [])))
  const tried = ids.filter((id) => !paid.has(id)).slice(0, CANCELLED)
  const calls = await Promise.allSettled(tried.map((id) => act(scope, id, cancelOrder)))
  const ends = await Promise.all(
    // One that is rejected may have been paid since the list showed it.
    tried.map((id, i) => calls[i]?.status === 'fulfilled' || hasEnded(scope, id).catch(() => false)),
  )
  const ended = [...paid, ...tried.filter((_, i) => ends[i])]
  await actShop(scope, 1, noteEnded, { ended, tried })
  if (ids.length < LOOKED_AT) return ended.length < ids.length
  return tried.length > 0 || turns === 1 || endOrders(scope, nonce, turns - 1)
}
