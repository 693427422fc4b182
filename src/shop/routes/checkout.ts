import { type CheckoutLink, readCheckoutLink } from '../../checkout-link/link.ts'
import { linkSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import { act } from '../order/actions.ts'
import { type Opening, openCheckout } from '../order/open-checkout.ts'
import { showPage } from '../order/order-page.ts'
import { closedLink, landingPage, notOpened } from '../pages/checkout.ts'
import { siteFor } from '../pages/language.ts'
import { type C, type Deps, type Scope, scopeOf } from '../scope.ts'
import { reuse } from './reuse.ts'

/** The user agents with which messengers and social networks look at a link. The browsers inside their apps are people's. */
const PREVIEWS =
  /^(whatsapp|viber)|facebookexternalhit|facebot|meta-external|(telegram|twitter|slack|discord|linkedin|pinterest|reddit|apple|google|bing)bot|skypeuripreview|microsoftpreview|slack-img|google-page|mastodon/i

/** Whether a page is loaded for a preview, or before a person asks for it. */
function isPreview(req: C['req']): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose'].map((name) => req.header(name))
  return PREVIEWS.test(String(req.header('user-agent'))) || /prefetch|preview/.test(purposes.join())
}

/** `/checkout/:token`: to the service's checkout, with one payment however often the link is opened. */
export function checkout(deps: Deps): (c: C) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    const { method } = req.raw
    requireBindings(env, 'checkout')
    const token = req.param('token') as string
    const link = await readCheckoutLink(token, linkSecrets(env))
    if (!link) {
      logInfo('link_not_opened')
      return closedLink(siteFor(deps.pages, c), 'invalid')
    }
    // A preview or a check for broken links must not create anything.
    if (method === 'HEAD') return new Response(null, { status: 200 })
    // Not the request's path: a link with a slash at its end is the same link, and is revoked as one.
    const path = `/checkout/${token}`
    const { customer_lang } = link.order
    const site = siteFor(deps.pages, c, customer_lang)
    const scope = scopeOf(deps, c)
    const found = link.reusable ? await reuse(c, scope, { link, path, site }) : link
    if (found instanceof Response) return found
    const { order } = found
    if (method !== 'POST' && !link.reusable && (isPreview(req) || (link.landing && (await mayLand(scope, link))))) {
      return landingPage(site, order, path)
    }
    const { order_id } = order
    const opening = await act(scope, order_id, openCheckout, { link: found, path }).catch((error) =>
      storageFailure(error, order_id),
    )
    if (opening.kind === 'changed') logInfo('link_changed', { order_id })
    if (opening.kind === 'redirect') return new Response(null, { status: 303, headers: { location: opening.url } })
    return opening.kind === 'failed' || opening.kind === 'wait'
      ? notOpened(site, opening.kind, path)
      : closedLink(site, opening.kind)
  }
}

/** A link that has expired, and one whose order was paid, lead on: to what became of it. */
async function mayLand(scope: Scope, { order, expiresAt }: CheckoutLink): Promise<boolean> {
  return scope.now() < expiresAt && (await act(scope, order.order_id, showPage)).status?.status !== 'success'
}

/** The order's gate itself failed: nothing in it could log this. */
function storageFailure(error: unknown, order_id: string): Opening {
  if (!(error instanceof StorageError)) throw error
  logError('checkout_not_opened', { order_id, ...describeError(error) })
  return { kind: 'failed' }
}
