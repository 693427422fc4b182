import type { Context } from 'hono'
import { readCheckoutLink } from '../../checkout-link/link.ts'
import { act } from '../actions.ts'
import { linkSecrets, type ShopEnv } from '../env.ts'
import { type Opening, openCheckout } from '../flows/open-checkout.ts'
import { requireBindings } from '../lib/configuration.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { closedLink, notOpened } from '../pages/checkout.ts'
import { siteFor } from '../pages/language.ts'
import { type Deps, scopeOf } from '../scope.ts'
import { StorageError } from '../store/kv.ts'

/** `GET /checkout/:token`: to the service's checkout, with one payment however often the link is opened. */
export function checkout(deps: Deps): (c: Context<{ Bindings: ShopEnv }>) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'checkout')
    const accepted = req.header('accept-language')
    const token = req.param('token') ?? ''
    const link = await readCheckoutLink(token, linkSecrets(env))
    if (!link) {
      logInfo('link_not_opened')
      return closedLink(siteFor(deps.pages, env, undefined, accepted), 'invalid')
    }
    // A preview or a check for broken links must not create anything.
    if (req.raw.method === 'HEAD') return new Response(null, { status: 200 })
    // Not the request's path: a link with a slash at its end is the same link, and is revoked as one.
    const path = `/checkout/${token}`
    const { order_id, customer_lang } = link.order
    const opening = await act(scopeOf(deps, c), order_id, openCheckout, { link, path }).catch((error) =>
      storageFailure(error, order_id),
    )
    if (opening.kind === 'changed') logInfo('link_changed', { order_id })
    if (opening.kind === 'redirect') return new Response(null, { status: 303, headers: { location: opening.url } })
    const site = siteFor(deps.pages, env, customer_lang, accepted)
    return opening.kind === 'failed' || opening.kind === 'wait'
      ? notOpened(site, opening.kind, path)
      : closedLink(site, opening.kind)
  }
}

/** The order's gate itself failed: nothing in it could log this. */
function storageFailure(error: unknown, order_id: string): Opening {
  if (!(error instanceof StorageError)) throw error
  logError('checkout_not_opened', { order_id, ...describeError(error) })
  return { kind: 'failed' }
}
