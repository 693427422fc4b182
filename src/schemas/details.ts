import * as v from 'valibot'
import { type Entries, pure } from './fields.ts'
import { type Recurring, recurringSchema } from './recurring.ts'
import {
  type BankPay,
  bankPaySchema,
  type Currency,
  type Fee,
  feeSchema,
  type LimitInfo,
  limitInfoSchema,
  type Mode,
  optionalNumber,
  optionalText,
  type Timestamp,
} from './values.ts'

/** Fields of every operation that may be absent, in webhooks and responses. */
export interface OperationDetails {
  /** The merchant's POS, a UUID. */
  pos_id?: string | null | undefined
  /** `direct` or `hosted`. */
  mode?: Mode | null | undefined
  /** Time of creation; no zone. */
  created_at?: Timestamp | null | undefined
  /** Identifier of the transaction, a UUID; recurring charges share an `order_id` and differ here. */
  transaction_id?: string | null | undefined
  /** A string of digits, such as `1000`; `describeStatusCode` explains the known ones. */
  status_code?: string | null | undefined
  /** Text of the status code. */
  status_description?: string | null | undefined
  /** The total fee. */
  fee?: Fee | null | undefined
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null | undefined
}

/** Fields of a payment that may be absent, in webhooks and responses. */
export interface PrimaryDetails extends OperationDetails {
  /** Identifier at the acquiring bank. */
  gateway_order_id?: string | null | undefined
  /** The service's billing identifier. */
  billing_order_id?: string | null | undefined
  /** The way of payment. */
  payway?: string | null | undefined
  /** Electronic Commerce Indicator: the result of 3-D Secure. */
  eci?: string | null | undefined
  /** The limit that caused a decline: typed as a string by the API document, delivered as an object. */
  limit_info?: LimitInfo | string | null | undefined
  /** The card's number, masked: first six and last four digits. */
  cc_mask?: string | null | undefined
  /** Token of the card. It can be charged: treat it as a secret. */
  cc_token?: string | null | undefined
  /** When the token expires; the fraction may be absent. */
  cc_token_expiration?: Timestamp | null | undefined
  /** Your identifier of the customer, as submitted. */
  customer_id?: string | null | undefined
  /** As submitted. */
  customer_phone?: string | null | undefined
  /** The fixed part of the fee. */
  fixed_fee?: Fee | null | undefined
  /** The percentage part of the fee. */
  percent_fee?: Fee | null | undefined
  /** Your own data, at most 4000 characters. */
  payload?: string | null | undefined
  /** Link to the receipt; in webhooks, `purchase`, `auth` and `credit` only. */
  receipt_url?: string | null | undefined
  /** Account-to-account payments only. */
  bank_pay?: BankPay | null | undefined
  /** The amount actually paid, if the payer may change it (webhooks only). */
  processed_amount?: number | null | undefined
  /** Currency of `processed_amount`, at most 256 characters. */
  processed_currency?: Currency | null | undefined
  /** Present for recurring payments. */
  recurring?: Recurring | null | undefined
}

export const operationDetails: Entries<OperationDetails> = /* @__PURE__ */ pure(() => ({
  pos_id: optionalText,
  mode: optionalText,
  created_at: optionalText,
  transaction_id: optionalText,
  status_code: optionalText,
  status_description: optionalText,
  processed_at: optionalText,
  fee: v.nullish(feeSchema),
}))

export const limit_info: Entries<PrimaryDetails>['limit_info'] = /* @__PURE__ */ pure(() => v.nullish(limitInfoSchema))

export const primaryDetails: Entries<PrimaryDetails> = /* @__PURE__ */ pure(() => ({
  recurring: v.nullish(recurringSchema),
  ...operationDetails,
  gateway_order_id: optionalText,
  billing_order_id: optionalText,
  payway: optionalText,
  eci: optionalText,
  cc_mask: optionalText,
  cc_token: optionalText,
  cc_token_expiration: optionalText,
  customer_id: optionalText,
  customer_phone: optionalText,
  payload: optionalText,
  receipt_url: optionalText,
  processed_currency: optionalText,
  limit_info,
  fixed_fee: v.nullish(feeSchema),
  percent_fee: v.nullish(feeSchema),
  bank_pay: v.nullish(bankPaySchema),
  processed_amount: optionalNumber,
}))
