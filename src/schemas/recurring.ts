import { lazy } from '../lib/lazy.ts'
import { looseObject, type Schema } from './schema.ts'
import { type LiteralUnion, textField } from './values.ts'

/** The recurring configuration that a payment belongs to (document, "Recurring configuration"). */
export interface Recurring {
  /** Shared by all transactions of one recurring configuration. */
  id: string
  /** `init` on creation, `active`, `canceled`; the transitions between them are not shown. */
  status: LiteralUnion<'init' | 'active' | 'canceled'>
}

export const recurringSchema: () => Schema<Recurring> = /* @__PURE__ */ lazy(() =>
  looseObject<Recurring>({ id: textField(), status: textField() }),
)

/** What the cancellation of a subscription returns (beyond the API document [A]). All other fields are kept. */
export interface RecurringCancellation {
  /** `canceled`. */
  recurring_status: LiteralUnion<'init' | 'active' | 'canceled'>
}

export const recurringCancellationSchema: () => Schema<RecurringCancellation> = /* @__PURE__ */ lazy(() =>
  looseObject<RecurringCancellation>({ recurring_status: textField() }),
)
