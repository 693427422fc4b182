import { Hono } from 'hono/tiny'
import { raiseMisconfigured } from './engine/alerts.ts'
import { basePath, type ShopEnv } from './env.ts'
import { requireBindings } from './lib/configuration.ts'
import { drain } from './lib/json-body.ts'
import { describeError, logError, placeOf } from './lib/log.ts'
import { may } from './lib/people.ts'
import { describeService, type Problem, ProblemError, problemOf, problemResponse } from './lib/problem.ts'
import { isStorageError } from './lib/storage-error.ts'
import { hostOf, scopeOf, withoutIn } from './open-scope.ts'
import { closedLink, notOpened } from './pages/checkout.ts'
import { siteFor } from './pages/language.ts'
import { authenticate, health } from './routes/admin.ts'
import { API } from './routes/api.ts'
import { checkout } from './routes/checkout.ts'
import { result, resultPosted } from './routes/result.ts'
import { type Route, readInput } from './routes/route.ts'
import { shortLink } from './routes/short-link.ts'
import { webhooks } from './routes/webhooks.ts'
import type { C, Deps } from './scope.ts'

type Handler = (c: C) => Promise<Response> | Response

/**
 * The shop's routes. Each handles its failures and sets its headers: there is no middleware and no error handler that
 * could reach the routes beside them.
 */
export function createApp(deps: Deps): Hono<{ Bindings: ShopEnv }> {
  const tries = hostOf(deps).createTries(deps.now)
  const app = new Hono<{ Bindings: ShopEnv }>()
  // Each path is registered twice: a slash at its end changes nothing, with any router of the outer app.
  const on = (method: string, path: string, handle: Handler) =>
    app.on(method, [path, `${path}/`], guarded(deps, handle))
  on('POST', '/webhooks', webhooks(deps))
  on('ALL', '/webhooks', () => new Response('Method not allowed', { status: 405, headers: { allow: 'POST' } }))
  on('GET', '/checkout/:token', checkout(deps))
  on('POST', '/checkout/:token', checkout(deps))
  on('GET', '/p/:short', shortLink(deps))
  on('GET', '/return/:order_id', result(deps))
  on('POST', '/return/:order_id', resultPosted)
  on('GET', '/health', health(deps))
  for (const [call, row] of Object.entries<Route>({ ...API, ...deps.carryOver?.routes() })) {
    const [method = '', path = ''] = call.split(' ')
    on(method, path, async (c) => {
      const actor = await authenticate(deps, c, tries)
      if (actor instanceof Response) return actor
      const { by, role } = actor
      if (!may(role, row.may)) throw new ProblemError(403, 'forbidden', `This needs the right "${row.may}".`)
      requireBindings(c.env, row.needs, withoutIn(deps))
      const input = await readInput(c, row)
      const done = await row.run(c, { ...scopeOf(deps, c), by, role }, input)
      return done instanceof Response ? done : Response.json(done, { status: row.statuses?.[0] ?? 200 })
    })
  }
  return app
}

/** The response to an unknown path; `/` leads to the shop. Under `/api` only the bearer of the token gets a 404. */
export function createNotFound(deps: Deps): Handler {
  const tries = hostOf(deps).createTries(deps.now)
  return guarded(deps, async (c) => {
    const { env, req } = c
    const { SHOP_URL: shop = '' } = env
    // Never redirect `/` to itself: a shop at the worker's own origin has its own page there.
    if (pathIn(c) === '/' && URL.canParse(shop) && new URL(shop).href !== req.url) {
      return new Response(null, { status: 302, headers: { location: shop } })
    }
    if (!isApi(pathIn(c))) {
      return closedLink(siteFor(deps.pages, c), 'notFound')
    }
    const actor = await authenticate(deps, c, tries)
    if (actor instanceof Response) return actor
    return problemResponse({ status: 404, code: 'not_found', title: 'No such resource.' })
  })
}

/** The path below the shop's mount. */
function pathIn({ env, req }: C): string {
  const base = basePath(env)
  return `${req.path}/`.startsWith(`${base}/`) ? req.path.slice(base.length) || '/' : req.path
}

const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/')

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
}

/** Wraps a handler: turns its failures into responses, and sets the headers of every response. */
function guarded(deps: Deps, handle: Handler): Handler {
  return async (c) => {
    const response = await Promise.resolve()
      .then(() => deps.carryOver?.whileOpen(deps, c, handle) ?? handle(c))
      .catch((error: Error) => failure(deps, c, error))
    if (response.status >= 400) await drain(c.req.raw)
    const headers = new Headers(response.headers)
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value)
    return new Response(response.body, { status: response.status, headers })
  }
}

/** The response to a failure. It reveals only the names of wrong bindings and the SDK's texts. */
function failure(deps: Deps, c: C, error: Error): Response | Promise<Response> {
  const problem = problemFor(error)
  if (problem.code === 'config') {
    const misconfigured = (problem.misconfigured ?? [problem.detail ?? problem.title]) as string[]
    raiseMisconfigured(scopeOf(deps, c), misconfigured)
  } else if (problem.status >= 500) {
    logError('failure', {
      code: problem.code,
      order_id: c.req.param('order_id'),
      ...describeError(error),
      ...describeService(problem),
      ...(problem.code === 'internal' && { at: placeOf(error) }),
    })
  }
  const path = pathIn(c)
  if (isApi(path)) return problemResponse(problem)
  const isExplained = problem.code === 'config' || problem.code === 'state'
  const text = isExplained ? [problem.title, problem.detail].filter(Boolean).join(' ') : ''
  if (!/^\/(checkout|return)\//.test(path)) {
    return new Response(text || 'Internal error.', { status: problem.status })
  }
  const { search } = new URL(c.req.url)
  const site = siteFor(deps.pages, c)
  return notOpened(site, 'failed', path + search, problem.status, text)
}

function problemFor(error: Error): Problem {
  if (error instanceof ProblemError) return error.problem
  if (isStorageError(error)) {
    return { status: 503, code: 'state', title: 'The storage failed; try again.' }
  }
  return problemOf(error) ?? { status: 500, code: 'internal', title: 'Internal error.' }
}
