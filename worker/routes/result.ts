import type { Context } from 'hono'
import { contextOf, type Deps } from '../context.ts'
import { clientConfig, type Env, linkSecrets } from '../env.ts'
import { actionsOf, type OrderPage } from '../flows/order-actions.ts'
import { packEvent } from '../flows/process-event.ts'
import { requireBindings } from '../lib/configuration.ts'
import { isResultLink, resultPath } from '../lib/links.ts'
import { describeError, report } from '../lib/log.ts'
import { neutralPage, resultPage } from '../pages/result.ts'
import { resendWebhook } from '../sdk.ts'

/** After so many automatic refreshes, about 15 seconds, the service is asked once. */
const POLL_AFTER_REFRESHES = 5

/** `GET /return/:order_id?t=…`: the customer's result, right even when the customer is faster than the webhook. */
export function result(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async ({ env, req }) => {
    requireBindings(env, 'result')
    const order_id = req.param('order_id') ?? ''
    const t = req.query('t')
    if (!(await isResultLink(order_id, t, linkSecrets(env)))) return neutralPage()
    const look = Number(/^\d{1,4}$/.exec(req.query('look') ?? '')?.[0] ?? 0)
    const actions = actionsOf(contextOf(deps, env), order_id)
    let shown = await actions.page()
    if (look >= POLL_AFTER_REFRESHES && !isFinal(shown) && req.raw.method === 'GET') {
      if (await poll(deps, env, order_id, shown)) shown = await actions.page()
    }
    return resultPage(order_id, shown, `${resultPath(order_id)}?t=${t}`, look)
  }
}

/** `POST /return/:order_id?t=…`: some payment pages send the customer back with a form. The result is a page to GET. */
export function resultPosted({ req }: Context<{ Bindings: Env }>): Response {
  const { search } = new URL(req.url)
  return new Response(null, { status: 303, headers: { location: resultPath(req.param('order_id') ?? '') + search } })
}

const isFinal = ({ status }: OrderPage): boolean => status?.status === 'success' || status?.status === 'failure'

/** @returns Whether something was learnt. A failure does not break the page: the webhook may still arrive. */
async function poll(deps: Deps, env: Env, order_id: string, { method }: OrderPage): Promise<boolean> {
  const actions = actionsOf(contextOf(deps, env), order_id)
  try {
    if (!(await actions.mayPoll())) return false
    const operation = method ?? 'purchase'
    const packed = packEvent(await resendWebhook(clientConfig(env, deps.fetch), { order_id, operation }), env)
    if (packed) await actions.receive({ packed, arrival: {} })
    return packed !== undefined
  } catch (error) {
    report('result_not_polled', { order_id, ...describeError(error) })
    return false
  }
}
