import { lazy } from '../lib/lazy.ts'
import { type Fee, feeSchema } from './fee.ts'
import { before, looseObject, maybe, type Schema } from './schema.ts'
import {
  type Currency,
  type LiteralUnion,
  type Mode,
  numberField,
  type Status,
  type Timestamp,
  textField,
} from './values.ts'

/** The record of a capture (document, "Secondary operation record"). Fields that the service adds later are kept. */
export interface Capture {
  /** The service's identifier of this capture, a UUID. */
  operation_id: string
  /** The reserve that was captured, a UUID. */
  payment_id: string
  /** Your identifier of the order, at most 32 characters. */
  order_id: string
  /** What was captured, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217. Arrives as `order_currency` (full capture) or `currency` (partial capture); here it is always `currency`. */
  currency: Currency
  /** `success`, `failure`; others may appear. */
  status: Status
  /** `capture`. */
  method: LiteralUnion<'capture'>
  /** Identifier of the transaction, a UUID. */
  transaction_id?: string | null
  /** The merchant's POS, a UUID. */
  pos_id?: string | null
  /** `direct`. */
  mode?: Mode | null
  /** A string of digits, such as `1000`; `describeStatusCode` explains the known ones. */
  status_code?: string | null
  /** Text of the status code. */
  status_description?: string | null
  /** Time of creation; no zone. */
  created_at?: Timestamp | null
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null
  /** The service's fee; may be null. */
  fee?: Fee | null
  /** Your comment, at most 2048 characters. */
  comment?: string | null
  /** The record as it came, before `currency` was filled in. Not enumerable. */
  readonly record: Record<string, unknown>
}

/** Reads a capture; its currency is required under either of its two names. */
export const captureSchema: () => Schema<Omit<Capture, 'record'>> = /* @__PURE__ */ lazy(() => {
  const text = maybe(textField())
  const record = looseObject<Omit<Capture, 'record'>>({
    operation_id: textField(),
    payment_id: textField(),
    order_id: textField(),
    amount: numberField(),
    currency: textField(),
    status: textField(),
    method: textField(),
    transaction_id: text,
    pos_id: text,
    mode: text,
    status_code: text,
    status_description: text,
    created_at: text,
    processed_at: text,
    fee: maybe(feeSchema()),
    comment: text,
  })
  return before(nameCurrency, record)
})

function nameCurrency(received: unknown): unknown {
  const { currency, order_currency } = (received ?? {}) as { currency?: unknown; order_currency?: unknown }
  return order_currency == null ? received : { ...(received as object), currency: currency ?? order_currency }
}
