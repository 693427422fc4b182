import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import { clientConfig, type Env, requireBindings } from '../env.ts'
import { receiveResent } from '../flows/process-event.ts'
import { isResultLink } from '../lib/result-link.ts'
import { neutralPage, resultPage } from '../pages/result.ts'
import { resendWebhook } from '../sdk.ts'
import { type KvStore, openKvStore } from '../store/kv.ts'
import { mayAsk } from '../store/poll-throttle.ts'
import { type OrderReading, readOrder } from '../store/read-order.ts'

/** After so many looks of the page itself, about 15 seconds, the service is asked once. */
const ASK_AFTER_LOOKS = 5

/** `GET /return/:order_id?t=…`: the customer's result, right even when the customer is faster than the webhook. */
export function result(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async ({ env, req }) => {
    requireBindings(env, 'result')
    const order_id = req.param('order_id') ?? ''
    const t = req.query('t')
    if (!(await isResultLink(order_id, t, env.LINK_SECRET))) return neutralPage()
    const state = openKvStore(env.STATE)
    const look = Number(/^\d{1,4}$/.exec(req.query('look') ?? '')?.[0] ?? 0)
    let reading = await readOrder(state, order_id)
    if (look >= ASK_AFTER_LOOKS && !isFinal(reading) && req.raw.method === 'GET') {
      if (await ask(deps, env, state, order_id, reading)) reading = await readOrder(state, order_id)
    }
    return resultPage(reading.order, `${req.path}?t=${t}`, look)
  }
}

/** `POST /return/:order_id?t=…`: some payment pages send the customer back with a form. The result is a page to GET. */
export function resultPosted({ req }: Context<{ Bindings: Env }>): Response {
  const { pathname, search } = new URL(req.url)
  return new Response(null, { status: 303, headers: { location: pathname + search } })
}

const isFinal = ({ order }: OrderReading): boolean => order.status === 'success' || order.status === 'failure'

/** @returns Whether something was learnt. A failure is no failure of the page: the webhook may still come. */
async function ask(
  deps: Deps,
  env: Env,
  state: KvStore,
  order_id: string,
  { order, checkout }: OrderReading,
): Promise<boolean> {
  try {
    if (!(await mayAsk(state, order_id, deps.now()))) return false
    const operation = checkout?.method ?? order.method ?? 'purchase'
    await receiveResent(deps, env, state, await resendWebhook(clientConfig(env, deps.fetch), { order_id, operation }))
    return true
  } catch (error) {
    console.error('A result page could not learn the state of its payment.', error)
    return false
  }
}
