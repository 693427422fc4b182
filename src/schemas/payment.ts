import * as v from 'valibot'
import { fieldsOf, must, objectOf, pure, type Schema } from './fields.ts'
import type { Received, Wire } from './read.ts'
import { type Recurring, recurringSchema } from './recurring.ts'
import { type SplitResult, splitResultSchema } from './split.ts'
import {
  anything,
  type BankPay,
  bankPaySchema,
  type Currency,
  type Fee,
  feeSchema,
  type LimitInfo,
  type LiteralUnion,
  limitInfoSchema,
  type Mode,
  number,
  optionalFlag,
  optionalNumber,
  optionalText,
  type Status,
  type Timestamp,
  text,
} from './values.ts'

/** Fields of a payment's record beside those that decide. */
export interface PaymentDetails extends Received {
  /** `direct` or `hosted`. */
  mode?: Mode | null | undefined
  /** Identifier at the acquiring bank. */
  gateway_order_id?: string | null | undefined
  /** The service's billing identifier. */
  billing_order_id?: string | null | undefined
  /** Identifier of this transaction, a UUID; recurring charges share an `order_id` and differ here. */
  transaction_id?: string | null | undefined
  /** The merchant's POS, a UUID. */
  pos_id?: string | null | undefined
  /** At most 2048 characters. */
  description?: string | null | undefined
  /** A string of digits, such as `1000`; `describeStatusCode` explains the known ones. */
  status_code?: string | null | undefined
  /** Text of the status code. */
  status_description?: string | null | undefined
  /** Whether the customer must act, for example for 3-D Secure. */
  user_action_required?: boolean | null | undefined
  /** Where to send the customer then. */
  user_action_url?: string | null | undefined
  /** Electronic Commerce Indicator: the result of 3-D Secure. */
  eci?: string | null | undefined
  /** Merchant category code. */
  mcc?: string | null | undefined
  /** The 3-D Secure option in use; `supported` was observed. */
  options_3ds?: string | null | undefined
  /** The card's number, masked: first six and last four digits. */
  cc_mask?: string | null | undefined
  /** Token of the card. It can be charged: treat it as a secret. */
  cc_token?: string | null | undefined
  /** When the token expires; the fraction may be absent. */
  cc_token_expiration?: Timestamp | null | undefined
  /** Your identifier of the customer, as submitted. */
  customer_id?: string | null | undefined
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
  /** As submitted. */
  customer_phone?: string | null | undefined
  /** ISO 3166-1 alpha-2, as submitted. */
  customer_country?: string | null | undefined
  /** Appears in the response to a cancellation. */
  customer_city?: string | null | undefined
  /** `yyyy-MM-dd`, as submitted. */
  customer_birthday?: string | null | undefined
  /** Where the customer goes after the payment. */
  result_url?: string | null | undefined
  /** Time of creation; no zone. */
  created_at?: Timestamp | null | undefined
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null | undefined
  /** Your own data, at most 4000 characters. */
  payload?: string | null | undefined
  /** Short name of the bank (direct responses). */
  bank_short_name?: string | null | undefined
  /** Link to the receipt. */
  receipt_url?: string | null | undefined
  /** Present for recurring payments. */
  recurring?: Recurring | null | undefined
  /** The total fee. */
  fee?: Fee | null | undefined
  /** The fixed part of the fee. */
  fixed_fee?: Fee | null | undefined
  /** The percentage part of the fee. */
  percent_fee?: Fee | null | undefined
  /** The limit that caused a decline. */
  limit_info?: LimitInfo | string | null | undefined
  /** Only for account-to-account payments. */
  bank_pay?: BankPay | null | undefined
  /** The way of payment. */
  payway?: string | null | undefined
  /** The amount that was actually paid, where the payer may change it (webhooks only). */
  processed_amount?: number | null | undefined
  /** Currency of `processed_amount`, at most 256 characters. */
  processed_currency?: Currency | null | undefined
  /** The 3-D Secure option, as submitted (only in the response to a split purchase, like the fields below). */
  order_3ds_bypass?: string | null | undefined
  /** Where the webhooks go, as submitted. */
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
 * The record of a primary operation (API document, "Payment (primary operation) record"). Fields that the service adds later
 * are kept. Raw card data that the service echoes is removed.
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

/** The record of a cancelled payment: only `status` is sure, since the service returns what it does not know as null. */
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
    mode: optionalText,
    gateway_order_id: optionalText,
    billing_order_id: optionalText,
    transaction_id: optionalText,
    pos_id: optionalText,
    description: optionalText,
    status_code: optionalText,
    status_description: optionalText,
    user_action_required: optionalFlag,
    user_action_url: optionalText,
    eci: optionalText,
    mcc: optionalText,
    options_3ds: optionalText,
    cc_mask: optionalText,
    cc_token: optionalText,
    cc_token_expiration: optionalText,
    customer_id: optionalText,
    customer_ip: optionalText,
    customer_fname: optionalText,
    customer_lname: optionalText,
    customer_patronym: optionalText,
    customer_email: optionalText,
    customer_phone: optionalText,
    customer_country: optionalText,
    customer_city: optionalText,
    customer_birthday: optionalText,
    result_url: optionalText,
    created_at: optionalText,
    processed_at: optionalText,
    payload: optionalText,
    bank_short_name: optionalText,
    receipt_url: optionalText,
    recurring: v.nullish(recurringSchema),
    fee: v.nullish(feeSchema),
    fixed_fee: v.nullish(feeSchema),
    percent_fee: v.nullish(feeSchema),
    limit_info: v.nullish(limitInfoSchema),
    bank_pay: v.nullish(bankPaySchema),
    payway: optionalText,
    processed_amount: optionalNumber,
    processed_currency: optionalText,
    order_3ds_bypass: optionalText,
    server_url: optionalText,
    merchant_mcc: optionalText,
    validation_url: optionalText,
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
