import * as v from 'valibot'
import { fieldsOf, objectOf, pure, type Schema } from './fields.ts'
import { oneOf } from './input.ts'
import type { Received, Wire } from './read.ts'
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
  number,
  optionalNumber,
  optionalText,
  type Status,
  type Timestamp,
  text,
} from './values.ts'

/** The fields that every documented webhook has (API document, "Events"). Unknown parameters are kept. */
export interface CommonEvent extends Received {
  /** The primary payment, a UUID. */
  payment_id: string
  /** Your identifier of the order. */
  order_id: string
  /** Amount of this operation, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  /** `init`, `pending`, `success`, `failure`; others may appear. */
  status: Status
  /** The merchant's POS, a UUID. */
  pos_id?: string | null | undefined
  /** `direct` or `hosted`. */
  mode?: Mode | null | undefined
  /** Time of creation; no zone. */
  created_at?: Timestamp | null | undefined
  /** Identifier of the transaction, a UUID. */
  transaction_id?: string | null | undefined
  /** A string of digits, such as `1000`. */
  status_code?: string | null | undefined
  /** Text of the status code. */
  status_description?: string | null | undefined
  /** The total fee. */
  fee?: Fee | null | undefined
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null | undefined
}

/** The fields of a payment's webhook (API document, "Primary operation webhook parameters"). */
interface PrimaryFields extends CommonEvent {
  /** Identifier at the acquiring bank. */
  gateway_order_id?: string | null | undefined
  /** The service's billing identifier. */
  billing_order_id?: string | null | undefined
  /** The way of payment. */
  payway?: string | null | undefined
  /** Electronic Commerce Indicator. */
  eci?: string | null | undefined
  /** The limit that caused a decline: typed as a string by the API document, delivered as an object. */
  limit_info?: LimitInfo | string | null | undefined
  /** The card's number, masked. */
  cc_mask?: string | null | undefined
  /** Token of the card. It can be charged: treat it as a secret. */
  cc_token?: string | null | undefined
  /** When the token expires; the fraction may be absent. */
  cc_token_expiration?: Timestamp | null | undefined
  /** Your identifier of the customer. */
  customer_id?: string | null | undefined
  /** As submitted. */
  customer_phone?: string | null | undefined
  /** The fixed part of the fee. */
  fixed_fee?: Fee | null | undefined
  /** The percentage part of the fee. */
  percent_fee?: Fee | null | undefined
  /** Your own data. */
  payload?: string | null | undefined
  /** Link to the receipt (`purchase`, `auth` and `credit` only). */
  receipt_url?: string | null | undefined
  /** Account-to-account payments only. */
  bank_pay?: BankPay | null | undefined
  /** The amount that was actually paid, where the payer may change it. */
  processed_amount?: number | null | undefined
  /** Currency of `processed_amount`. */
  processed_currency?: Currency | null | undefined
  /** Present for recurring payments. */
  recurring?: Recurring | null | undefined
}

/** A one-step payment changed its status. */
export interface PurchaseEvent extends PrimaryFields {
  /** Tells the events apart. */
  kind: 'purchase'
  /** The wire's word. */
  method: 'purchase'
}

/** An authorization (hold) changed its status. */
export interface AuthEvent extends PrimaryFields {
  /** Tells the events apart. */
  kind: 'auth'
  /** The wire's word. */
  method: 'auth'
}

/** A credit changed its status. */
export interface CreditEvent extends PrimaryFields {
  /** Tells the events apart. */
  kind: 'credit'
  /** The wire's word. */
  method: 'credit'
}

/** A card-to-card transfer changed its status. */
export interface P2pEvent extends PrimaryFields {
  /** Tells the events apart. */
  kind: 'p2p'
  /** The wire's word. */
  method: 'p2p'
}

/** A lookup changed its status. */
export interface LookupEvent extends PrimaryFields {
  /** Tells the events apart. */
  kind: 'lookup'
  /** The wire's word. */
  method: 'lookup'
}

/** A payment changed its status. */
export type PrimaryEvent = PurchaseEvent | AuthEvent | CreditEvent | P2pEvent | LookupEvent

/** The fields of capture, void, increment and refund webhooks (API document, "Secondary operation webhook parameters"). */
export interface SecondaryEvent extends CommonEvent {
  /** Identifier of the operation itself, a UUID. */
  operation_id: string
}

/** A capture changed its status. */
export interface CaptureEvent extends SecondaryEvent {
  /** Tells the events apart. */
  kind: 'capture'
  /** The wire's word. */
  method: 'capture'
  /** The limit that caused a decline: typed as a string by the API document, delivered as an object. */
  limit_info?: LimitInfo | string | null | undefined
}

/** A void changed its status. */
export interface VoidEvent extends SecondaryEvent {
  /** Tells the events apart. */
  kind: 'void'
  /** The wire's word. */
  method: 'void'
}

/** An incremental authorization changed its status. */
export interface AuthIncrementEvent extends SecondaryEvent {
  /** Tells the events apart. */
  kind: 'auth_increment'
  /** The wire's word. */
  method: 'auth_increment'
  /** The limit that caused a decline: typed as a string by the API document, delivered as an object. */
  limit_info?: LimitInfo | string | null | undefined
}

