// Inputs and outputs of each route of `/api`, in the types of the engine and the SDK. scripts/openapi/json-schema.ts reads
// them with their comments; a property that is a number is the status of a response.

import type { CheckoutOrder } from '../../src/checkout-link/index.ts'
import type {
  Account,
  CancelledPayment,
  Capture,
  CapturePaymentInput,
  Issue,
  OrderFlag,
  Refund,
  RefundPaymentInput,
  ResendWebhookInput,
  Void,
  VoidPaymentInput,
} from '../../src/index.ts'
import type { Wire } from '../../src/schemas/read.ts'
import type { MoneyRow } from '../../src/shop/books/tables.ts'
import type { Stray } from '../../src/shop/kv/strays.ts'
import type { Erased } from '../../src/shop/order/erase.ts'
import type { ShownOrder } from '../../src/shop/order/order-page.ts'
import type { RecordEntry } from '../../src/shop/order/record.ts'
import type { ShopDay } from '../../src/shop/routes/days.ts'
import type { AttentionList, ListedOrder } from '../../src/shop/routes/list-orders.ts'

/** Where a list ends for now. */
interface More {
  /** Sent as `cursor` with the same other parameters, it returns what follows; null at the end. */
  cursor: string | null
}

interface Page {
  /**
   * How many at most.
   * @type integer
   * @minimum 1
   * @maximum 100
   * @default 20
   */
  limit?: number
  /** Of the page before. */
  cursor?: string
}

interface Days {
  /**
   * The first day, in the shop's time zone.
   * @format date
   */
  from: string
  /**
   * The last day: at most 92 days.
   * @format date
   */
  to: string
}

interface OrderFilters extends Page {
  /** The orders with this status. */
  status?: string
  /** The orders with this flag; `any`: with at least one, `paid_after_failure` aside. */
  flag?: OrderFlag | 'any'
  /** The orders whose links had this reference. */
  reference?: string
  /** Opened checkouts that have not ended, and orders with a money call whose outcome is not known. */
  open?: 'true'
  /** The orders that were listed not earlier: a day (its beginning in UTC), or a time with its zone. */
  from?: string
  /** The orders that were listed earlier. */
  to?: string
  /** The beginning of an `order_id`, a reference or an e-mail address; four digits of a card; an amount. */
  search?: string
}

/** Fields that the worker fills in where they are left out, and fields that it forbids. */
type OfOrder<Input> = Omit<Input, 'order_id' | 'pos_id' | 'order_currency'> & {
  /** The order's own unless given. */
  order_currency?: string
}

export type CaptureRecord = Wire<Omit<Capture, 'cc_token'>>
export type RefundRecord = Wire<Omit<Refund, 'cc_token'>>
export type VoidRecord = Wire<Omit<Void, 'cc_token'>>
export type CancelledRecord = Wire<Omit<CancelledPayment, 'cc_token'>>
export type AccountRecord = Wire<Account>

/** A webhook's record under its wire names, without the card's token. */
interface EventRecord {
  [field: string]: unknown
}

interface StoredEvent {
  /** Milliseconds since 1970. */
  received_at: number
  event: EventRecord
  /** Differences from the service's API document. */
  issues?: Issue[]
  /** When the personal data was removed, milliseconds since 1970. */
  erased_at?: number
}

interface FailingEvent {
  id: string
  order_id: string
  /** How many times `onEvent` failed. */
  attempts: number
  /** Name and message of the last error. */
  error: string
  /** Only a replay calls `onEvent` again. */
  given_up: boolean
  /** When `onEvent` is called again, ISO 8601, UTC. */
  next_at: string | null
}

interface Replayed {
  id: string
  order_id: string
  /** False: `onEvent` failed again. */
  handled: boolean
}

interface MadeLink {
  id: string
  url: string
  /** Left out when it could not be kept. */
  short_url?: string
  /** ISO 8601, UTC. */
  expires_at: string
}

interface ListedLink {
  id: string
  order_id: string
  /** Minor units. */
  amount: number
  currency: string
  description: string | null
  customer_name: string | null
  state: 'sent' | 'opened' | 'paid' | 'revoked' | 'expired'
  url: string | null
  short_url: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  expires_at: string
  /** ISO 8601, UTC. */
  revoked_at: string | null
  /** Who made it. */
  by: string
}

type Operation = Omit<MoneyRow, 'at' | 'id' | 'gone'> & {
  /** When its success was received, ISO 8601, UTC. */
  at: string
}

