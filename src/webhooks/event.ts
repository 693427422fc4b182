import type { Issue } from '../errors.ts'
import { lazy } from '../lib/lazy.ts'
import { type BankPay, bankPaySchema } from '../schemas/bank-pay.ts'
import { type Fee, feeSchema } from '../schemas/fee.ts'
import { type LimitInfo, limitInfoSchema } from '../schemas/limit-info.ts'
import { type Recurring, recurringSchema } from '../schemas/recurring.ts'
import { anyValue, kindOf, looseObject, maybe, read, type Schema } from '../schemas/schema.ts'
import { type Currency, type Mode, numberField, type Status, type Timestamp, textField } from '../schemas/values.ts'

/** What every documented webhook has (document, "Events"). Unknown parameters are kept. */
interface CommonEvent {
  /** The primary payment, a UUID. */
  payment_id: string
  /** Your identifier of the order. */
  order_id: string
  /** The merchant's POS, a UUID. */
  pos_id: string
  /** `direct` or `hosted`. */
  mode: Mode
  /** Amount of this operation, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  /** `init`, `pending`, `success`, `failure`; others may appear. */
  status: Status
  /** Time of creation; no zone. */
  created_at: Timestamp
  /** Identifier of the transaction, a UUID. */
  transaction_id?: string | null
  /** A string of digits, such as `1000`. */
  status_code?: string | null
  /** Text of the status code. */
  status_description?: string | null
  /** The total fee. */
  fee?: Fee | null
  /** Time of the last change; no zone. */
  processed_at?: Timestamp | null
}

/** A change of a payment's status (document, "Primary operation webhook parameters"). */
export interface PrimaryEvent extends CommonEvent {
  /** Tells the kinds of events apart. */
  method: 'purchase' | 'auth' | 'credit' | 'p2p' | 'lookup'
  /** Identifier at the acquiring bank. */
  gateway_order_id?: string | null
  /** The service's billing identifier. */
  billing_order_id?: string | null
  /** The way of payment. */
  payway?: string | null
  /** Electronic Commerce Indicator. */
  eci?: string | null
  /** The limit that caused a decline: typed a string by the document, delivered as an object. */
  limit_info?: LimitInfo | string | null
  /** The card's number, masked. */
  cc_mask?: string | null
  /** Token of the card. It can be charged: treat it as a secret. */
  cc_token?: string | null
  /** When the token expires; the fraction may be absent. */
  cc_token_expiration?: Timestamp | null
  /** Your identifier of the customer. */
  customer_id?: string | null
  /** As submitted. */
  customer_phone?: string | null
  /** The fixed part of the fee. */
  fixed_fee?: Fee | null
  /** The percentage part of the fee. */
  percent_fee?: Fee | null
  /** Your own data. */
  payload?: string | null
  /** Link to the receipt (`purchase`, `auth` and `credit` only). */
  receipt_url?: string | null
  /** Account-to-account payments only. */
  bank_pay?: BankPay | null
  /** What was actually paid, where the payer may change the amount. */
  processed_amount?: number | null
  /** Currency of `processed_amount`. */
  processed_currency?: Currency | null
  /** Present for recurring payments. */
  recurring?: Recurring | null
}

/** What capture, void, increment and refund webhooks have (document, "Secondary operation webhook parameters"). */
interface SecondaryEvent extends CommonEvent {
  /** Identifier of the operation itself, a UUID. */
  operation_id: string
}

/** A capture changed its status. */
export interface CaptureEvent extends SecondaryEvent {
  /** Tells the kinds of events apart. */
  method: 'capture'
  /** The limit that caused a decline: typed a string by the document, delivered as an object. */
  limit_info?: LimitInfo | string | null
}

/** A void changed its status. */
export interface VoidEvent extends SecondaryEvent {
  /** Tells the kinds of events apart. */
  method: 'void'
}

/** An incremental authorisation changed its status. */
export interface AuthIncrementEvent extends SecondaryEvent {
  /** Tells the kinds of events apart. */
  method: 'auth_increment'
  /** The limit that caused a decline: typed a string by the document, delivered as an object. */
  limit_info?: LimitInfo | string | null
}

/** A refund changed its status. */
export interface RefundEvent extends SecondaryEvent {
  /** Tells the kinds of events apart. */
  method: 'refund'
  /** Link to the receipt. */
  receipt_url?: string | null
}

