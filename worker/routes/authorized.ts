import type { MiddlewareHandler } from 'hono'
import { type Env, MisconfiguredError, missingBindings } from '../env.ts'
import { equalSecret } from '../lib/crypto.ts'
import { problemResponse } from '../lib/problem.ts'

/** Lets a request to `/api` pass when it has `Authorization: Bearer <ADMIN_TOKEN>`. */
export const authorized: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  // Before anything else: an absent token must never be something that a request can match.
  const missing = missingBindings(c.env, ['ADMIN_TOKEN'])
  if (missing.length > 0) throw new MisconfiguredError(missing)
  const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (token !== undefined && (await equalSecret(token, c.env.ADMIN_TOKEN))) return next()
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
