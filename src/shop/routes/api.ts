import type { Context } from 'hono'
import type { ShopEnv } from '../env.ts'
import type { Deps } from '../scope.ts'
import { EVENTS_QUERY, failingEvents, replayEvent } from './events.ts'
import { makeLink, revokeLink } from './links.ts'
import { balances, cancelOrder, erasePersonalData, moveMoney, resendOrder, settleAttempt } from './operations.ts'
import { getOrder, getOrderEvent, listOrders, ORDERS_QUERY, PAGE_QUERY, showStray, showStrays } from './orders.ts'

type Handler = (c: Context<{ Bindings: ShopEnv }>) => Promise<Response>

/** A route of `/api`, with the query parameters that it takes; any other one is rejected. */
interface ApiRoute {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  query: readonly string[]
  handle: Handler
}

/** Every route of `/api`. worker/README.md has a row for each. */
export function apiRoutes(deps: Deps): ApiRoute[] {
  const route = (call: `${ApiRoute['method']} ${string}`, handle: Handler, query: readonly string[] = []): ApiRoute => {
    const [method, path = ''] = call.split(' ') as [ApiRoute['method'], string]
    return { method, path, query, handle }
  }
  return [
    route('GET /api/orders', listOrders(deps), ORDERS_QUERY),
    route('GET /api/orders/:order_id', getOrder(deps)),
    route('GET /api/orders/:order_id/events/:event_id', getOrderEvent),
    route('POST /api/orders/:order_id/capture', moveMoney(deps, 'capture')),
    route('POST /api/orders/:order_id/refund', moveMoney(deps, 'refund')),
    route('POST /api/orders/:order_id/void', moveMoney(deps, 'void')),
    route('POST /api/orders/:order_id/attempts/:attempt_id/settle', settleAttempt(deps)),
    route('POST /api/orders/:order_id/cancel', cancelOrder(deps)),
    route('POST /api/orders/:order_id/resend', resendOrder(deps)),
    route('DELETE /api/orders/:order_id/personal-data', erasePersonalData(deps)),
    route('GET /api/events', failingEvents(deps), EVENTS_QUERY),
    route('POST /api/events/:id/replay', replayEvent(deps)),
    route('POST /api/links', makeLink(deps)),
    route('DELETE /api/links/:id', revokeLink(deps)),
    route('GET /api/balances', balances(deps)),
    route('GET /api/strays', showStrays, PAGE_QUERY),
    route('GET /api/strays/:id', showStray),
  ]
}
