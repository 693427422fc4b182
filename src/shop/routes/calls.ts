// The calls of `/api`: for each the body of its success, and its inputs. A row with other types does not compile, and
// the OpenAPI document is made from these types and comments.

import type { Issue } from '../../errors.ts'
import type { DaySum, TillOperation } from '../../orders/day-sums.ts'
import type { ListedOrder } from '../../orders/listed-order.ts'
import type { Account } from '../../schemas/account.ts'
import type { Capture } from '../../schemas/capture.ts'
import type { CancelledPayment } from '../../schemas/payment.ts'
import type { Wire } from '../../schemas/read.ts'
import type { Refund, Void } from '../../schemas/secondary-operation.ts'
import type { AttentionList } from '../engine/attention.ts'
import type { FailingEvent } from '../engine/deliver.ts'
import type { Erased } from '../engine/erase.ts'
import type { Link, ReusableLink } from '../engine/links.ts'
import type { RecordEntry } from '../engine/record.ts'
import type { ShownOrder } from '../engine/show.ts'
import type { Stray } from '../kv/strays.ts'

/** A page of a list; `cursor` leads to the next one, and is null at the end. */
export type Page<Name extends string, T> = { [K in Name]: T[] } & { cursor: string | null }

/** A webhook's record under its wire names, without the card's token. */
export type EventRecord = Record<string, unknown>

/** Times are milliseconds since 1970; `issues` are differences from the service's API document. */
export type StoredEvent = { received_at: number; event: EventRecord; issues?: readonly Issue[]; erased_at?: number }

/** The takings of a day in one currency by one way of payment. */
export type ShopDay = DaySum

/**
 * An operation of a day; `at` is when its success was received, ISO 8601, UTC. Fields that end in `_minor` are
 * hundredths.
 */
export type Operation = TillOperation
export type { FailingEvent, Link, ListedOrder, ReusableLink }
export type Entry = RecordEntry & { order_id: string }
export type Replayed = { id: string; order_id: string; handled: boolean }
export type MadeLink = { id: string; url: string; short_url?: string; expires_at: string }

/** Parameters of a query, each as text or a number. */
type Filters<Name extends string> = { query?: Readonly<Partial<Record<Name, string | number>>> }
type Query<Name extends string, More extends string = never> = {
  query: Readonly<Record<Name, string | number>> & Filters<More>['query']
}
type Body<T> = { body: Readonly<T> }
type Paged = 'limit' | 'cursor'
type Money = { order_currency?: string; comment?: string; server_url?: string }

interface Calls {
  'GET /api/orders': [
    returns: Page<'orders', ListedOrder>,
    takes: Filters<'status' | 'state' | 'flag' | 'reference' | 'open' | 'from' | 'to' | 'search' | Paged>,
  ]
  'GET /api/attention': [AttentionList, Filters<'limit'>]
  'GET /api/orders/:order_id': [ShownOrder]
  'GET /api/orders/:order_id/events/:event_id': [StoredEvent]
  'POST /api/orders/:order_id/capture': [
    Wire<Capture>,
    Body<Money & { charge_amount?: number; products?: readonly object[]; f_receipt_delivery?: string }>,
  ]
  'POST /api/orders/:order_id/refund': [Wire<Refund>, Body<Money & { refund_amount?: number }>]
  'POST /api/orders/:order_id/void': [Wire<Void>, Body<Money>]
  /** `outcome`: the outcome that its money call returns from now on. */
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': [
    { attempt_id: string; executed: boolean | 'unknown'; outcome: EventRecord },
    Body<{ executed: boolean | 'unknown' }>,
  ]
  'POST /api/orders/:order_id/cancel': [Wire<CancelledPayment> | { order_id: string; link: 'closed' }]
  'POST /api/orders/:order_id/resend': [EventRecord, Body<{ operation: string; transactionId?: string }>]
  'DELETE /api/orders/:order_id/personal-data': [Erased]
  'POST /api/orders/:order_id/notes': [Record<string, never>, Body<{ text: string }>]
  'POST /api/orders/:order_id/attention/done': [{ order_id: string; done: true }, Body<{ kind: string; flag?: string }>]
  'GET /api/days': [{ days: ShopDay[] }, Query<'from' | 'to'>]
  'GET /api/operations': [Page<'operations', Operation>, Query<'from' | 'to', Paged>]
  'GET /api/audit': [Page<'entries', Entry>, Filters<Paged>]
  'GET /api/events': [Page<'events', FailingEvent>, Query<'failing', Paged>]
  'POST /api/events/replay': [{ queued: number; cursor: string | null }, Body<{ since: string; cursor?: string }>]
  'POST /api/events/:id/replay': [Replayed]
  'POST /api/links': [
    MadeLink,
    Body<{
      order: object
      expires_at?: string | number
      reference?: string
      customer_email?: string
      landing?: boolean
      longOrderId?: boolean
      reusable?: boolean
      max_orders?: number
      max_per_hour?: number
    }>,
  ]
  'GET /api/links': [Page<'links', Link>, Filters<'state' | 'order_id' | Paged>]
  'GET /api/links/:id': [Link & Page<'orders', ListedOrder>, Filters<Paged>]
  'PATCH /api/links/:id': [{ id: string; max_orders: number }, Body<{ max_orders: number }>]
  /** `opened`: a payment of the order may be open. */
  'DELETE /api/links/:id': [{ id: string; order_id: string; revoked: true; opened: boolean }, Filters<'cancel'>]
  'GET /api/balances': [{ accounts: Wire<Account>[] }]
  'GET /api/strays': [Page<'strays', Stray>, Filters<Paged>]
  'GET /api/strays/:id': [{ data: string }]
  'POST /api/strays/:id/done': [{ id: string; done: true }]
  /** Each line is JSON: a table and a row. `cursor`: from the last line of an incomplete log. */
  'GET /api/log': [string, Filters<'cursor' | 'cc_token'>]
  /** The body is lines of `GET /api/log`. `open`: the last one was loaded. */
  'POST /api/log': [{ loaded: number; open: boolean }]
  /** `events`: how many were missing. `erased`: how many orders were erased again. */
  'POST /api/recover': [
    { since: string; events: number; erased: number; cursor: string | null },
    Body<{ since: string; cursor?: string }>,
  ]
  'POST /api/log/close': [{ closed_at: string; to: string }, Body<{ to?: string }>]
}

type ReturnsOf = { [K in keyof Calls]: Calls[K][0] }

/** The body of each route's success. */
export interface Returns extends ReturnsOf {}

/** A route of `/api`, as a verb and a path. */
export type Call = keyof Returns

/** The routes that carry a shop over, or recover it. */
export type CarryCall = (`${string}/api/log${string}` | 'POST /api/recover') & Call

/** The query and the body of a call; a call without inputs takes none. */
export type Takes<K extends Call> = K extends Call
  ? Calls[K] extends [unknown, infer Inputs]
    ? Inputs
    : object
  : never
