import { limit_info, type OperationDetails, operationDetails, type PrimaryDetails, primaryDetails } from './details.ts'
import { fieldsOf, objectOf, pure, type Schema } from './fields.ts'
import { oneOf } from './input.ts'
import type { Received, Wire } from './read.ts'
import { type Currency, type LimitInfo, number, optionalText, type Status, text } from './values.ts'

/** The fields that every documented webhook has (API document, "Events"). Unknown parameters are kept. */
export interface CommonEvent extends Received, OperationDetails {
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
}

/** The fields of a payment's webhook (API document, "Primary operation webhook parameters"). */
interface PrimaryFields extends CommonEvent, PrimaryDetails {}

/** A one-step payment changed its status. */
export interface PurchaseEvent extends PrimaryFields {
  /** The kind of the event, for `switch`. */
  kind: 'purchase'
  /** The wire's word. */
  method: 'purchase'
}

/** An authorization (hold) changed its status. */
export interface AuthEvent extends PrimaryFields {
  /** The kind of the event, for `switch`. */
  kind: 'auth'
  /** The wire's word. */
  method: 'auth'
}

/** A credit changed its status. */
export interface CreditEvent extends PrimaryFields {
  /** The kind of the event, for `switch`. */
  kind: 'credit'
  /** The wire's word. */
  method: 'credit'
}

/** A card-to-card transfer changed its status. */
export interface P2pEvent extends PrimaryFields {
  /** The kind of the event, for `switch`. */
  kind: 'p2p'
  /** The wire's word. */
  method: 'p2p'
}

/** A lookup changed its status. */
export interface LookupEvent extends PrimaryFields {
  /** The kind of the event, for `switch`. */
  kind: 'lookup'
  /** The wire's word. */
  method: 'lookup'
}

/** A payment changed its status. */
export type PrimaryEvent = PurchaseEvent | AuthEvent | CreditEvent | P2pEvent | LookupEvent

/**
 * The fields of capture, void, increment and refund webhooks (API document, "Secondary operation webhook parameters").
 */
export interface SecondaryEvent extends CommonEvent {
  /** Identifier of the operation itself, a UUID. */
  operation_id: string
}

/** A capture changed its status. */
export interface CaptureEvent extends SecondaryEvent {
  /** The kind of the event, for `switch`. */
  kind: 'capture'
  /** The wire's word. */
  method: 'capture'
  /** The limit that caused a decline: typed as a string by the API document, delivered as an object. */
  limit_info?: LimitInfo | string | null | undefined
}

/** A void changed its status. */
export interface VoidEvent extends SecondaryEvent {
  /** The kind of the event, for `switch`. */
  kind: 'void'
  /** The wire's word. */
  method: 'void'
}

/** An incremental authorization changed its status. */
export interface AuthIncrementEvent extends SecondaryEvent {
  /** The kind of the event, for `switch`. */
  kind: 'auth_increment'
  /** The wire's word. */
  method: 'auth_increment'
  /** The limit that caused a decline: typed as a string by the API document, delivered as an object. */
  limit_info?: LimitInfo | string | null | undefined
}

/** A refund changed its status. */
export interface RefundEvent extends SecondaryEvent {
  /** The kind of the event, for `switch`. */
  kind: 'refund'
  /** The wire's word. */
  method: 'refund'
  /** Link to the receipt. */
  receipt_url?: string | null | undefined
}

/** A verified webhook with a `method` that the API document does not name. */
export interface UnknownEvent extends Received {
  /** The kind of the event, for `switch`. */
  kind: 'unknown'
  /** The wire's word. */
  method: string
  /** Your identifier of the order, if the wire has a string. */
  order_id?: string | undefined
}

/** A verified webhook in which a field that decides is missing, or has another type. */
export interface UnexpectedEvent extends Received {
  /** The kind of the event, for `switch`. */
  kind: 'unexpected'
  /** The wire's word, if the wire has a string. */
  method?: string | undefined
  /** Your identifier of the order, if the wire has a string. */
  order_id?: string | undefined
}

/** A webhook that the API document describes. */
export type DocumentedEvent = PrimaryEvent | CaptureEvent | VoidEvent | AuthIncrementEvent | RefundEvent

/** A verified webhook. `kind` is the documented method, or `unknown`, or `unexpected`. */
export type WebhookEvent = DocumentedEvent | UnknownEvent | UnexpectedEvent

/** An event, or its copy from JSON, `structuredClone`, a queue or a spread: its fields and `kind`. */
export type EventCopy = WebhookEvent extends infer E ? (E extends WebhookEvent ? Wire<E> : never) : never

/**
 * Whether the API document describes an event, so that it has `status`, `amount` and `currency`.
 * @example
 * import { isDocumentedEvent, type WebhookEvent } from 'edgetill/webhooks'
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
    ...operationDetails,
  }),
)
const secondaryFields = /* @__PURE__ */ pure(() => fieldsOf<Secondary>()({ ...commonFields, operation_id: text }))

/** The fields that a schema reads of an event: `kind` is ours, and added afterwards. */
export type EventFields<T> = Omit<T, 'kind' | keyof Received>

/** A payment's webhook, under any of its five methods. */
export const primaryEventSchema: Schema<EventFields<PrimaryEvent>> = /* @__PURE__ */ pure(() =>
  objectOf(
    fieldsOf<EventFields<PrimaryEvent>>()({
      ...commonFields,
      method: oneOf(['purchase', 'auth', 'credit', 'p2p', 'lookup']),
      ...primaryDetails,
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
