import type { Order } from '../lib/shown-order.ts'
import type { RaisedAlert } from '../options.ts'
import { alertOf } from './check-open.ts'
import { failingAlert } from './deliver-events.ts'
import type { QueuedEvent } from './queue.ts'
import type { OrderStore } from './tables.ts'
import { listWatched } from './watchlist.ts'

/** The matters for a person, as the alerts about them were, each with the state that it is in. */
export function allAttention(store: OrderStore, order: Order): { alert: RaisedAlert; state: string }[] {
  const { order_id, flags } = order
  const failing = store.all<{ entry: string }>('SELECT entry FROM queue WHERE failing = 2')
  const alerts = [
    ...flags.flatMap((flag) => (flag === 'paid_after_failure' ? [] : { kind: 'flag' as const, order_id, flag })),
    ...listWatched(store).flatMap((row) => (row.alerted ? alertOf(row) : [])),
    ...failing.map(({ entry }) => failingAlert(JSON.parse(entry) as QueuedEvent)),
  ]
  return alerts.map((alert) => ({ alert, state: stateOf(alert, order) }))
}

/** The same without what is done: nothing new has happened of it since a person has looked at it. */
export function openAttention(store: OrderStore, order: Order): ReturnType<typeof allAttention> {
  const rows = store.all<{ alert: string }>("SELECT alert FROM alert WHERE kind = 'done'")
  const done = new Set(rows.map(({ alert }) => alert))
  return allAttention(store, order).filter(({ state }) => !done.has(state))
}

/** Changes when something new happens of it: of a flag, another event, but the refund or void that solves it. */
function stateOf(alert: RaisedAlert, { events }: Order): string {
  const { flag } = alert
  const isNews = ({ method }: { method: string | null }) =>
    flag === 'over_refund' || (method !== 'refund' && method !== 'void')
  return JSON.stringify([alert, flag === undefined ? 0 : events.filter(isNews).length])
}