declare const unknownMethod: unique symbol
/**
 * A `method` that the document does not name. At run time it is a string, and `String(event.method)` or
 * `isUnknownEvent` gives it; its type is opaque, since any wider one would keep `event.method === 'refund'` from
 * telling the documented events apart.
 */
export interface UnknownMethod {
  readonly [unknownMethod]: true
}

/** A genuine webhook with a `method` that the document does not name. Nothing else of it is checked. */
export interface UnknownEvent {
  method: UnknownMethod
  readonly [field: string]: unknown
}

/** A genuine webhook whose shape the document does not show. It alone has `issues`. */
export interface UnexpectedEvent {
  /** Never set, so that a test of `method` cannot take it for a documented event. */
  method?: undefined
  /** What differs from the document. */
  issues: readonly Issue[]
  /** Everything that was received, as it came. */
  record: Record<string, unknown>
}

/** A genuine webhook. Tell the kinds apart by `method`. */
export type WebhookEvent =
  | PrimaryEvent
  | CaptureEvent
  | VoidEvent
  | AuthIncrementEvent
  | RefundEvent
  | UnknownEvent
  | UnexpectedEvent

/**
 * Whether a genuine webhook has a shape that the document does not show; `issues` say how, `record` holds it all.
 * @example
 * import { isUnexpectedEvent, type WebhookEvent } from 'edgetill/webhooks'
 * const describe = (event: WebhookEvent) => (isUnexpectedEvent(event) ? event.issues : event.method)
 */
export function isUnexpectedEvent(event: WebhookEvent): event is UnexpectedEvent {
  return event.method === undefined
}

/**
 * Whether a genuine webhook has a `method` that the document does not name.
 * @example
 * import { isUnknownEvent, type WebhookEvent } from 'edgetill/webhooks'
 * const report = (event: WebhookEvent) => { if (isUnknownEvent(event)) console.log(event.method) }
 */
export function isUnknownEvent(event: WebhookEvent): event is UnknownEvent & { readonly method: string } {
  return typeof event.method === 'string' && !Object.hasOwn(schemas(), event.method)
}

/** Reads an event from a verified JSON object. Never throws: what does not fit is an `UnexpectedEvent`. */
export function parseEvent(record: Record<string, unknown>): WebhookEvent {
  const { method } = record
  if (typeof method !== 'string' || method === '') {
    return { issues: [{ path: 'method', rule: 'a string', received: kindOf(method) }], record }
  }
  const schema = Object.hasOwn(schemas(), method) ? schemas()[method] : undefined
  if (!schema) return record as unknown as UnknownEvent
  const { value, issues } = read(schema, record)
  return issues ? { issues, record } : value
}

// Looked up by method: several times faster than a variant schema, which tries its options.
const schemas = /* @__PURE__ */ lazy((): Record<string, Schema<WebhookEvent>> => {
  // The schema was found by its method.
  const named = anyValue
  const text = maybe(textField())
  const fee = maybe(feeSchema())
  const limit_info = maybe(limitInfoSchema())
  const common = {
    payment_id: textField(),
    order_id: textField(),
    pos_id: textField(),
    mode: textField(),
    amount: numberField(),
    currency: textField(),
    status: textField(),
    created_at: textField(),
    transaction_id: text,
    status_code: text,
    status_description: text,
    fee,
    processed_at: text,
  }
  const primary = looseObject<PrimaryEvent>({
    ...common,
    method: named<PrimaryEvent['method']>(),
    gateway_order_id: text,
    billing_order_id: text,
    payway: text,
    eci: text,
    limit_info,
    cc_mask: text,
    cc_token: text,
    cc_token_expiration: text,
    customer_id: text,
    customer_phone: text,
    fixed_fee: fee,
    percent_fee: fee,
    payload: text,
    receipt_url: text,
    bank_pay: maybe(bankPaySchema()),
    processed_amount: maybe(numberField()),
    processed_currency: text,
    recurring: maybe(recurringSchema()),
  })
  const secondary = { ...common, operation_id: textField() }
  return {
    purchase: primary,
    auth: primary,
    credit: primary,
    p2p: primary,
    lookup: primary,
    capture: looseObject<CaptureEvent>({ ...secondary, method: named<'capture'>(), limit_info }),
    void: looseObject<VoidEvent>({ ...secondary, method: named<'void'>() }),
    auth_increment: looseObject<AuthIncrementEvent>({ ...secondary, method: named<'auth_increment'>(), limit_info }),
    refund: looseObject<RefundEvent>({ ...secondary, method: named<'refund'>(), receipt_url: text }),
  }
})
