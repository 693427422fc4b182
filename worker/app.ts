import type { HonoRequest } from 'hono'
import { Hono } from 'hono/tiny'
import { type Context, contextOf, type Deps, waitUntilOf } from './context.ts'
import type { Env } from './env.ts'
import { raiseAlert } from './flows/raise-alert.ts'
import { MisconfiguredError } from './lib/configuration.ts'
import { drain } from './lib/drain.ts'
import { describeError, placeOf, report } from './lib/log.ts'
import { describeService, type Problem, ProblemError, problemOf, problemResponse } from './lib/problem.ts'
import { queryOf } from './lib/query.ts'
import { authorized, health } from './routes/admin.ts'
import { apiRoutes } from './routes/api.ts'
import { checkout } from './routes/checkout.ts'
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
    if (c.res.status >= 400) await drain(c.req.raw)
    c.res.headers.set('cache-control', 'no-store')
    c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set('strict-transport-security', 'max-age=31536000')
    c.res.headers.set('x-content-type-options', 'nosniff')
  })
  app.post('/webhooks', webhooks(deps))
  app.all('/webhooks', () => new Response('Method not allowed', { status: 405, headers: { allow: 'POST' } }))
  app.get('/checkout/:token', checkout(deps))
  app.get('/return/:order_id', result(deps))
  app.post('/return/:order_id', resultPosted)
  app.get('/health', health(deps))
  app.use('/api/*', authorized)
  for (const { method, path, query, handle } of apiRoutes(deps)) {
    app.on(method, path, (c) => {
      queryOf(c, query)
      return handle(c)
    })
  }
  app.notFound(({ req }) =>
    isApi(req.path)
      ? problemResponse({ status: 404, code: 'not_found', title: 'No such resource.' })
      : new Response('Not found', { status: 404 }),
  )
  app.onError((error, c) => failure(contextOf(deps, c.env, waitUntilOf(c)), error, c.req))
  return app
}

const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/')

/** What every route's failure becomes. Nothing but the names of wrong bindings and the SDK's texts gets out. */
function failure(context: Context, error: Error, req: HonoRequest): Response {
  const problem = problemFor(error)
  if (problem.code === 'config') {
    const misconfigured = (problem.misconfigured ?? [problem.detail ?? problem.title]) as string[]
    raiseAlert(context, { kind: 'configuration', order_id: null, misconfigured })
  } else if (problem.status >= 500) {
    report('failure', {
      code: problem.code,
      order_id: req.param('order_id'),
      ...describeError(error),
      ...describeService(problem),
      ...(problem.code === 'internal' && { at: placeOf(error) }),
    })
  }
  if (isApi(req.path)) return problemResponse(problem)
  const isExplained = problem.code === 'config' || problem.code === 'state'
  const text = isExplained ? [problem.title, problem.detail].filter(Boolean).join(' ') : 'Internal error.'
  return new Response(text, { status: problem.status })
}

function problemFor(error: Error): Problem {
  if (error instanceof ProblemError) return error.problem
  if (error instanceof MisconfiguredError) {
    const { message: title, problems } = error
    const misconfigured = problems.map(({ binding, problem }) => `${binding}: ${problem}`)
    return { status: 500, code: 'config', title, missing: problems.map(({ binding }) => binding), misconfigured }
  }
  if (error instanceof StorageError) {
    return { status: 503, code: 'state', title: 'The worker’s storage failed; try again.' }
  }
  return problemOf(error) ?? { status: 500, code: 'internal', title: 'Internal error.' }
}
