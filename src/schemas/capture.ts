import * as v from 'valibot'
import { anObject, fieldsOf, objectMessage, pure, type Schema } from './fields.ts'
import type { Received, Wire } from './read.ts'
import {
  type Currency,
  type Fee,
  feeSchema,
  type LiteralUnion,
  type Mode,
  number,
  optionalText,
  type Status,
  type Timestamp,
  text,
} from './values.ts'

/** The fields that the records of captures, refunds and voids share (API document, "Secondary operation record"). Unknown fields are kept. */
export interface SecondaryOperation extends Received {
  /** The service's identifier of this operation, a UUID. */
  operation_id: string
  /** The payment that it belongs to, a UUID. */
  payment_id: string
  /** Your identifier of the order, at most 32 characters. */
  order_id: string
  /** Amount of this operation, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217. Arrives as `order_currency` (full capture) or `currency` (partial capture); here it is always `currency`. */
  currency: Currency
  /** `success`, `failure`; others may appear. */
  status: Status
  /** Identifier of the transaction, a UUID. */
  transaction_id?: string | null | undefined
  /** The merchant's POS, a UUID. */
  pos_id?: string | null | undefined
  /** `direct`. */
  mode?: Mode | null | undefined
  /** A string of digits, such as `1000`; `describeStatusCode` explains the known ones. */
  status_code?: string | null | undefined
  /** Text of the status code. */
  status_description?: string | null | undefined
  /** Time of creation; no zone. */
  created_at?: Timestamp | null | undefined
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null | undefined
  /** The service's fee; may be null. */
  fee?: Fee | null | undefined
  /** Your comment, at most 2048 characters. */
  comment?: string | null | undefined
}

/** The record of a capture. */
export interface Capture extends SecondaryOperation {
  /** `capture`. */
  method: LiteralUnion<'capture'>
}

/** A capture: `operation_id`, `payment_id`, `order_id`, `amount`, the currency, `status` and `method` decide. */
export const captureSchema: Schema<Wire<Capture>> = /* @__PURE__ */ pure(() =>
  v.pipe(
    anObject,
    v.transform(nameCurrency),
    v.looseObject(
      fieldsOf<Wire<Capture>>()({
        operation_id: text,
        payment_id: text,
        order_id: text,
        amount: number,
        currency: text,
        status: text,
        method: text,
        transaction_id: optionalText,
        pos_id: optionalText,
        mode: optionalText,
        status_code: optionalText,
        status_description: optionalText,
        created_at: optionalText,
        processed_at: optionalText,
        fee: v.nullish(feeSchema),
        comment: optionalText,
      }),
      objectMessage,
    ),
  ),
)

/** The API document names a full capture's currency `order_currency` and a partial one's `currency`. */
function nameCurrency(received: Record<string, unknown>): Record<string, unknown> {
  const { currency, order_currency } = received
  return order_currency == null ? received : { ...received, currency: currency ?? order_currency }
}
