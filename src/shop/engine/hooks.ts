// The additions of the shop to its till: copies in KV, alerts, the words of its API, the addresses of its webhooks.

import { holdsMoney } from '../../orders/fold.ts'
import { recordOf } from '../../schemas/read.ts'
import type { TillHooks, TillScope } from '../../till/events.ts'
import { withoutCardData } from '../../till/records.ts'
import { doDue } from '../../till/settle.ts'
import { isLocal, keepsCardToken } from '../env.ts'
import { putEvent } from '../kv/events.ts'
import { later } from '../later.ts'
import { originOf, webhookAddress } from '../lib/links.ts'
import { describeError, type LogFields, logError, nameOf } from '../lib/log.ts'
import { outcomeUnknown } from '../lib/money-answers.ts'
import { problemOf } from '../lib/problem.ts'
import type { CheckoutPage, Order } from '../lib/shown-order.ts'
import type { Scope } from '../scope.ts'
import type { Row } from '../tables.ts'
import { acceptedAfterAll } from './attention.ts'
import { isOverSold } from './places.ts'
import { claimCopy, publish } from './publish.ts'
import { orderOf } from './show.ts'

export function hooksOf(scope: Scope): TillHooks & Pick<TillScope, 'onEvent'> {
  const { env, copies, onEvent } = scope
  return {
    ...(onEvent && { onEvent: (received, order) => onEvent(received, order as Order, env) }),
    shown: (reading) => orderOf(scope, reading) as Promise<never>,
    async keep(event, summary, order_id) {
      const issues = event.issues.length > 0 && { issues: event.issues }
      if (issues) summary.odd = event.issues.map(({ path }) => path)
      if (!copies) return
      const { odd: _, ...logged } = { ...summary, received_at: scope.now() }
      const record = withoutCardData(recordOf(event), keepsCardToken(env))
      await putEvent(copies, order_id, logged as never, { event: record, ...issues })
    },
    beside: (order_id) => [claimCopy(scope, order_id)],
    opened: (base_id) => [acceptedAfterAll(base_id)],
    stored(after, [copies]) {
      const { order_id } = after
      // Look at the order's other payments now.
      if (after.attempts.length > 1 && holdsMoney(after.order.totals))
        later(scope, 'reconciliation_failed', order_id, () => doDue(scope.till, 'payment'))
      later(scope, 'order_not_published', order_id, () => publish(scope, order_id, after, copies?.[0] as Row))
    },
    flagged: async ([first]) => (first && (await isOverSold(scope, first)) ? ['over_sold'] : []),
    log(code, fields, error) {
      const about = fields as LogFields
      if (code === 'on_event_failed') {
        // With an emulator on this machine, the error's text cannot name a real customer.
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
      // Captures, refunds and voids work without LINK_SECRET.
      if (!payment || !env.LINK_SECRET) return `${origin}/webhooks`
      const { amount, currency, recurring_amount } = payment.terms
      const expected = { amount, currency, recurring_amount, reference: payment.buyer?.reference }
      return webhookAddress(origin, order_id, expected as never, env.LINK_SECRET)
    },
  }
}
