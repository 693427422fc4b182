import type { Account } from './accounts.ts'

/**
 * The same text, stored once for all orders that have it. Engines keep a concatenated text as a tree of its parts, and
 * a slice together with its whole text, but a property name as one shared text.
 */
export function shared(text: string): string {
  const names: Record<string, true> = Object.create(null)
  names[text] = true
  return Object.keys(names)[0] ?? text
}

/** An amount in its currency's unit. */
export interface Money {
  amount: number
  currency: string
}

/** The limit that caused a decline. */
export interface LimitInfo {
  retry_after: string
  description: string
}

/** The primary operation record of the API document; null if unknown. Amounts in units of the currency. */
export interface Payment {
  payment_id: string
  order_id: string
  gateway_order_id: string | null
  billing_order_id: string | null
  transaction_id: string
  pos_id: string
  mode: string
  method: string
  amount: number
  currency: string
  description: string
  status: string
  status_code: string | null
  status_description: string | null
  user_action_required: boolean
  user_action_url: string | null
  eci: string | null
  mcc: string | null
  options_3ds: string | null
  cc_mask: string | null
  cc_token: string | null
  cc_token_expiration: string | null
  result_url: string | null
  created_at: string
  processed_at: string
  payload: string | null
  bank_short_name: string | null
  receipt_url: string | null
  payway: string | null
  processed_amount: number | null
  processed_currency: string | null
  fee: Money | null
  fixed_fee: Money | null
  percent_fee: Money | null
  limit_info: LimitInfo | null
  bank_pay: Record<string, string> | null
}

type Shared =
  | ('payment_id' | 'order_id' | 'transaction_id' | 'pos_id' | 'mode' | 'method' | 'amount' | 'currency' | 'status')
  | ('status_code' | 'status_description' | 'fee' | 'limit_info' | 'created_at' | 'processed_at' | 'receipt_url')

/** The secondary operation record of the API document. */
export interface Operation extends Pick<Payment, Shared> {
  operation_id: string
  comment: string | null
  server_url: string | null
  /** The parts of a split capture or a split refund. */
  split: SplitPart[] | null
}

/** One sub-merchant's part. */
export interface SplitPart {
  amount: number
  sub_merchant_id: string
}

/** A recurring configuration and its charges. */
export interface Subscription {
  id: string
  /** `init`, `active` or `canceled`. */
  status: string
  /** Milliseconds since the epoch of the next charge; undefined when none is to come. */
  next: number | undefined
  notification_url: string | null
}

/** One thing that happened to an order, as its page shows it. */
export interface TimelineEntry {
  at: string
  what: string
  /** A note: it works here, and may be rejected by the service. */
  note?: true
}

export interface Order {
  order_id: string
  /** The parameters of the request that matter after the creation. */
  request: Record<string, unknown>
  split: boolean
  checkout_id: string
  opened_at: string | null
  /** The first is the order's own payment; the others are charges of its subscription. */
  payments: [Payment, ...Payment[]]
  operations: Operation[]
  /** Which of the other payments repeat a declined charge, by `transaction_id`: the number of the repetition. */
  retries?: Record<string, number>
  /** Earlier cards that were declined on the checkout page. */
  declined?: Payment[]
  subscription: Subscription | undefined
  /** The authorization expired after a partial capture: the rest can no longer be captured. */
  expired?: true
  /** The number of the card that the order was paid with; decides how later charges end. */
  card: string | undefined
  timeline: TimelineEntry[]
}

/** The card behind a token. Milliseconds since the epoch. */
export interface Token {
  number: string
  /** Until when it can be used; each payment with it gives it another year. */
  expires: number
  /** When its card expires, or it was ended by hand: from then on a subscription cannot be charged either. */
  ends?: number | undefined
}

export interface State {
  orders: Map<string, Order>
  checkouts: Map<string, Order>
  tokens: Map<string, Token>
  accounts: Account[]
  /** The number of orders that `keepOrders` made the emulator forget. */
  forgotten: number
}
