import { Hono } from 'hono/tiny'
import type { Deps } from './deps.ts'
import { type Env, MisconfiguredError } from './env.ts'
import { ProblemError, problemOf, problemResponse } from './lib/problem.ts'
import { authorized } from './routes/authorized.ts'
import { checkout } from './routes/checkout.ts'
import { health } from './routes/health.ts'
import { balances, cancelOrder, captureOrder, resendOrder } from './routes/operations.ts'
import { getOrder, getOrderEvent, listOrders, showDeadLetter, showDeadLetters } from './routes/orders.ts'
import { result, resultPosted } from './routes/result.ts'
import { webhooks } from './routes/webhooks.ts'
import { StorageError } from './store/kv.ts'

/**
 * The worker as a Hono app.
 *
 * @param options What tests replace: the way to the service, the clock, the merchant's code.
 * @example
 * import { createApp } from './app.ts'
 * const app = createApp({ now: () => Date.parse('2026-01-01T10:00:00Z') })
 * const response = await app.request('/health')
 */
export function createApp(options: Partial<Deps> = {}): Hono<{ Bindings: Env }> {
  const deps: Deps = { ...options, now: options.now ?? Date.now }
  const app = new Hono<{ Bindings: Env }>()
  app.use(async (c, next) => {
    await next()
    c.res.headers.set('cache-control', 'no-store')
    c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set('x-content-type-options', 'nosniff')
  })
  app.post('/webhooks', webhooks(deps))
  app.all('/webhooks', () => new Response('Method not allowed', { status: 405, headers: { allow: 'POST' } }))
  app.get('/checkout/:token', checkout(deps))
  app.get('/return/:order_id', result(deps))
  app.post('/return/:order_id', resultPosted)
  app.get('/health', health)
  app.use('/api/*', authorized)
  app.get('/api/orders', listOrders)
  app.get('/api/orders/:order_id', getOrder)
  app.get('/api/orders/:order_id/events/:event_id', getOrderEvent)
  app.post('/api/orders/:order_id/capture', captureOrder(deps))
  app.post('/api/orders/:order_id/cancel', cancelOrder(deps))
  app.post('/api/orders/:order_id/resend', resendOrder(deps))
  app.get('/api/balances', balances(deps))
  app.get('/api/strays', showDeadLetters)
  app.get('/api/strays/:id', showDeadLetter)
  app.notFound(({ req }) =>
    isApi(req.path)
      ? problemResponse({ status: 404, code: 'not_found', title: 'No such resource.' })
      : new Response('Not found', { status: 404 }),
  )
  app.onError((error, { req }) => failure(error, isApi(req.path)))
  return app
}

const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/')

/** What every route's failure becomes. Nothing but the names of missing bindings and the SDK's own texts gets out. */
function failure(error: Error, api: boolean): Response {
  const problem =
    error instanceof ProblemError
      ? error.problem
      : error instanceof MisconfiguredError
        ? { status: 500, code: 'config', title: error.message, missing: error.bindings }
        : error instanceof StorageError
          ? { status: 503, code: 'state', title: 'The worker’s storage failed; try again.' }
          : problemOf(error)
  if (!problem) console.error(error)
  if (api) return problemResponse(problem ?? { status: 500, code: 'internal', title: 'Internal error.' })
  const told = problem?.code === 'config' || problem?.code === 'state'
  const text = told ? [problem.title, problem.detail].filter(Boolean).join(' ') : 'Internal error.'
  return new Response(text, { status: problem?.status ?? 500 })
}
