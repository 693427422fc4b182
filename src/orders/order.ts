import type { Paid } from './paid-of.ts'

/**
 * The state of an order, folded from its events. An amount is in the currency's unit; a name in `_minor` means its
 * hundredths.
 */
export interface Order {
  /** Your identifier of the order; null when no event names one. */
  order_id: string | null
  /** Status of the order's first successful payment, else of its first one; null before its first webhook. */
  status: string | null
  /** `purchase`, `auth` …: the method of that payment. */
  method: string | null
  /** Amount of that payment, in the currency's unit; before its first webhook, the expected one. */
  amount: number | null
  /** ISO 4217. */
  currency: string | null
  /** The sums of the successful operations. */
  totals: OrderTotals
  /** Each operation in its newest state, ordered by `created_at`. */
  operations: OrderOperation[]
  /** Every distinct event, oldest first. */
  events: OrderEvent[]
  /** Remarks on the order; {@link needsPerson} returns whether a person should look at it. */
  flags: OrderFlag[]
  /** The newest time of any event, as the service wrote it (no zone); null before the first. */
  updated_at: string | null
}

/** Sums in hundredths of the order's currency. Only successful operations in that currency count. */
export interface OrderTotals {
  /** Successful purchases and authorizations, with their increments. */
  authorized_minor: number
  /** Successful purchases and captures. */
  captured_minor: number
  /** Successful refunds. */
  refunded_minor: number
  /** Successful voids. */
  voided_minor: number
  /**
   * The service's fees for the operations that took or gave back money, as far as they were named in the order's
   * currency; null if no fee was named: a list may name none.
   */
  fee_minor: number | null
  /**
   * The fee that an authorization names, while it is neither captured nor voided. It is not taken yet, and a capture
   * names its own (assumption: the API document does not show when a fee is taken).
   */
  expected_fee_minor?: number
}

/** A payment, capture, refund, void or increment of an order. */
export interface OrderOperation {
  /** The wire's `method`. */
  method: string
  /** `operation_id`; for a payment `transaction_id ?? payment_id`. */
  id: string
  /** Status of the newest event that counts. */
  status: string | null
  /** A string of digits, such as `1000`. */
  status_code: string | null
  /** In the currency's unit. Of a payment whose amount the payer may change: the amount that you asked for. */
  amount: number | null
  /** The money that the customer actually paid: see {@link paidOf}. Only a successful purchase or capture has it. */
  paid?: Paid
  /** The money that a successful authorization holds. */
  held?: Paid
  /** As the service wrote it; no zone. */
  created_at: string | null
  /** As the service wrote it; no zone. */
  processed_at: string | null
}

/** A distinct event of an order. */
export interface OrderEvent extends Omit<OrderOperation, 'method' | 'id' | 'paid' | 'held'> {
  /** The event's {@link eventKey}. */
  id: string
  /** Null when the event had none. */
  method: string | null
  /** The operation that the event is about; null if the event names none. */
  operation: string | null
  /** ISO 4217. */
  currency: string | null
  /** Present when the event has a shape that the API document does not show. */
  unexpected?: true
}

/**
 * Remarks on an order. Each but `paid_after_failure` needs a person's attention:
 * - `amount_mismatch`: the amount paid is not the expected amount;
 * - `currency_mismatch`: two currencies in one order, or an unexpected currency;
 * - `over_capture`: more was captured than is authorized (and not voided);
 * - `unknown_order`: events arrived for an order that was never expected (set by the Worker and the till only);
 * - `unexpected_shape`: an event has a shape that the API document does not show, or an impossible amount, or one with
 *   more than two decimals, of which the totals have the rounded hundredths;
 * - `foreign_pos`: an event belongs to another POS than expected;
 * - `status_conflict`: one operation was reported both as a success and as a failure, or one payment as two
 *   transactions;
 * - `over_refund`: more was refunded than captured;
 * - `paid_after_failure`: a payment failed before a later payment succeeded: it informs, and needs no action;
 * - `paid_twice`: two payments of the order hold money, and neither is a subscription's; the worker sets it for two
 *   attempts too;
 * - `over_sold`: its link had sold as many orders as it may (set by the worker only).
 */
export type OrderFlag =
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'over_capture'
  | 'unknown_order'
  | 'unexpected_shape'
  | 'foreign_pos'
  | 'status_conflict'
  | 'over_refund'
  | 'paid_after_failure'
  | 'paid_twice'
  | 'over_sold'

type Price = { amount: number; currency: string }

/** The payment that was requested. */
export function expectedPayment(request: Price): ExpectedPayment & Price {
  const { amount, currency, init_recurring: again } = request as Price & { init_recurring?: { amount?: number } }
  return { amount, currency, ...(again && { recurring_amount: again.amount ?? amount }) }
}

/** The expected payment of the order; every field that is given is compared. */
export interface ExpectedPayment {
  /** In the currency's unit. */
  amount?: number | undefined
  /** ISO 4217. */
  currency?: string | undefined
  /** The expected amount of each later charge of a subscription. */
  recurring_amount?: number | undefined
  /** Your POS, a UUID. */
  pos_id?: string | undefined
}
