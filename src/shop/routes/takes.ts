// The inputs of each route of `/api`, as types for whoever calls it in the Worker. A row with other ones does not compile.

import type { Call } from './results.ts'

/** Parameters of a query, each as text or a number. */
type Filters<Name extends string> = { query?: Readonly<Partial<Record<Name, string | number>>> }
type Query<Name extends string, More extends string = never> = {
  query: Readonly<Record<Name, string | number>> & Filters<More>['query']
}
type Body<T> = { body: Readonly<T> }
type Paged = 'limit' | 'cursor'
type Money = { order_currency?: string; comment?: string; server_url?: string }

interface Inputs {
  'GET /api/orders': Filters<'status' | 'flag' | 'reference' | 'open' | 'from' | 'to' | 'search' | Paged>
  'GET /api/attention': Filters<'limit'>
  'POST /api/orders/:order_id/capture': Body<
    Money & { charge_amount?: number; products?: readonly object[]; f_receipt_delivery?: string }
  >
  'POST /api/orders/:order_id/refund': Body<Money & { refund_amount?: number }>
  'POST /api/orders/:order_id/void': Body<Money>
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': Body<{ executed: boolean | 'unknown' }>
  'POST /api/orders/:order_id/resend': Body<{ operation: string; transactionId?: string }>
  'POST /api/orders/:order_id/notes': Body<{ text: string }>
  'POST /api/orders/:order_id/attention/done': Body<{ kind: string; flag?: string }>
  'GET /api/days': Query<'from' | 'to'>
  'GET /api/operations': Query<'from' | 'to', Paged>
  'GET /api/audit': Filters<Paged>
  'GET /api/events': Query<'failing', Paged>
  'POST /api/events/replay': Body<{ since: string; cursor?: string }>
  'POST /api/links': Body<{
    order: object
    expires_at?: string | number
    reference?: string
    customer_email?: string
    landing?: boolean
    longOrderId?: boolean
    reusable?: boolean
    max_orders?: number
    max_per_hour?: number
  }>
  'GET /api/links': Filters<'state' | 'order_id' | Paged>
  'GET /api/links/:id': Filters<Paged>
  'DELETE /api/links/:id': Filters<'cancel'>
  'GET /api/strays': Filters<Paged>
}

/** The query and the body of a call; one without inputs takes none. */
export type Takes<K extends Call> = K extends keyof Inputs ? Inputs[K] : object