/** Every route: a missing one fails `npm run openapi:update`. */
export interface Shapes {
  'GET /api/orders': { id: 'listOrders'; query: OrderFilters; 200: { orders: ListedOrder[] } & More }
  'GET /api/attention': {
    id: 'showAttention'
    /** `limit`: how many orders and strays at most, 200 by default; 0: the count alone. */
    query: { limit?: number }
    200: AttentionList
  }
  'GET /api/orders/:order_id': { id: 'getOrder'; 200: ShownOrder }
  'GET /api/orders/:order_id/events/:event_id': { id: 'getOrderEvent'; 200: StoredEvent }
  'POST /api/orders/:order_id/capture': { id: 'captureOrder'; body: OfOrder<CapturePaymentInput>; 200: CaptureRecord }
  'POST /api/orders/:order_id/refund': { id: 'refundOrder'; body: OfOrder<RefundPaymentInput>; 200: RefundRecord }
  'POST /api/orders/:order_id/void': { id: 'voidOrder'; body: OfOrder<VoidPaymentInput>; 200: VoidRecord }
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': {
    id: 'settleAttempt'
    body: { executed: boolean | 'unknown' }
    200: {
      attempt_id: string
      executed: boolean | 'unknown' /** The outcome that its money call returns from now on. */
      outcome: EventRecord
    }
  }
  'POST /api/orders/:order_id/cancel': {
    id: 'cancelOrder'
    200: CancelledRecord | { order_id: string /** Nothing was open at the service. */; link: 'closed' }
  }
  'POST /api/orders/:order_id/resend': {
    id: 'resendOrder'
    body: Omit<ResendWebhookInput, 'order_id' | 'pos_id'>
    200: EventRecord
  }
  'DELETE /api/orders/:order_id/personal-data': { id: 'erasePersonalData'; 200: Erased; 202: Erased }
  'POST /api/orders/:order_id/notes': {
    id: 'addNote'
    body: {
      /**
       * @minLength 1
       * @maxLength 1000
       */
      text: string
    }
    201: Record<string, never>
  }
  'POST /api/orders/:order_id/attention/done': {
    id: 'finishAttention'
    body: { /** Of the item. */ kind: string /** Of the item. */; flag?: string | null }
    200: { order_id: string; done: true }
  }
  'GET /api/days': { id: 'listDays'; query: Days; 200: { days: ShopDay[] } }
  'GET /api/operations': { id: 'listOperations'; query: Days & Page; 200: { operations: Operation[] } & More }
  'GET /api/audit': { id: 'listAudit'; query: Page; 200: { entries: (RecordEntry & { order_id: string })[] } & More }
  'GET /api/events': {
    id: 'listFailingEvents'
    query: Page & { failing: 'true' }
    200: { events: FailingEvent[] } & More
  }
  'POST /api/events/replay': {
    id: 'replayEvents'
    body: {
      /** A day, or a time with its zone. */ since: string /** Of the response before. */
      cursor?: string | null
    }
    202: { /** How many events. */ queued: number } & More
  }
  'POST /api/events/:id/replay': { id: 'replayEvent'; 200: Replayed; 502: Replayed }
  'POST /api/links': {
    id: 'makeLink'
    body: {
      order: CheckoutOrder
      /** A time with its zone, or milliseconds since 1970; 24 hours from now unless given. */
      expires_at?: string | number | null
      /**
       * The shop's own name of the sale.
       * @minLength 1
       * @maxLength 128
       */
      reference?: string | null
      /** Where the shop writes to the customer; the order's own unless given. */
      customer_email?: string | null
      /** The link shows what is bought and a button. */
      landing?: boolean | null
      /** The `order_id` of a purchase may have 253 characters, though it can then not be refunded here. */
      longOrderId?: boolean | null
    }
    201: MadeLink
  }
  'GET /api/links': {
    id: 'listLinks'
    query: Page & { state?: ListedLink['state']; order_id?: string }
    200: { links: ListedLink[] } & More
  }
  'DELETE /api/links/:id': {
    id: 'revokeLink'
    200: { id: string; order_id: string; revoked: true /** A payment of the order may be open. */; opened: boolean }
  }
  'GET /api/balances': { id: 'listBalances'; 200: { accounts: AccountRecord[] } }
  'GET /api/strays': { id: 'listStrays'; query: Page; 200: { strays: Stray[] } & More }
  'GET /api/strays/:id': { id: 'getStray'; 200: { /** As it was received. */ data: string } }
}
