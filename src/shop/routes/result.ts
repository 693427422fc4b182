import { showPage } from '../engine/show.ts'
import { basePath, linkSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { DAY_MS } from '../lib/day.ts'
import { isResultLink, resultPath } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import type { OrderPage } from '../lib/shown-order.ts'
import { scopeOf, withoutIn } from '../open-scope.ts'
import { siteFor } from '../pages/language.ts'
import { neutralPage, resultPage } from '../pages/result.ts'
import type { C, Deps, Scope } from '../scope.ts'
import { isFirst } from '../tables.ts'
import { resend } from './operations.ts'

/** After this many automatic refreshes, about 15 seconds, the service is asked once. */
const POLL_AFTER_REFRESHES = 5

/** `GET /return/:order_id?t=…`: the customer's result, right even when the customer is faster than the webhook. */
export function result(deps: Deps): (c: C) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'checkout', withoutIn(deps))
    const order_id = req.param('order_id') as string
    const { t = '', look: looks = '' } = req.query()
    if (!(await isResultLink(order_id, t, linkSecrets(env)))) {
      return neutralPage(siteFor(deps.pages, c))
    }
    const look = /^\d{1,4}$/.test(looks) ? Number(looks) : 0
    const scope = scopeOf(deps, c)
    let shown = await showPage(scope, order_id)
    if (look >= POLL_AFTER_REFRESHES && !isFinal(shown) && req.raw.method === 'GET') {
      // A failure does not break the page: the webhook may still arrive.
      const isStored = await poll(scope, order_id, shown).catch((error) =>
        logError('result_not_polled', { order_id, ...describeError(error) }),
      )
      if (isStored) shown = await showPage(scope, order_id)
    }
    const site = siteFor(deps.pages, c, shown.lang)
    return resultPage(site, order_id, shown, `${resultPath(order_id)}?t=${t}`, look)
  }
}

/** `POST /return/:order_id?t=…`: some payment pages send the customer back with a form. The result is a page to GET. */
export function resultPosted({ env, req }: C): Response {
  const { search } = new URL(req.url)
  return new Response(null, {
    status: 303,
    headers: { location: basePath(env) + resultPath(req.param('order_id') as string) + search },
  })
}

const isFinal = ({ status }: OrderPage): boolean => status?.status === 'success' || status?.status === 'failure'

/** @returns Whether the service showed an event. */
async function poll(scope: Scope, order_id: string, { method }: OrderPage): Promise<boolean> {
  // Once a day, however often the page is loaded.
  const mayAsk = await isFirst(scope, `poll ${order_id}`, DAY_MS)
  return mayAsk && (await resend(scope, { order_id, operation: method ?? 'purchase' })).isStored
}
