import * as v from 'valibot'
import { type PrimaryDetails, primaryDetails } from './details.ts'
import { fieldsOf, must, objectOf, pure, type Schema } from './fields.ts'
import type { Received, Wire } from './read.ts'
import { type SplitResult, splitResultSchema } from './split.ts'
import {
  anything,
  type Currency,
  type LiteralUnion,
  number,
  optionalFlag,
  optionalNumber,
  optionalText,
  type Status,
  text,
} from './values.ts'

/** Fields of a payment's record beside those that decide. */
export interface PaymentDetails extends Received, PrimaryDetails {
  /** At most 2048 characters. */
  description?: string | null | undefined
  /** Whether the customer must act, for example for 3-D Secure. */
  user_action_required?: boolean | null | undefined
  /** Where to send the customer then. */
  user_action_url?: string | null | undefined
  /** Merchant category code. */
  mcc?: string | null | undefined
  /** The 3-D Secure option in use; `supported` was observed. */
  options_3ds?: string | null | undefined
  /** The customer's IP address, as submitted. */
  customer_ip?: string | null | undefined
  /** First name, as submitted. */
  customer_fname?: string | null | undefined
  /** Last name, as submitted. */
  customer_lname?: string | null | undefined
  /** Patronymic, as submitted. */
  customer_patronym?: string | null | undefined
  /** As submitted. */
  customer_email?: string | null | undefined
  /** ISO 3166-1 alpha-2, as submitted. */
  customer_country?: string | null | undefined
  /** Appears in the response to a cancellation. */
  customer_city?: string | null | undefined
  /** `yyyy-MM-dd`, as submitted. */
  customer_birthday?: string | null | undefined
  /** The address that the customer is sent to after the payment. */
  result_url?: string | null | undefined
  /** Short name of the bank (direct responses). */
  bank_short_name?: string | null | undefined
  /** The 3-D Secure option, as submitted (only in the response to a split purchase, like the fields below). */
  order_3ds_bypass?: string | null | undefined
  /** The address that receives the webhooks, as submitted. */
  server_url?: string | null | undefined
  /** Merchant category code, as submitted. */
  merchant_mcc?: string | null | undefined
  /** As submitted. */
  validation_url?: string | null | undefined
  /** As submitted; not checked. */
  browser_fingerprint?: unknown
  /** The parts of the purchase, as submitted. */
  split?: SplitResult[] | null | undefined
}

/**
 * The record of a primary operation (API document, "Payment (primary operation) record"). Fields that the service adds
 * later are kept. Raw card data that the service echoes is removed.
 */
export interface Payment extends PaymentDetails {
  /** The service's identifier of the payment, a UUID. */
  payment_id: string
  /** Your identifier of the order, at most 256 characters. */
  order_id: string
  /** Amount of the transaction, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  /** `init`, `pending`, `success`, `failure`; others may appear. */
  status: Status
  /** `purchase` or `auth` for payments created through the payment endpoints. */
  method: LiteralUnion<'purchase' | 'auth'>
}

/** The record of a cancelled payment: only `status` is sure, since the service returns null for an unknown field. */
export interface CancelledPayment extends PaymentDetails {
  /** `failure` for a cancelled payment. */
  status: Status
  /** The service's identifier of the payment, a UUID. */
  payment_id?: string | null | undefined
  /** Your identifier of the order. */
  order_id?: string | null | undefined
  /** Amount of the transaction, in the currency's unit, at most 2 decimals. */
  amount?: number | null | undefined
  /** ISO 4217. */
  currency?: Currency | null | undefined
  /** `purchase` or `auth`. */
  method?: LiteralUnion<'purchase' | 'auth'> | null | undefined
}

const details = /* @__PURE__ */ pure(() =>
  fieldsOf<Wire<PaymentDetails>>()({
    description: optionalText,
    user_action_url: optionalText,
    mcc: optionalText,
    options_3ds: optionalText,
    customer_ip: optionalText,
    customer_fname: optionalText,
    customer_lname: optionalText,
    customer_patronym: optionalText,
    customer_email: optionalText,
    customer_country: optionalText,
    customer_city: optionalText,
    customer_birthday: optionalText,
    result_url: optionalText,
    bank_short_name: optionalText,
    order_3ds_bypass: optionalText,
    server_url: optionalText,
    merchant_mcc: optionalText,
    validation_url: optionalText,
    user_action_required: optionalFlag,
    ...primaryDetails,
    browser_fingerprint: v.optional(anything),
    split: v.nullish(v.array(splitResultSchema, must('be an array'))),
  }),
)

/** A payment: `payment_id`, `order_id`, `amount`, `currency`, `status` and `method` decide. */
export const paymentSchema: Schema<Wire<Payment>> = /* @__PURE__ */ pure(() => {
  const deciding = { payment_id: text, order_id: text, amount: number, currency: text, status: text, method: text }
  return objectOf(fieldsOf<Wire<Payment>>()({ ...deciding, ...details }))
})

/** A cancelled payment: `status` decides. */
export const cancelledPaymentSchema: Schema<Wire<CancelledPayment>> = /* @__PURE__ */ pure(() =>
  objectOf(
    fieldsOf<Wire<CancelledPayment>>()({
      ...details,
      status: text,
      payment_id: optionalText,
      order_id: optionalText,
      amount: optionalNumber,
      currency: optionalText,
      method: optionalText,
    }),
  ),
)
