import type { Context } from '../context.ts'
import type { Attempt } from '../store/attempts.ts'
import { ignoreOutage } from '../store/kv.ts'
import type { OpenRow } from '../store/open-index.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How old something open is when the service is asked about it; after the last time it is left to a person. */
const ASK_AFTER_MS: readonly number[] = [
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * DAY_MS),
]
/** After this long an unpaid checkout counts as abandoned, and any other one that is still open is an alert. */
export const ABANDONED_MS: number = DAY_MS
/** After this long an attempt that is not settled is an alert. */
const UNSETTLED_MS = 10 * MINUTE_MS

/** How old a row is when a person is alerted. An attempt that is settled only waits for its operation's final state. */
export const alertAfterMs = ({ kind }: OpenRow, isSettled: boolean): number =>
  kind === 'checkout' || isSettled ? ABANDONED_MS : UNSETTLED_MS

/** Whether the service is to be asked now. */
export const isAskDue = ({ since, asks }: OpenRow, now: number): boolean =>
  now - since >= (ASK_AFTER_MS[asks] ?? Number.POSITIVE_INFINITY)

/** The row as it waits for its next time; undefined after the last one. One that was late is made up for in a later run. */
export function afterTurn(row: OpenRow, wasAsked: boolean): OpenRow | undefined {
  const asks = row.asks + Number(wasAsked)
  const next = ASK_AFTER_MS[asks]
  return next === undefined ? undefined : { ...row, asks, next_at: row.since + next }
}

/** Begins to watch something that has no end yet. */
export async function watch({ open }: Context, row: Omit<OpenRow, 'asks' | 'next_at'>): Promise<void> {
  const first = row.kind === 'checkout' ? (ASK_AFTER_MS[0] as number) : UNSETTLED_MS
  await open.put({ ...row, asks: 0, next_at: row.since + first })
}

/** A person sees it from now on, also where the gate keeps it to itself. */
export async function watchUnknown(context: Context, order_id: string, attempt: Attempt): Promise<void> {
  const { id: attempt_id, kind, started_at: since } = attempt
  await watch(context, { kind, order_id, attempt_id, since, listed: true }).catch(ignoreOutage)
}

/** What cannot be removed now is removed when its time has come. */
export async function unwatch({ open }: Context, order_id: string, { id }: Pick<Attempt, 'id'>): Promise<void> {
  await open.remove(order_id, id).catch(ignoreOutage)
}
