// The additions of the shop to its till: copies in KV, alerts, the words of its API, the addresses of its webhooks.

import { holdsMoney } from '../../orders/fold.ts'
import { recordOf } from '../../schemas/read.ts'
import type { TillHooks, TillScope } from '../../till/events.ts'
import { withoutCardData } from '../../till/records.ts'
import { doDue } from '../../till/settle.ts'
import type { Reading } from '../../till/store.ts'
import { isLocal, keepsCardToken } from '../env.ts'
import { putEvent } from '../kv/events.ts'
import { later } from '../later.ts'
import { originOf, webhookAddress } from '../lib/links.ts'
import { describeError, type LogFields, logError, nameOf } from '../lib/log.ts'
import { outcomeUnknown } from '../lib/money-answers.ts'
import { problemOf } from '../lib/problem.ts'
import type { CheckoutPage, Order } from '../lib/shown-order.ts'
import type { Scope } from '../scope.ts'
import { alertsOfChange, raiseAlert } from './alerts.ts'
import { isOverSold, noteSold } from './places.ts'
import { publish, publishSoon } from './publish.ts'
import { scheduleErasure } from './schedule.ts'
import { orderOf } from './show.ts'

export function hooksOf(scope: Scope): TillHooks & Pick<TillScope, 'onEvent'> {
  const { env, copies, onEvent } = scope
  return {
    ...(onEvent && { onEvent: (received, order) => onEvent(received, order as Order, env) }),
    shown: orderOf as never,
    async keep(event, summary, order_id) {
      if (!copies) return
      const { expected } = summary
      const logged = { ...summary, received_at: scope.now(), ...(expected && { expected }) }
      const record = withoutCardData(recordOf(event), keepsCardToken(env))
      const issues = event.issues.length > 0 && { issues: event.issues }
      await putEvent(copies, order_id, logged as never, { event: record, ...issues })
    },
    ...(copies && { beside: (order_id: string) => publishSoon(scope, order_id) }),
    stored(event, before, after) {
      const { order_id } = after
      const fields = event.issues.map(({ path }) => path)
      const id = after.events.at(-1)?.id
      if (fields.length > 0) raiseAlert(scope, { kind: 'unexpected_shape', order_id, event_id: id, fields })
      for (const alert of alertsOfChange(before, after)) raiseAlert(scope, alert)
      // Its other payments are looked at now.
      if (after.attempts.length > 1 && holdsMoney(after.order.totals))
        later(scope, 'reconciliation_failed', order_id, () => doDue(scope.till, 'payment'))
      later(scope, 'order_not_published', order_id, async () => {
        await scheduleErasure(scope, after)
        await publish(scope, order_id, after)
      })
      later(scope, 'sale_not_noted', order_id, () => noteSale(scope, after))
    },
    async flagged(attempts) {
      // Who stored the sale has noted it, unless its process died.
      if (attempts[0]) await noteSale(scope, attempts[0])
      return (await isOverSold(scope, attempts)) ? ['over_sold'] : []
    },
    log(code, fields, error) {
      const about = fields as LogFields
      if (code === 'on_event_failed') {
        // Beside a developer's emulator its text cannot name a customer.
        const stack = isLocal(env) && { stack: String((error as Error | null)?.stack ?? error) }
        logError(code, { ...about, error: nameOf(error), ...stack })
      } else logError(code, { ...about, ...(error !== undefined && describeError(error)) })
    },
    responseTo(error, outcome, kind) {
      const problem = problemOf(error)
      if (!problem) throw error
      const body = outcome === 'unknown' ? { ...problem, ...outcomeUnknown(kind) } : problem
      return { status: body.status, body }
    },
    addressOf(order_id, payment) {
      const page = payment?.link?.page as CheckoutPage | undefined
      const origin = originOf(env, page)
      if (origin === '') return payment?.server_url
      // These routes work without LINK_SECRET.
      if (!payment || !env.LINK_SECRET) return `${origin}/webhooks`
      const { amount, currency, recurring_amount } = payment.terms
      const expected = { amount, currency, recurring_amount, reference: payment.buyer?.reference }
      return webhookAddress(origin, order_id, expected as never, env.LINK_SECRET)
    },
  }
}

async function noteSale(scope: Scope, reading: Reading): Promise<void> {
  if (await noteSold(scope, reading)) raiseAlert(scope, { kind: 'flag', order_id: reading.base_id, flag: 'over_sold' })
}
