import { tokenOfShort } from '../engine/links.ts'
import { basePath, linkSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { isShort } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { scopeOf, withoutIn } from '../open-scope.ts'
import { closedLink, notOpened } from '../pages/checkout.ts'
import { siteFor } from '../pages/language.ts'
import type { C, Deps } from '../scope.ts'

/** `/p/:short`: leads to the link. A guess costs no call of an object. */
export function shortLink(deps: Deps): (c: C) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'checkout', withoutIn(deps))
    const site = siteFor(deps.pages, c)
    const short = req.param('short') as string
    const scope = scopeOf(deps, c)
    if (!(await isShort(short, linkSecrets(env)))) return closedLink(site, 'invalid')
    try {
      const token = await tokenOfShort(scope, short)
      if (token === undefined) return closedLink(site, 'invalid')
      return new Response(null, { status: 302, headers: { location: `${basePath(env)}/checkout/${token}` } })
    } catch (error) {
      logError('link_not_found', describeError(error))
      return notOpened(site, 'failed', `/p/${short}`)
    }
  }
}
