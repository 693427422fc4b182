import { catchUp } from '../till/listed.ts'
import { doDue } from '../till/settle.ts'
import { raiseMisconfigured } from './engine/alerts.ts'
import { raiseDueAlerts } from './engine/due-alerts.ts'
import { eraseDue } from './engine/erase.ts'
import { publishDue } from './engine/publish.ts'
import { endOrders } from './engine/reuse.ts'
import type { ShopEnv } from './env.ts'
import { configurationProblems, describeProblems } from './lib/configuration.ts'
import { describeError, logError } from './lib/log.ts'
import { openScope, withoutIn } from './open-scope.ts'
import type { WaitUntil } from './runtime.ts'
import type { Deps, Scope } from './scope.ts'

/** Does all due work, each minute: unsettled calls, `onEvent`, copies in KV, alerts, closed links, erasures. */
export async function runCron(deps: Deps, env: ShopEnv, waitUntil?: WaitUntil): Promise<void> {
  const scope = openScope(deps, env, waitUntil)
  const problems = configurationProblems(env, undefined, withoutIn(deps))
  // Report a problem before a customer meets it.
  if (problems.length > 0) raiseMisconfigured(scope, describeProblems(problems))
  if (problems.some(({ binding }) => binding === 'STATE' || binding === 'TILL')) return
  if (await deps.carryOver?.isClosed(scope)) return
  // A failed task does not hold up the others.
  await Promise.all([settle(scope), ...[raiseDueAlerts, eraseDue, endClosed].map((work) => attempt(scope, work))])
  await attempt(scope, publishDue)
}

async function settle(scope: Scope): Promise<void> {
  const isReady =
    configurationProblems(scope.env, ['BASE_URL', 'POS_ID', 'API_KEY', 'API_SECRET', 'ENDPOINTS_KEY']).length === 0
  const kinds = isReady ? (['event', 'operation', 'payment'] as const) : (['event'] as const)
  await Promise.all(kinds.map((kind) => attempt(scope, () => doDue(scope.till, kind))))
  // Events of the operations and payments that were settled above.
  await attempt(scope, () => doDue(scope.till, 'event'))
  await attempt(scope, () => catchUp(scope.till))
}

/** Cancels the open orders of closed links. */
const endClosed = (scope: Scope): Promise<unknown> => endOrders(scope, '')

const attempt = (scope: Scope, work: (scope: Scope) => Promise<unknown>): Promise<unknown> =>
  work(scope).catch((error: unknown) => logError('cron_failed', describeError(error)))
