/** An order as `GET /api/orders/:order_id` answers it. Amounts are the wire's numbers, totals are minor units. */
export interface Order {
  order_id: string
  /** Of the order's first payment; null until a webhook told. */
  status: string | null
  method: string | null
  amount: number | null
  currency: string | null
  totals: Totals
  /** Each operation in its newest state, in order of `created_at`. */
  operations: Operation[]
  /** Every distinct event. */
  events: OrderEvent[]
  flags: Flag[]
  /** The newest time of any event, as the service wrote it (no zone); null before the first. */
  updated_at: string | null
  /** The order_id of the attempt that took this order's place, when there is one. */
  replaced_by?: string
  /** The order that this attempt belongs to, when it is not the first. */
  replaces?: string
}

/** Hundredths of the order's currency, successful operations only. */
export interface Totals {
  /** Successful purchases and reserves, with their increments. */
  authorized: number
  /** Successful purchases and captures. */
  captured: number
  refunded: number
  voided: number
  fee: number
}

export interface Operation {
  method: string
  /** `operation_id`, or `transaction_id ?? payment_id` of a payment. */
  id: string
  status: string | null
  status_code: string | null
  amount: number | null
  created_at: string | null
  processed_at: string | null
}

export interface OrderEvent extends Omit<Operation, 'method' | 'id'> {
  /** The event's stable id; `GET /api/orders/:order_id/events/:event_id` answers it as it was received. */
  id: string
  /** Null when the event had none. */
  method: string | null
  /** The operation that it is about; null when the event does not say. */
  operation: string | null
  currency: string | null
  /** Present on an event of a shape that the service's document does not show. */
  unexpected?: true
}

/** Why an order needs a person's attention. */
export type Flag = 'amount_mismatch' | 'currency_mismatch' | 'over_capture' | 'unknown_order' | 'unexpected_shape'

/** What was asked for at checkout. */
export interface Asked {
  amount: number
  currency: string
}
