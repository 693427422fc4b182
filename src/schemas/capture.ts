import * as v from 'valibot'
import { type OperationDetails, operationDetails } from './details.ts'
import { anObject, fieldsOf, objectMessage, pure, type Schema } from './fields.ts'
import type { Received, Wire } from './read.ts'
import { type Currency, type LiteralUnion, number, optionalText, type Status, text } from './values.ts'

/**
 * The fields that the records of captures, refunds and voids share (API document, "Secondary operation record").
 * Unknown fields are kept.
 */
export interface SecondaryOperation extends Received, OperationDetails {
  /** The service's identifier of this operation, a UUID. */
  operation_id: string
  /** The payment that it belongs to, a UUID. */
  payment_id: string
  /** Your identifier of the order, at most 32 characters. */
  order_id: string
  /** Amount of this operation, in the currency's unit, at most 2 decimals. */
  amount: number
  /**
   * ISO 4217. Arrives as `order_currency` (full capture) or `currency` (partial capture); here it is always `currency`.
   */
  currency: Currency
  /** `success`, `failure`; others may appear. */
  status: Status
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
        ...operationDetails,
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
