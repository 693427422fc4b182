import * as v from 'valibot'
import type { Issue } from '../errors.ts'
import { fieldsOf, inputObject, objectOf, pure, type Schema } from './fields.ts'
import { amount, date, issueAt, oneOf, pattern, url, wholeNumber } from './input.ts'
import type { Received, Wire } from './read.ts'
import { type LiteralUnion, text } from './values.ts'

/** The recurring configuration that a payment belongs to (API document, "Recurring configuration"). */
export interface Recurring {
  /** Shared by all transactions of a recurring configuration. */
  id: string
  /** `init` on creation, `active`, `canceled`; the transitions between them are not shown. */
  status: LiteralUnion<'init' | 'active' | 'canceled'>
}

/** The recurring configuration of a payment: `id` and `status`. */
export const recurringSchema: Schema<Recurring> = /* @__PURE__ */ pure(() =>
  objectOf(fieldsOf<Recurring>()({ id: text, status: text })),
)

/** The result of the cancellation of a subscription (beyond the API document [A]). All other fields are kept. */
export interface RecurringCancellation extends Received {
  /** `canceled`. */
  recurring_status: LiteralUnion<'init' | 'active' | 'canceled'>
}

/** The cancellation of a subscription: `recurring_status` decides. */
export const recurringCancellationSchema: Schema<Wire<RecurringCancellation>> = /* @__PURE__ */ pure(() =>
  objectOf(fieldsOf<Wire<RecurringCancellation>>()({ recurring_status: text })),
)

/** The unit of a recurring schedule. */
export type IntervalUnit = 'day' | 'week' | 'month' | 'quarter' | 'year'

/** A subscription that is attached to a purchase (API document, "Recurring payments"). */
export interface InitRecurring {
  /** The unit of `interval_count`. */
  interval_unit: IntervalUnit
  /** Intervals between charges: 1 to 30. */
  interval_count: number
  /** Retries after a failed charge: 0 to 7. The service's default is 3. */
  retry_attempts?: number | undefined
  /** Hours between retries: up to 23 for `day`, else up to 72. The service's default is 2 for `day`, else 24. */
  retry_interval_hours?: number | undefined
  /** First scheduled charge, `YYYY-MM-DD`. */
  start_date?: string | undefined
  /** Last scheduled charge, `YYYY-MM-DD`. */
  expiry_date?: string | undefined
  /** Time of each charge, `HH:MM:SS` in UTC. The service's default is the time of creation. */
  time?: string | undefined
  /** Where recurring notifications go. The service's default is the initial transaction's `server_url`. */
  notification_url?: string | undefined
  /** Recurring amount, positive, at most 2 decimals; the service's default is the initial amount. */
  amount?: number | undefined
}

/** A subscription of a request, without the rules across its fields. */
export const initRecurringSchema: Schema<InitRecurring> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<InitRecurring>()({
      interval_unit: oneOf(['day', 'week', 'month', 'quarter', 'year']),
      interval_count: wholeNumber(1, 30),
      retry_attempts: v.optional(wholeNumber(0, 7)),
      retry_interval_hours: v.optional(wholeNumber(0, 72)),
      start_date: v.optional(date),
      expiry_date: v.optional(date),
      time: v.optional(pattern(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, 'be a time as HH:MM:SS')),
      notification_url: v.optional(url),
      amount: v.optional(amount),
    }),
  ),
)

/** The rules across the fields of a subscription. */
export function recurringIssues(recurring: InitRecurring): Issue[] {
  const { interval_unit, retry_interval_hours: hours = 0, start_date = '', expiry_date } = recurring
  const issues: Issue[] = []
  if (interval_unit === 'day' && hours > 23) {
    const path = 'init_recurring.retry_interval_hours'
    issues.push(issueAt(path, 'must be at most 23 when interval_unit is "day"', hours))
  }
  if (expiry_date !== undefined && start_date > expiry_date) {
    issues.push(issueAt('init_recurring.expiry_date', 'must be on or after start_date', expiry_date))
  }
  return issues
}
