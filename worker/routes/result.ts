import type { Context } from 'hono'
import { contextOf, type Deps, type Context as WorkerContext, waitUntilOf } from '../context.ts'
import { clientConfig, type Env, linkSecrets } from '../env.ts'
import { eventOf } from '../flows/ask-service.ts'
import { actionsOf, type OrderPage } from '../flows/order-actions.ts'
import { packEvent } from '../flows/process-event.ts'
import { requireBindings } from '../lib/configuration.ts'
import { isResultLink, resultPath } from '../lib/links.ts'
import { describeError, report } from '../lib/log.ts'
import { wordingFor } from '../pages/language.ts'
import { neutralPage, resultPage } from '../pages/result.ts'
import { resendWebhook } from '../sdk.ts'

/** After so many automatic refreshes, about 15 seconds, the service is asked once. */
const POLL_AFTER_REFRESHES = 5

/** `GET /return/:order_id?t=…`: the customer's result, right even when the customer is faster than the webhook. */
export function result(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'result')
    const order_id = req.param('order_id') ?? ''
    const t = req.query('t') ?? ''
    const accepted = req.header('accept-language')
    if (!(await isResultLink(order_id, t, linkSecrets(env)))) {
      return neutralPage({ env, wording: wordingFor(undefined, accepted) })
    }
    const look = Number(/^\d{1,4}$/.exec(req.query('look') ?? '')?.[0] ?? 0)
    const context = contextOf(deps, env, waitUntilOf(c))
    const actions = actionsOf(context, order_id)
    let shown = await actions.page()
    if (look >= POLL_AFTER_REFRESHES && !isFinal(shown) && req.raw.method === 'GET') {
      if (await poll(context, order_id, shown)) shown = await actions.page()
    }
    const site = { env, wording: wordingFor(shown.lang, accepted) }
    return resultPage(site, order_id, shown, `${resultPath(order_id)}?t=${t}`, look)
  }
}

/** `POST /return/:order_id?t=…`: some payment pages send the customer back with a form. The result is a page to GET. */
export function resultPosted({ req }: Context<{ Bindings: Env }>): Response {
  const { search } = new URL(req.url)
  return new Response(null, { status: 303, headers: { location: resultPath(req.param('order_id') ?? '') + search } })
}

const isFinal = ({ status }: OrderPage): boolean => status?.status === 'success' || status?.status === 'failure'

/** @returns Whether something was learnt. A failure does not break the page: the webhook may still arrive. */
async function poll(context: WorkerContext, order_id: string, { method }: OrderPage): Promise<boolean> {
  const { env, fetch } = context
  const actions = actionsOf(context, order_id)
  try {
    if (!(await actions.mayPoll())) return false
    const operation = method ?? 'purchase'
    const [own] = eventOf(order_id, await resendWebhook(clientConfig(env, fetch), { order_id, operation }))
    const packed = own && packEvent(own, env)
    if (packed) await actions.receive({ packed, arrival: { forPage: true } })
    return packed !== undefined
  } catch (error) {
    report('result_not_polled', { order_id, ...describeError(error) })
    return false
  }
}
