// Alerts about delays: only the cron raises them.

import type { SqlStatement } from '../../till/database.ts'
import { markOpenPayments } from '../../till/settle.ts'
import { DAY_MS, HOUR_MS } from '../lib/day.ts'
import { percentFull } from '../object.ts'
import type { RaisedAlert } from '../options.ts'
import type { Scope } from '../scope.ts'
import { isFirst, queryAll } from '../tables.ts'
import { raiseAlert } from './alerts.ts'
import { findStrays } from './attention.ts'
import { countFailing } from './deliver.ts'
import { findMatters } from './needing.ts'

/** The time stored with an alert that is raised only once while its matter is open: the maximum of a `Date`. */
const ONCE = 8_640_000_000_000_000
/** How many alerts a run may raise. */
const MOST = 100

const idOf = ({ kind, order_id, attempt_id, event_id }: RaisedAlert): string =>
  JSON.stringify([kind, order_id, attempt_id ?? event_id])

/**
 * Raises an alert once for each call or payment that is open for too long, and for each event that was given up. All
 * failing events together have one alert an hour.
 */
export async function raiseDueAlerts(scope: Scope): Promise<void> {
  if (await isFirst(scope, 'hourly alerts', HOUR_MS)) {
    await markOpenPayments(scope.till)
    await findStrays(scope)
  }
  const matters = await findMatters(scope)
  const [raised = []] = await queryAll(scope, [
    ['SELECT id FROM edgetill_alert WHERE at = ?', [ONCE]],
    ['DELETE FROM edgetill_alert WHERE at <= ?', [scope.now() - DAY_MS]],
  ])
  const raisedIds = new Set(raised.map(({ id }) => String(id)))
  const once = matters.flatMap(({ alert, state }) =>
    /^(operation_unsettled|checkout_open|on_event_given_up)$/.test(alert.kind)
      ? [{ ...alert, ...(state && { state }) }]
      : [],
  )
  const ids = new Set(once.map(idOf))
  const newAlerts = once.filter((alert) => !raisedIds.has(idOf(alert))).slice(0, MOST)
  const closed = [...raisedIds].filter((id) => !ids.has(id)).slice(0, MOST)
  const note = 'INSERT INTO edgetill_alert (id, at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING RETURNING id'
  const written = await queryAll(scope, [
    ...newAlerts.map((alert): SqlStatement => [note, [idOf(alert), ONCE]]),
    ...closed.map((id): SqlStatement => ['DELETE FROM edgetill_alert WHERE id = ?', [id]]),
  ])
  for (const [i, alert] of newAlerts.entries()) if (written[i]?.length) raiseAlert(scope, alert)
  const percent = percentFull(scope)
  if (percent !== undefined && (await isFirst(scope, 'storage', DAY_MS)))
    raiseAlert(scope, { kind: 'storage', order_id: null, percent })
  const failing = matters.find(({ alert }) => alert.kind === 'on_event_failing')
  if (failing && (await isFirst(scope, 'on_event_failing', HOUR_MS)))
    raiseAlert(scope, { ...failing.alert, waiting: await countFailing(scope) })
}
