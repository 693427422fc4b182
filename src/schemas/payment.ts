import { lazy } from '../lib/lazy.ts'
import { type BankPay, bankPaySchema } from './bank-pay.ts'
import { type Fee, feeSchema } from './fee.ts'
import { type LimitInfo, limitInfoSchema } from './limit-info.ts'
import { type Recurring, recurringSchema } from './recurring.ts'
import { anyValue, looseObject, maybe, type Schema } from './schema.ts'
import { type SplitResult, splitResultSchema } from './split.ts'
import {
  type Currency,
  flagField,
  type LiteralUnion,
  type Mode,
  numberField,
  type Status,
  type Timestamp,
  textField,
} from './values.ts'

/**
 * The record of a primary operation (document, "Payment (primary operation) record"). Fields that the service adds later
 * are kept. Raw card data that the service echoes is cut out before anyone can see it.
 */
export interface Payment {
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
  /** `direct` or `hosted`. */
  mode?: Mode | null
  /** Identifier at the acquiring bank. */
  gateway_order_id?: string | null
  /** The service's billing identifier. */
  billing_order_id?: string | null
  /** Identifier of this transaction, a UUID; recurring charges share an `order_id` and differ here. */
  transaction_id?: string | null
  /** The merchant's POS, a UUID. */
  pos_id?: string | null
  /** At most 2048 characters. */
  description?: string | null
  /** A string of digits, such as `1000`; `describeStatusCode` explains the known ones. */
  status_code?: string | null
  /** Text of the status code. */
  status_description?: string | null
  /** Whether the customer must act, for example for 3-D Secure. */
  user_action_required?: boolean | null
  /** Where to send the customer then. */
  user_action_url?: string | null
  /** Electronic Commerce Indicator: the result of 3-D Secure. */
  eci?: string | null
  /** Merchant category code. */
  mcc?: string | null
  /** The 3-D Secure option in use; `supported` was observed. */
  options_3ds?: string | null
  /** The card's number, masked: first six and last four digits. */
  cc_mask?: string | null
  /** Token of the card. It can be charged: treat it as a secret. */
  cc_token?: string | null
  /** When the token expires; the fraction may be absent. */
  cc_token_expiration?: Timestamp | null
  /** Your identifier of the customer, as submitted. */
  customer_id?: string | null
  /** The customer's IP address, as submitted. */
  customer_ip?: string | null
  /** First name, as submitted. */
  customer_fname?: string | null
  /** Last name, as submitted. */
  customer_lname?: string | null
  /** Patronymic, as submitted. */
  customer_patronym?: string | null
  /** As submitted. */
  customer_email?: string | null
  /** As submitted. */
  customer_phone?: string | null
  /** ISO 3166-1 alpha-2, as submitted. */
  customer_country?: string | null
  /** Appears in the answer to a cancellation. */
  customer_city?: string | null
  /** `yyyy-MM-dd`, as submitted. */
  customer_birthday?: string | null
  /** Where the customer goes after the payment. */
  result_url?: string | null
  /** Time of creation; no zone. */
  created_at?: Timestamp | null
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null
  /** Your own data, at most 4000 characters. */
  payload?: string | null
  /** Short name of the bank (direct answers). */
  bank_short_name?: string | null
  /** Link to the receipt. */
  receipt_url?: string | null
  /** Present for recurring payments. */
  recurring?: Recurring | null
  /** The total fee. */
  fee?: Fee | null
  /** The fixed part of the fee. */
  fixed_fee?: Fee | null
  /** The percentage part of the fee. */
  percent_fee?: Fee | null
  /** The limit that caused a decline. */
  limit_info?: LimitInfo | string | null
  /** Only for account-to-account payments. */
  bank_pay?: BankPay | null
  /** The way of payment. */
  payway?: string | null
  /** What was actually paid, where the payer may change the amount (webhooks only). */
  processed_amount?: number | null
  /** Currency of `processed_amount`, at most 256 characters. */
  processed_currency?: Currency | null
  /** The 3-D Secure option, as submitted (a split purchase's answer only, as are the fields below). */
  order_3ds_bypass?: string | null
  /** Where the webhooks go, as submitted. */
  server_url?: string | null
  /** Merchant category code, as submitted. */
  merchant_mcc?: string | null
  /** As submitted. */
  validation_url?: string | null
  /** As submitted; not checked. */
  browser_fingerprint?: unknown
  /** The parts of the purchase, as submitted. */
  split?: SplitResult[] | null
}

export const paymentSchema: () => Schema<Payment> = /* @__PURE__ */ lazy(() => {
  const text = maybe(textField())
  const fee = maybe(feeSchema())
  return looseObject<Payment>({
    payment_id: textField(),
    order_id: textField(),
    amount: numberField(),
    currency: textField(),
    status: textField(),
    method: textField(),
    mode: text,
    gateway_order_id: text,
    billing_order_id: text,
    transaction_id: text,
    pos_id: text,
    description: text,
    status_code: text,
    status_description: text,
    user_action_required: maybe(flagField()),
    user_action_url: text,
    eci: text,
    mcc: text,
    options_3ds: text,
    cc_mask: text,
    cc_token: text,
    cc_token_expiration: text,
    customer_id: text,
    customer_ip: text,
    customer_fname: text,
    customer_lname: text,
    customer_patronym: text,
    customer_email: text,
    customer_phone: text,
    customer_country: text,
    customer_city: text,
    customer_birthday: text,
    result_url: text,
    created_at: text,
    processed_at: text,
    payload: text,
    bank_short_name: text,
    receipt_url: text,
    recurring: maybe(recurringSchema()),
    fee,
    fixed_fee: fee,
    percent_fee: fee,
    limit_info: maybe(limitInfoSchema()),
    bank_pay: maybe(bankPaySchema()),
    payway: text,
    processed_amount: maybe(numberField()),
    processed_currency: text,
    order_3ds_bypass: text,
    server_url: text,
    merchant_mcc: text,
    validation_url: text,
    browser_fingerprint: maybe(anyValue()),
    split: maybe(splitResultSchema()),
  })
})
