import { type CheckoutLink, readCheckoutLink } from '../../checkout-link/link.ts'
import { openCheckout } from '../engine/open-checkout.ts'
import { showPage } from '../engine/show.ts'
import { linkSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { logInfo } from '../lib/log.ts'
import { scopeOf, withoutIn } from '../open-scope.ts'
import { closedLink, landingPage, notOpened } from '../pages/checkout.ts'
import { siteFor } from '../pages/language.ts'
import type { C, Deps, Scope } from '../scope.ts'
import { openReusableLink } from './reuse.ts'

/**
 * The user agents with which messengers and social networks look at a link. The browsers inside their apps do not
 * match: people use them.
 */
const PREVIEWS =
  /^(whatsapp|viber)|facebookexternalhit|facebot|meta-external|(telegram|twitter|slack|discord|linkedin|pinterest|reddit|apple|google|bing)bot|skypeuripreview|microsoftpreview|slack-img|google-page|mastodon/i

/** Whether a page is loaded for a preview, or ahead of a click. */
function isPreview(req: C['req']): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose'].map((name) => req.header(name))
  return PREVIEWS.test(String(req.header('user-agent'))) || /prefetch|preview/.test(purposes.join())
}

/** `/checkout/:token`: to the service's checkout, with one payment however often the link is opened. */
export function checkout(deps: Deps): (c: C) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    const { method } = req.raw
    requireBindings(env, 'checkout', withoutIn(deps))
    const token = req.param('token') as string
    const link = await readCheckoutLink(token, linkSecrets(env))
    if (!link) {
      logInfo('link_not_opened')
      return closedLink(siteFor(deps.pages, c), 'invalid')
    }
    // A preview or a check for broken links must not create anything.
    if (method === 'HEAD') return new Response(null, { status: 200 })
    // Not the request's path: with a slash at its end it is still the same link, also for its revocation.
    const path = `/checkout/${token}`
    const { customer_lang } = link.order
    const site = siteFor(deps.pages, c, customer_lang)
    const scope = scopeOf(deps, c)
    const found = link.reusable ? await openReusableLink(c, scope, { link, path, site }) : link
    if (found instanceof Response) return found
    const { order } = found
    if (
      method !== 'POST' &&
      !link.reusable &&
      (isPreview(req) || (link.landing && (await mayLand(scope, link, path))))
    ) {
      return landingPage(site, order, path)
    }
    const { order_id } = order
    const opening = await openCheckout(scope, { link: found, path })
    if (opening.kind === 'changed') logInfo('link_changed', { order_id })
    if (opening.kind === 'redirect') return new Response(null, { status: 303, headers: { location: opening.url } })
    return opening.kind === 'failed' || opening.kind === 'wait'
      ? notOpened(site, opening.kind, path)
      : closedLink(site, opening.kind)
  }
}

/** Whether the page of the purchase is shown first. An expired, closed or paid link leads to its result instead. */
async function mayLand(scope: Scope, { order, expiresAt }: CheckoutLink, path: string): Promise<boolean> {
  if (scope.now() >= expiresAt) return false
  const { status, isClosed } = await showPage(scope, order.order_id, path)
  return !isClosed && status?.status !== 'success'
}
