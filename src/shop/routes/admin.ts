import { raiseMisconfigured } from '../engine/alerts.ts'
import { countFailing } from '../engine/deliver.ts'
import { basePath, isLive } from '../env.ts'
import {
  type ConfigurationProblem,
  configurationProblems,
  describeProblems,
  requireBindings,
} from '../lib/configuration.ts'
import { isLoopback } from '../lib/loopback.ts'
import { type Actor, holderOf } from '../lib/people.ts'
import { problemResponse } from '../lib/problem.ts'
import type { Tries } from '../lib/tries.ts'
import { percentFull } from '../object.ts'
import { hostOf, scopeOf, withoutIn } from '../open-scope.ts'
import { actorOf, type C, type Deps } from '../scope.ts'

/**
 * Authenticates a request. @returns The bearer of its token, or the actor that an inside call names; else the response
 * that rejects it.
 */
export async function authenticate(deps: Deps, c: C, tries: Tries): Promise<Actor | Response> {
  const actor = actorOf(c)
  if (actor) return actor
  // Before anything else: an absent token must never be something that a request can match.
  requireBindings(c.env, 'api', withoutIn(deps))
  const address = hostOf(deps).addressOf(c.req.raw)
  const token = tokenOf(c)
  if (token && (await tries(address))) {
    const title = 'Too many wrong tokens from this address.'
    return problemResponse({ status: 429, code: 'too_many_tries', title, retry_after: 60 })
  }
  const holder = token && holderOf(c.env, token)
  if (holder) return holder
  if (token) await tries(address, true)
  return problemResponse(
    {
      status: 401,
      code: 'unauthorized',
      title: 'A bearer token is needed.',
      detail: 'Send Authorization: Bearer <ADMIN_TOKEN>, or a token of PEOPLE.',
    },
    { 'www-authenticate': 'Bearer realm="edgetill"' },
  )
}

const tokenOf = ({ req }: C): string | undefined => req.header('authorization')?.match(/^Bearer +(\S+)$/i)?.[1]

/**
 * `GET /health`: checks the whole configuration. In public it returns `ok` or `misconfigured`, and `"mode":"test"` if
 * no real money moves. The log names each wrong binding, never its value, and so does the response to the bearer of the
 * admin token. For that bearer the object is called too, which reveals a namespace of another program's class, and
 * `waiting_events` counts the events that `onEvent` fails on, and `storage_percent` is set from 70 on.
 */
export function health(deps: Deps): (c: C) => Promise<Response> {
  return async (c) => {
    const problems = [...configurationProblems(c.env, undefined, withoutIn(deps)), ...wrongPlace(c)]
    const mode = isLive(c.env) ? {} : { mode: 'test' }
    const isAdmin =
      configurationProblems(c.env, ['ADMIN_TOKEN']).length === 0 && holderOf(c.env, tokenOf(c) ?? '')?.by === 'api'
    const asks = isAdmin && problems.every(({ binding }) => binding !== 'TILL')
    // A namespace of another program's class has no such count.
    const scope = scopeOf(deps, c)
    const waiting_events = asks ? await countFailing(scope).catch(() => undefined) : undefined
    if (asks && typeof waiting_events !== 'number') {
      problems.push({ binding: 'TILL', problem: 'does not respond as the class ShopObject' })
    }
    const warning = isAdmin ? hostOf(deps).warningOf?.(c.req.raw) : undefined
    const storage_percent = percentFull(scope)
    if (problems.length === 0) return c.json({ status: 'ok', ...mode, waiting_events, storage_percent, warning })
    raiseMisconfigured(scope, describeProblems(problems))
    return c.json({ status: 'misconfigured', ...mode, ...(isAdmin && { problems }) }, 503)
  }
}

/**
 * A shop must be mounted at PUBLIC_ORIGIN, and a deployed shop cannot reach the emulator on its developer's machine.
 */
function wrongPlace({ env, req }: C): ConfigurationProblem[] {
  const elsewhere = `${basePath(env)}/health`
  if (req.path.replace(/\/$/, '') !== elsewhere) {
    return [{ binding: 'PUBLIC_ORIGIN', problem: `has another path: this page would be ${elsewhere}` }]
  }
  if (isLoopback(req.url) || !isLoopback(env.BASE_URL)) return []
  return [{ binding: 'BASE_URL', problem: 'is still the address of the emulator on your machine' }]
}
