import type { Context, MiddlewareHandler } from 'hono'
import { contextOf, type Deps, waitUntilOf } from '../context.ts'
import { adminTokens, type Env, isLive } from '../env.ts'
import { raiseAlert } from '../flows/raise-alert.ts'
import { type ConfigurationProblem, configurationProblems, requireBindings } from '../lib/configuration.ts'
import { equalSecret } from '../lib/crypto.ts'
import { isLoopback } from '../lib/loopback.ts'
import { problemResponse } from '../lib/problem.ts'

/** Rejects a request to `/api` without `Authorization: Bearer <ADMIN_TOKEN>`. */
export const authorized: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  // Before anything else: an absent token must never be something that a request can match.
  requireBindings(c.env, 'api')
  if (await hasToken(c)) return next()
  return problemResponse(
    {
      status: 401,
      code: 'unauthorized',
      title: 'A bearer token is needed.',
      detail: 'Send Authorization: Bearer <ADMIN_TOKEN>.',
    },
    { 'www-authenticate': 'Bearer realm="edgetill"' },
  )
}

async function hasToken({ env, req }: Context<{ Bindings: Env }>): Promise<boolean> {
  const [, token] = /^Bearer +(\S+)$/i.exec(req.header('authorization') ?? '') ?? []
  if (token === undefined) return false
  for (const expected of adminTokens(env)) if (await equalSecret(token, expected)) return true
  return false
}

/**
 * `GET /health`: checks the whole configuration. In public it says `ok` or `misconfigured`, and `"mode":"test"` where no
 * real money moves. What is wrong stands in the log, by the name of each binding and never its value, and is shown to the
 * bearer of the admin token.
 */
export function health(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async (c) => {
    const problems = [...configurationProblems(c.env), ...wrongPlace(c)]
    const mode = isLive(c.env) ? {} : { mode: 'test' }
    if (problems.length === 0) return c.json({ status: 'ok', ...mode })
    const misconfigured = problems.map(({ binding, problem }) => `${binding}: ${problem}`)
    raiseAlert(contextOf(deps, c.env, waitUntilOf(c)), { kind: 'configuration', order_id: null, misconfigured })
    const isAdmin = configurationProblems(c.env, ['ADMIN_TOKEN']).length === 0 && (await hasToken(c))
    return c.json({ status: 'misconfigured', ...mode, ...(isAdmin && { problems }) }, 503)
  }
}

/** A worker that is deployed cannot reach the emulator on the machine of its developer. */
function wrongPlace({ env, req }: Context<{ Bindings: Env }>): ConfigurationProblem[] {
  if (isLoopback(req.url) || !isLoopback(env.BASE_URL ?? '')) return []
  return [{ binding: 'BASE_URL', problem: 'is still the address of the emulator on your machine' }]
}
