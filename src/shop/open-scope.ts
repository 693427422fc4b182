// Opens the surroundings of a request: the shop's database, its client, and its additions to the till.

import type { Context } from 'hono'
import { MERCHANT, type Merchant } from '../client/merchant.ts'
import { type ClientConfig, resolveConfig } from '../config.ts'
import type { CallOptions } from '../http/types.ts'
import { cancelPayment } from '../operations/cancel-payment.ts'
import { capturePayment } from '../operations/capture-payment.ts'
import { type CreatePaymentInput, createPayment } from '../operations/create-payment.ts'
import { type CreateSplitPurchaseInput, createSplitPurchase } from '../operations/create-split-purchase.ts'
import { listOrderOperations } from '../operations/list-order-operations.ts'
import { refundPayment } from '../operations/refund-payment.ts'
import { resendWebhook } from '../operations/resend-webhook.ts'
import { voidPayment } from '../operations/void-payment.ts'
import { SQLITE_CLOCK, type TillDatabase } from '../till/database.ts'
import type { TillClient } from '../till/events.ts'
import { migrate } from '../till/store.ts'
import { hooksOf } from './engine/hooks.ts'
import { clientConfig, clockAhead, keepsCardToken, moneyConfig, type ShopEnv } from './env.ts'
import type { WaitUntil } from './runtime.ts'
import { type C, type Deps, type Host, type Scope, TEST_DEPS } from './scope.ts'
import { makeShopTables } from './tables.ts'
import { WORKER } from './worker-host.ts'

export const hostOf = ({ host = WORKER }: Deps): Host => host

/** The bindings that the shop does without. */
export const withoutIn = (deps: Deps): readonly ('STATE' | 'TILL')[] => hostOf(deps).without(deps)

export function openScope(given: Deps, env: ShopEnv & { [TEST_DEPS]?: Deps }, waitUntil?: WaitUntil): Scope {
  const deps = env[TEST_DEPS] ? { ...given, ...env[TEST_DEPS] } : given
  const ahead = clockAhead(env)
  const now = () => deps.now() + ahead
  const isRealTime = deps.now === Date.now && ahead === 0
  const host = hostOf(deps)
  const scope: Scope = { ...deps, now, isRealTime, env, kv: undefined as never, waitUntil, till: undefined as never }
  scope.kv = host.openKv(scope)
  if (host.hasCopies) scope.copies = scope.kv
  // A test's clock is the clock of the database too.
  const clock =
    deps.now === Date.now ? () => (ahead === 0 ? SQLITE_CLOCK : `${SQLITE_CLOCK} + ${ahead}`) : () => `${now()}`
  const database = host.openDatabase(deps, env, clock)
  scope.till = {
    client: clientOf(env, deps),
    // The object makes the tables itself.
    database: withoutIn(deps).includes('TILL') ? makeTablesFirst(deps, env, database) : database,
    keepCardToken: keepsCardToken(env),
    isTestClock: !isRealTime,
    ...hooksOf(scope),
  }
  return scope
}

const withTables = new WeakSet<object>()

/**
 * A database of the shop's own gets its tables before the first statement of each process. In a Worker, no request may
 * wait for the work of another, which ends with that customer's connection.
 */
function makeTablesFirst(deps: Deps, env: ShopEnv, database: TillDatabase): TillDatabase {
  const ready = async (): Promise<void> => {
    if (!withTables.has(deps)) await makeShop(deps, env, database)
    withTables.add(deps)
  }
  const { batch } = database
  return {
    get clock() {
      return database.clock
    },
    absentAfterMs: database.absentAfterMs,
    run: (sql, values) => ready().then(() => database.run(sql, values)),
    ...(batch && { batch: (statements) => ready().then(() => batch.call(database, statements)) }),
  }
}

/** Makes the tables of a shop. */
export async function makeShop(deps: Deps, env: ShopEnv, database: TillDatabase): Promise<void> {
  const till = { client: clientOf(env, deps), database }
  await migrate(till)
  await makeShopTables({ till }, hostOf(deps).tables)
}

/** The calls of a shop. A call that moves money is never repeated automatically. Each checks its configuration. */
function clientOf(env: ShopEnv, { fetch, now }: Deps): TillClient {
  // With a test's clock nothing waits, not even a retry.
  const config = { ...clientConfig(env, fetch), ...(now !== Date.now && { random: () => 0 }) }
  const once = moneyConfig(env, fetch)
  const client: TillClient & Record<typeof MERCHANT, Pick<Merchant, 'posId' | 'baseUrl'>> = {
    createPayment: ((input: object, options: CallOptions) =>
      'split' in input
        ? createSplitPurchase(once, input as CreateSplitPurchaseInput, options)
        : createPayment(once, input as CreatePaymentInput, options)) as TillClient['createPayment'],
    capturePayment: (input, options) => capturePayment(once, input, options),
    refundPayment: (input, options) => refundPayment(once, input, options),
    voidPayment: (input, options) => voidPayment(once, input, options),
    cancelPayment: (input, options) => cancelPayment(once, input, options),
    listOrderOperations: (input, options) => listOrderOperations(config, input, options),
    resendWebhook: (input, options) => resendWebhook(config, input, options),
    [MERCHANT]: merchantIn(config),
  }
  return client
}

/** The configured merchant, or empty values: webhooks are stored even while the shop is not configured. */
function merchantIn(config: ClientConfig): Pick<Merchant, 'posId' | 'baseUrl'> {
  try {
    return resolveConfig(config)
  } catch {
    return { posId: '', baseUrl: '' }
  }
}

/** The scope of a request. An app that tests call has no execution context. */
export function scopeOf(deps: Deps, c: C): Scope {
  return openScope(deps, c.env, waitUntilOf(c))
}

function waitUntilOf(c: Context): WaitUntil | undefined {
  try {
    const { executionCtx } = c
    return (work) => executionCtx.waitUntil(work)
  } catch {
    return undefined
  }
}