/** A refund changed its status. */
export interface RefundEvent extends SecondaryEvent {
  /** Tells the events apart. */
  kind: 'refund'
  /** The wire's word. */
  method: 'refund'
  /** Link to the receipt. */
  receipt_url?: string | null | undefined
}

/** A verified webhook with a `method` that the API document does not name. */
export interface UnknownEvent extends Received {
  /** Tells the events apart. */
  kind: 'unknown'
  /** The wire's word. */
  method: string
  /** Your identifier of the order, where it is a string. */
  order_id?: string | undefined
}

/** A verified webhook without the fields that decide, or with another type in one of them. */
export interface UnexpectedEvent extends Received {
  /** Tells the events apart. */
  kind: 'unexpected'
  /** The wire's word, where it is a string. */
  method?: string | undefined
  /** Your identifier of the order, where it is a string. */
  order_id?: string | undefined
}

/** A webhook that the API document describes. */
export type DocumentedEvent = PrimaryEvent | CaptureEvent | VoidEvent | AuthIncrementEvent | RefundEvent

/** A verified webhook. `kind` tells them apart: the documented method, or `unknown`, or `unexpected`. */
export type WebhookEvent = DocumentedEvent | UnknownEvent | UnexpectedEvent

/** An event, or a copy of one that went through JSON, `structuredClone`, a queue or a spread: its fields and `kind`. */
export type EventCopy = WebhookEvent extends infer E ? (E extends WebhookEvent ? Wire<E> : never) : never

/**
 * Whether an event is one that the API document describes, so that it has `status`, `amount` and `currency`.
 * @example
 * import { isDocumentedEvent, type WebhookEvent } from 'edgetill'
 * const amountOf = (event: WebhookEvent) => (isDocumentedEvent(event) ? event.amount : undefined)
 */
export function isDocumentedEvent<E extends EventCopy>(event: E): event is Extract<E, Wire<DocumentedEvent>> {
  const kind: unknown = event?.kind
  return typeof kind === 'string' && kind !== 'unknown' && kind !== 'unexpected'
}

type Secondary = Omit<SecondaryEvent, keyof Received>

const commonFields = /* @__PURE__ */ pure(() =>
  fieldsOf<Wire<CommonEvent>>()({
    payment_id: text,
    order_id: text,
    amount: number,
    currency: text,
    status: text,
    pos_id: optionalText,
    mode: optionalText,
    created_at: optionalText,
    transaction_id: optionalText,
    status_code: optionalText,
    status_description: optionalText,
    fee: v.nullish(feeSchema),
    processed_at: optionalText,
  }),
)
const secondaryFields = /* @__PURE__ */ pure(() => fieldsOf<Secondary>()({ ...commonFields, operation_id: text }))

const limit_info = /* @__PURE__ */ pure(() => v.nullish(limitInfoSchema))

/** The fields that a schema reads of an event: `kind` is ours, and added afterwards. */
export type EventFields<T> = Omit<T, 'kind' | keyof Received>

/** A payment's webhook, under any of its five methods. */
export const primaryEventSchema: Schema<EventFields<PrimaryEvent>> = /* @__PURE__ */ pure(() =>
  objectOf(
    fieldsOf<EventFields<PrimaryEvent>>()({
      ...commonFields,
      method: oneOf(['purchase', 'auth', 'credit', 'p2p', 'lookup']),
      gateway_order_id: optionalText,
      billing_order_id: optionalText,
      payway: optionalText,
      eci: optionalText,
      limit_info,
      cc_mask: optionalText,
      cc_token: optionalText,
      cc_token_expiration: optionalText,
      customer_id: optionalText,
      customer_phone: optionalText,
      fixed_fee: v.nullish(feeSchema),
      percent_fee: v.nullish(feeSchema),
      payload: optionalText,
      receipt_url: optionalText,
      bank_pay: v.nullish(bankPaySchema),
      processed_amount: optionalNumber,
      processed_currency: optionalText,
      recurring: v.nullish(recurringSchema),
    }),
  ),
)

/** A capture's webhook. */
export const captureEventSchema: Schema<EventFields<CaptureEvent>> = /* @__PURE__ */ pure(() => {
  const fields = fieldsOf<EventFields<CaptureEvent>>()({ ...secondaryFields, method: oneOf(['capture']), limit_info })
  return objectOf(fields)
})

/** A void's webhook. */
export const voidEventSchema: Schema<EventFields<VoidEvent>> = /* @__PURE__ */ pure(() => {
  const fields = fieldsOf<EventFields<VoidEvent>>()({ ...secondaryFields, method: oneOf(['void']) })
  return objectOf(fields)
})

/** An incremental authorization's webhook. */
export const authIncrementEventSchema: Schema<EventFields<AuthIncrementEvent>> = /* @__PURE__ */ pure(() => {
  const method = oneOf(['auth_increment'])
  const fields = fieldsOf<EventFields<AuthIncrementEvent>>()({ ...secondaryFields, method, limit_info })
  return objectOf(fields)
})

/** A refund's webhook. */
export const refundEventSchema: Schema<EventFields<RefundEvent>> = /* @__PURE__ */ pure(() => {
  const method = oneOf(['refund'])
  const fields = fieldsOf<EventFields<RefundEvent>>()({ ...secondaryFields, method, receipt_url: optionalText })
  return objectOf(fields)
})
