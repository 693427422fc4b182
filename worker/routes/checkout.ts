import type { Context } from 'hono'
import { contextOf, type Deps, waitUntilOf } from '../context.ts'
import { type Env, linkSecrets } from '../env.ts'
import type { Opening } from '../flows/open-checkout.ts'
import { actionsOf } from '../flows/order-actions.ts'
import { requireBindings } from '../lib/configuration.ts'
import { describeError, note, report } from '../lib/log.ts'
import { beingOpened, closedLink, notOpened } from '../pages/checkout.ts'
import { wordingFor } from '../pages/language.ts'
import type { Site } from '../pages/layout.ts'
import { readCheckoutLink } from '../sdk.ts'
import { StorageError } from '../store/kv.ts'

/** KV shows a write everywhere within 60 seconds, mostly: after longer, an address that is not there was never written. */
const WAITS = 9

/** `GET /checkout/:token`: to the service's checkout, with one payment however often the link is opened. */
export function checkout(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'checkout')
    const accepted = req.header('accept-language')
    const token = req.param('token') ?? ''
    const link = await readCheckoutLink(token, linkSecrets(env))
    if (!link) {
      note('link_not_opened')
      return closedLink({ env, wording: wordingFor(undefined, accepted) }, 'invalid')
    }
    // A preview or a check for broken links must not create anything.
    if (req.raw.method === 'HEAD') return new Response(null, { status: 200 })
    const waited = Number(/^\d{1,2}$/.exec(req.query('waited') ?? '')?.[0] ?? 0)
    // Not the request's path: a link with a slash at its end is the same link, and is revoked as one.
    const path = `/checkout/${token}`
    const visit = { link, path, mayWait: waited < WAITS }
    const actions = actionsOf(contextOf(deps, env, waitUntilOf(c)), link.order.order_id)
    const opening = await actions.open(visit).catch((error) => storageFailure(error, link.order.order_id))
    if (opening.kind === 'changed') note('link_changed', { order_id: link.order.order_id })
    if (opening.kind === 'redirect') return new Response(null, { status: 303, headers: { location: opening.url } })
    return pageOf({ env, wording: wordingFor(link.order.customer_lang, accepted) }, opening.kind, path, waited)
  }
}

/** The order's gate itself failed: nothing in it could log this. */
function storageFailure(error: unknown, order_id: string): Opening {
  if (!(error instanceof StorageError)) throw error
  report('checkout_not_opened', { order_id, ...describeError(error) })
  return { kind: 'failed' }
}

function pageOf(
  site: Site,
  kind: Exclude<Opening['kind'], 'redirect'>,
  path: string,
  waited: number,
): Promise<Response> {
  if (kind === 'wait') return beingOpened(site, addressOf(path, Math.min(waited + 1, WAITS)))
  if (kind === 'failed') return notOpened(site, addressOf(path, waited))
  return closedLink(site, kind)
}

/** How long was waited travels in the address: nothing has to be remembered, and a failure on the way does not begin it anew. */
const addressOf = (path: string, waited: number): string => (waited === 0 ? path : `${path}?waited=${waited}`)
