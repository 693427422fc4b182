import { getCookie, setCookie } from 'hono/cookie'
import type { StatusCode } from 'hono/utils/http-status'
import { type CheckoutLink, REUSE_LENGTH } from '../../checkout-link/link.ts'
import { isMarkOf, markOf, nonceOf } from '../../checkout-link/seal.ts'
import { encodeBase64url } from '../../lib/base64url.ts'
import { freePlaces, hasEnded, orderOfVisit } from '../engine/reuse.ts'
import { allowsInsecureHttp, basePath, linkSecrets } from '../env.ts'
import { bodyText } from '../lib/json-body.ts'
import { randomId } from '../lib/links.ts'
import { isLoopback } from '../lib/loopback.ts'
import { closedLink, landingPage } from '../pages/checkout.ts'
import type { Site } from '../pages/layout.ts'
import type { C, Scope } from '../scope.ts'

// A reusable link: any number of customers may pay with it. Its page makes nothing; its button makes an order, which
// the browser's cookie leads back to while it is unpaid.

const COOKIE = 'edgetill_visitor'
const DAY_S = 86_400
const FORM = 'reusable link form'

/** The target of a link for a visitor: their order, or a page. */
export async function openReusableLink(
  c: C,
  scope: Scope,
  { link, path, site }: { link: CheckoutLink; path: string; site: Site },
): Promise<CheckoutLink | Response> {
  const { env, req } = c
  const nonce = nonceOf(path.slice(path.lastIndexOf('/') + 1))
  const [returning] = getCookie(c, COOKIE)?.match(/^[\w-]{22}$/) ?? []
  const visitor = returning ?? encodeBase64url(crypto.getRandomValues(new Uint8Array(16)), false)
  const isPress = req.raw.method === 'POST'
  const { after = '', key = '' } = Object.fromEntries(
    new URLSearchParams(isPress ? await bodyText(req.raw) : undefined),
  )
  const marked = (text: string) => `${nonce} ${visitor} ${text}`
  // A form of another site, or of another browser, makes nothing.
  const isOwn = returning !== undefined && (await isMarkOf(linkSecrets(env), FORM, marked(after), key))
  const press = isOwn && { after, order_id: `${link.order.order_id}-${randomId(REUSE_LENGTH)}` }
  const visit = { nonce, visitor, ...press }
  const first = await orderOfVisit(scope, visit)
  const isFreed = first.closed === 'full' && first.last === undefined && (await freePlaces(scope, nonce))
  const { closed, last } = isFreed ? await orderOfVisit(scope, visit) : first
  const isEnded = closed === 'revoked' || closed === 'expired'
  if (last && (isEnded || isOwn)) return { ...link, order: { ...link.order, order_id: last } }
  const isOver = last !== undefined && (await hasEnded(scope, last))
  if (closed && (!last || isOver)) return closedLink(site, closed)
  const before = isOver ? last : ''
  const isPlain = req.url.startsWith('http:') && (isLoopback(req.url) || allowsInsecureHttp(env))
  setCookie(c, COOKIE, visitor, {
    path: basePath(env) + path,
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: DAY_S,
    secure: !isPlain,
  })
  const page = await landingPage(site, link.order, path, {
    status: isPress ? 403 : 200,
    fields: { after: before, key: await markOf(env.LINK_SECRET, FORM, marked(before)) },
  })
  return c.newResponse(page.body, page as Response & { status: StatusCode })
}
