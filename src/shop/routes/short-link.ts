import { actShop } from '../books/actions.ts'
import { tokenOfShort } from '../books/links.ts'
import { linkSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { bookOfShort } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { closedLink, notOpened } from '../pages/checkout.ts'
import { siteFor } from '../pages/language.ts'
import { type C, type Deps, scopeOf } from '../scope.ts'

/** `/p/:short`: leads to the link. A guess costs no call of an object. */
export function shortLink(deps: Deps): (c: C) => Promise<Response> {
  // When the last link expires whose name has 12 characters, and no mark.
  let unmarkedUntil = Number.POSITIVE_INFINITY
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'checkout')
    const site = siteFor(deps.pages, c)
    const short = req.param('short') as string
    const scope = scopeOf(deps, c)
    const isUnmarked = /^[\w-]{12}$/.test(short) && scope.now() < unmarkedUntil
    const book = isUnmarked ? 1 : await bookOfShort(short, linkSecrets(env))
    if (book === undefined) return closedLink(site, 'invalid')
    try {
      const { token, until } = await actShop(scope, book, tokenOfShort, short)
      if (book === 1) unmarkedUntil = until
      if (token === null) return closedLink(site, 'invalid')
      return new Response(null, { status: 302, headers: { location: `/checkout/${token}` } })
    } catch (error) {
      logError('link_not_found', describeError(error))
      return notOpened(site, 'failed', `/p/${short}`)
    }
  }
}
