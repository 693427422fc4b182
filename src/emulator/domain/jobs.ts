import type { Context } from '../context.ts'
import type { Job, JobHandlers } from '../state/clock.ts'
import type { Order } from '../state/state.ts'
import { expireDue } from './expiry.ts'
import { timeOut } from './payments.ts'
import { cancelSubscription, chargeAgain, chargeDue } from './subscriptions.ts'

type DomainJobs = Omit<JobHandlers, `webhook_${string}`>

export function domainJobs(context: Context): DomainJobs {
  const of =
    (run: (order: Order, job: Job) => void) =>
    (job: Job): void => {
      const order = context.state.orders.get(job.subject)
      if (order !== undefined) run(order, job)
    }
  return {
    expiry: of((order, { what = '' }) => expireDue(context, order, what)),
    timeout: of((order) => timeOut(context, order)),
    charge: of((order, { number = 0 }) => chargeDue(context, order, number)),
    charge_retry: of((order, { number = 0 }) => chargeAgain(context, order, number)),
    recurring_end: of((order) => cancelSubscription(context, order)),
  }
}

/** The next retry of a webhook or the next charge; jobs of a subscription that has ended are not. */
export function nextJob({ scheduler, state, rules }: Context, what: 'next_retry' | 'next_charge'): Job | undefined {
  const isDue = ({ kind, subject }: Job): boolean => {
    if (what === 'next_retry') return kind === 'webhook_retry'
    if (kind !== 'charge' && kind !== 'charge_retry') return false
    return state.orders.get(subject)?.subscription?.status === rules.statuses.recurringActive
  }
  return scheduler.jobs.find(isDue)
}
