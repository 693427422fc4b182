import type { Context, MiddlewareHandler } from 'hono'
import { adminTokens, type Env } from '../env.ts'
import { type ConfigurationProblem, configurationProblems, requireBindings } from '../lib/configuration.ts'
import { equalSecret } from '../lib/crypto.ts'
import { report } from '../lib/log.ts'
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
 * `GET /health`: checks the whole configuration. In public it says `ok` or `misconfigured`; what is wrong stands in the
 * log, by the name of each binding and never its value, and is shown to the bearer of the admin token.
 */
export async function health(c: Context<{ Bindings: Env }>): Promise<Response> {
  const problems = [...configurationProblems(c.env), ...wrongPlace(c)]
  if (problems.length === 0) return c.json({ status: 'ok' })
  report('configuration', { misconfigured: problems.map(({ binding, problem }) => `${binding}: ${problem}`) })
  const isAdmin = configurationProblems(c.env, ['ADMIN_TOKEN']).length === 0 && (await hasToken(c))
  return c.json({ status: 'misconfigured', ...(isAdmin && { problems }) }, 503)
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const isLoopback = (url: string): boolean => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname)

/** A worker that is deployed cannot reach the emulator on the machine of its developer. */
function wrongPlace({ env, req }: Context<{ Bindings: Env }>): ConfigurationProblem[] {
  if (isLoopback(req.url) || !isLoopback(env.BASE_URL ?? '')) return []
  return [{ binding: 'BASE_URL', problem: 'is still the address of the emulator on your machine' }]
}
