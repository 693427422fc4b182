import type { MoneyOperation, OperationKind } from '../../money/protocol.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import { ABANDONED_MS } from './protocol-checkout.ts'
import { PUBLISH_MS, touch } from './published.ts'
import type { OrderStore } from './tables.ts'

/** Operations without a final state: a checkout whose payment is not final, or a capture, refund or void that is not settled. */
export interface WatchedRow {
  kind: 'checkout' | OperationKind
  order_id: string
  /** Of a capture, refund or void. */
  attempt_id?: string
  /** When it was opened or begun, milliseconds since 1970. */
  since: number
  /** How often the service was asked about it on the schedule. */
  asks: number
  /** Milliseconds since 1970 before which it is left alone. */
  next_at: number
  /** Set when a person was alerted of it. */
  alerted?: true
  /** Its link was closed: an unpaid payment is cancelled. */
  closed?: true
  /** Whether `GET /api/orders?open=true` shows it. */
  listed?: true
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The ages at which the service is asked; after the last one a row is left to a person. */
const ASK_AFTER_MS: readonly number[] = [
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * 24 * HOUR_MS),
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

/** The watched operations, the longest due first: the rows of `task` of the kind `open`. */
export const listWatched = (store: OrderStore): WatchedRow[] =>
  store
    .all<{ task: string }>("SELECT task FROM task WHERE kind = 'open' ORDER BY next_at")
    .map(({ task }) => JSON.parse(task))

/** The row of a checkout. */
export const checkoutRow = (store: OrderStore, order_id: string): WatchedRow | undefined =>
  listWatched(store).find((row) => row.kind === 'checkout' && row.order_id === order_id)

export const newCheckout = (store: OrderStore, order_id: string): WatchedRow => ({
  ...{ kind: 'checkout', order_id, since: store.now(), asks: 0, next_at: 0 },
})

/** Adds or replaces a row, in a write that sets the alarm for it. */
export function putWatched(store: OrderStore, row: WatchedRow): void {
  const { order_id, attempt_id = '', next_at } = row
  const write = 'INSERT OR REPLACE INTO task (kind, order_id, id, next_at, task) VALUES (?, ?, ?, ?, ?)'
  store.all(write, 'open', order_id, attempt_id, next_at, JSON.stringify(row))
  if (row.listed) touch(store, order_id)
}

/** Begins to watch something that has no final state yet, or goes on. */
export function watch(
  store: OrderStore,
  row: Omit<WatchedRow, 'asks' | 'next_at'> & Partial<WatchedRow>,
): Promise<void> {
  const first = row.kind === 'checkout' ? (ASK_AFTER_MS[0] as number) : UNSETTLED_MS
  const whole: WatchedRow = { asks: 0, next_at: row.since + first, ...row }
  return store.writeDue(whole.next_at, () => putWatched(store, whole))
}

/** Records that a link was closed; a minute later its payment is cancelled, unless whoever closed it has done so. */
export function cancelSoon(store: OrderStore, order_id: string, close: () => void): Promise<void> {
  const row = checkoutRow(store, order_id) ?? newCheckout(store, order_id)
  const next_at = store.now() + MINUTE_MS
  return store.writeDue(next_at, () => {
    close()
    putWatched(store, { ...row, closed: true, next_at })
  })
}

/** Watches an operation; `listed`: its outcome is unknown, and people see it from now on. */
export function watchOperation(
  store: OrderStore,
  order_id: string,
  { id: attempt_id, kind, started_at: since }: MoneyOperation,
  listed: boolean,
): Promise<void> {
  const row = { kind, order_id, attempt_id, since }
  return listed ? watch(store, { ...row, listed }).catch(ignoreOutage) : watch(store, row)
}

/** Removes a row. One that cannot be removed now is removed when its time has come. */
export function unwatch(store: OrderStore, order_id: string, attempt_id = ''): Promise<void> {
  // The list learns it, also where nothing else is due soon.
  const removed = store.writeDue(store.now() + PUBLISH_MS, () => {
    store.all("DELETE FROM task WHERE kind = 'open' AND order_id = ? AND id = ?", order_id, attempt_id)
    touch(store, order_id, { create: false })
  })
  return removed.catch(ignoreOutage)
}
