import type { MoneyOperation } from '../../money/protocol.ts'
import { actShop } from '../books/actions.ts'
import { awaitOrder } from '../books/orders.ts'
import { monthOf } from '../books/tables.ts'
import { retentionMs } from '../env.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { describeError, logError } from '../lib/log.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import { ABANDONED_MS } from './protocol-checkout.ts'
import type { Published } from './published.ts'
import type { OrderScope } from './scope.ts'
import type { WatchedRow } from './watchlist.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The ages at which the service is asked; after the last one a row is left to a person. */
const ASK_AFTER_MS: readonly number[] = [
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * DAY_MS),
]
/** After this long an operation that is not settled is an alert. */
const UNSETTLED_MS = 10 * MINUTE_MS

/** How old a row is when a person is alerted. A settled operation only waits for its final status. */
export const alertAfterMs = ({ kind }: WatchedRow, isSettled: boolean): number =>
  kind === 'checkout' || isSettled ? ABANDONED_MS : UNSETTLED_MS

/** Whether the service is to be asked now. */
export const isAskDue = ({ since, asks }: WatchedRow, now: number): boolean =>
  now - since >= (ASK_AFTER_MS[asks] ?? Number.POSITIVE_INFINITY)

/** The row as it waits for its next time; undefined after the last one. A late look is made up for in a later run. */
export function afterTurn(row: WatchedRow, wasAsked: boolean): WatchedRow | undefined {
  const asks = row.asks + Number(wasAsked)
  const next = ASK_AFTER_MS[asks]
  return next === undefined ? undefined : { ...row, asks, next_at: row.since + next }
}

/**
 * Tells the shop's object in the background of an order that has changed and of which the list does not say that something
 * is due: should its alarm be lost, the cron finds it there. @returns Whether it was told.
 */
export function announce(scope: OrderScope, named: string): boolean {
  const { store, now, waitUntil } = scope
  const order_id = baseOrderId(named)
  const query = `SELECT since FROM published WHERE order_id = ? AND next_at IS NOT NULL AND due_at IS NULL`
  const [changed] = store.all<Published>(query, order_id)
  if (!changed) return false
  const { since } = changed
  const row = { order_id, since, at: now() }
  const told = actShop(scope, monthOf(since), awaitOrder, row).catch((error: unknown) => {
    logError('order_not_announced', { order_id, ...describeError(error) })
  })
  waitUntil?.(told)
  return true
}

/** What is due within an hour of the first event is removed by one alarm. */
export const GRACE_MS: number = HOUR_MS

/** Has what is stored of an order now removed after RETENTION_DAYS. */
export async function scheduleErasure({ erasures, env, now }: OrderScope, order_id: string): Promise<void> {
  const retention = retentionMs(env)
  if (retention !== undefined) await erasures.eraseAt(order_id, now() + retention + GRACE_MS)
}

/** Begins to watch something that has no final state yet. */
export async function watch({ watchlist }: OrderScope, row: Omit<WatchedRow, 'asks' | 'next_at'>): Promise<void> {
  const first = row.kind === 'checkout' ? (ASK_AFTER_MS[0] as number) : UNSETTLED_MS
  await watchlist.put({ ...row, asks: 0, next_at: row.since + first })
}

/** Shows an operation with an unknown outcome to people from now on. */
export async function watchUnknown(scope: OrderScope, order_id: string, operation: MoneyOperation): Promise<void> {
  const { id: attempt_id, kind, started_at: since } = operation
  await watch(scope, { kind, order_id, attempt_id, since, listed: true }).catch(ignoreOutage)
}

/** A row that cannot be removed now is removed when its time has come. */
export async function unwatch(
  { watchlist }: OrderScope,
  order_id: string,
  { id }: Pick<MoneyOperation, 'id'>,
): Promise<void> {
  await watchlist.remove(order_id, id).catch(ignoreOutage)
}
