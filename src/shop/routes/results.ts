// The results of each route of `/api`, and the errors that it may give. The Worker imports types of this file alone: no schema of it
// is in a shop's bundle, which a test holds. The words are those of the interfaces, and of guides/shop-reference.md.

import * as v from 'valibot'
import type { Issue } from '../../errors.ts'
import type { UnsettledOperation } from '../../money/unsettled.ts'
import type { OrderEvent, OrderFlag, OrderTotals } from '../../orders/index.ts'
import type { Account } from '../../schemas/account.ts'
import type { Capture } from '../../schemas/capture.ts'
import { operationDetails } from '../../schemas/details.ts'
import type { Schema } from '../../schemas/fields.ts'
import { type CancelledPayment, cancelledPaymentSchema } from '../../schemas/payment.ts'
import { hostedFields } from '../../schemas/purchase.ts'
import type { Wire } from '../../schemas/read.ts'
import { initRecurringSchema } from '../../schemas/recurring.ts'
import type { Refund, Void } from '../../schemas/secondary-operation.ts'
import { splitListSchema } from '../../schemas/split.ts'
import { optionalNumber, optionalText } from '../../schemas/values.ts'
import type { Bought } from '../books/days.ts'
import type { LinkRow, LinkState } from '../books/links.ts'
import type { Limits } from '../books/reuse.ts'
import type { MoneyRow } from '../books/tables.ts'
import type { Stray } from '../kv/strays.ts'
import type { Erased } from '../order/erase.ts'
import type { ShownOrder } from '../order/order-page.ts'
import type { RecordEntry } from '../order/record.ts'
import type { AttentionItem, AttentionList, ListedOrder } from './list-orders.ts'

/** A page of a list; `cursor` leads to the next one, and is null at the end. */
export type Page<Name extends string, T> = { [K in Name]: T[] } & { cursor: string | null }

/** A webhook's record under its wire names, without the card's token. */
export type EventRecord = Record<string, unknown>

/** Times are milliseconds since 1970; `issues` are differences from the service's API document. */
export type StoredEvent = { received_at: number; event: EventRecord; issues?: readonly Issue[]; erased_at?: number }

/** An event that `onEvent` failed on so many times, with name and message of the last error. */
export interface FailingEvent {
  id: string
  order_id: string
  attempts: number
  error: string
  /** Only a replay calls `onEvent` again. */
  given_up: boolean
  /** When `onEvent` is called again, ISO 8601, UTC. */
  next_at: string | null
}

/** How many orders a link that anybody may pay with makes. */
export interface ReusableLink extends Limits {
  /** How many it has made. */
  made: number
  /** It is revoked or has expired, and not each of its orders is known to have ended: `DELETE` it again. */
  closing: boolean
}

/** A link of `POST /api/links`. Its times are ISO 8601, UTC. */
export interface Link extends Omit<LinkRow, 'short' | 'token' | 'amount' | 'created_at' | 'expires_at' | 'revoked_at'> {
  /** Hundredths of its currency's unit. */
  amount_minor: number
  state: LinkState
  url: string | null
  short_url: string | null
  created_at: string
  expires_at: string
  revoked_at: string | null
  /** Null: it leads to one payment. */
  reusable: ReusableLink | null
}

/** The takings of a day in one currency by one way of payment. What ends in `_minor` is hundredths of the currency's unit. */
export interface ShopDay {
  day: string
  currency: string
  /** The way of payment; `unknown` where the service did not say. */
  method: string
  /** Holds: nothing is taken by them. */
  authorized_minor: number
  paid_minor: number
  captured_minor: number
  refunded_minor: number
  voided_minor: number
  /** `paid_minor` and `captured_minor` without `refunded_minor`, and without the purchases that were voided. */
  taken_minor: number
  fee_minor: number
  /** How many operations. */
  count: number
}

/** An operation of a day; `at` is when its success was received, ISO 8601, UTC. What ends in `_minor` is hundredths. */
export type Operation = Omit<MoneyRow, 'at' | 'id' | 'gone' | 'amount' | 'taken' | 'fee'> &
  Record<'amount_minor' | 'taken_minor' | 'fee_minor', number> & { at: string } & Bought
export type Entry = RecordEntry & { order_id: string }
export type Replayed = { id: string; order_id: string; handled: boolean }
export type MadeLink = { id: string; url: string; short_url?: string; expires_at: string }

/** Every route of `/api`, and the body of its success. */
export interface Returns {
  'GET /api/orders': Page<'orders', ListedOrder>
  'GET /api/attention': AttentionList
  'GET /api/orders/:order_id': ShownOrder
  'GET /api/orders/:order_id/events/:event_id': StoredEvent
  'POST /api/orders/:order_id/capture': Wire<Capture>
  'POST /api/orders/:order_id/refund': Wire<Refund>
  'POST /api/orders/:order_id/void': Wire<Void>
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': {
    attempt_id: string
    executed: boolean | 'unknown'
    outcome: EventRecord
  }
  'POST /api/orders/:order_id/cancel': Wire<CancelledPayment> | { order_id: string; link: 'closed' }
  'POST /api/orders/:order_id/resend': EventRecord
  'DELETE /api/orders/:order_id/personal-data': Erased
  'POST /api/orders/:order_id/notes': Record<string, never>
  'POST /api/orders/:order_id/attention/done': { order_id: string; done: true }
  'GET /api/days': { days: ShopDay[] }
  'GET /api/operations': Page<'operations', Operation>
  'GET /api/audit': Page<'entries', Entry>
  'GET /api/events': Page<'events', FailingEvent>
  'POST /api/events/replay': { queued: number; cursor: string | null }
  'POST /api/events/:id/replay': Replayed
  'POST /api/chat': { accepted: boolean | null }
  'POST /api/links': MadeLink
  'GET /api/links': Page<'links', Link>
  'GET /api/links/:id': Link & Page<'orders', ListedOrder>
  'DELETE /api/links/:id': { id: string; order_id: string; revoked: true; opened: boolean }
  'GET /api/balances': { accounts: Wire<Account>[] }
  'GET /api/strays': Page<'strays', Stray>
  'GET /api/strays/:id': { data: string }
}

/** A route of `/api`, as a verb and a path. */
export type Call = keyof Returns

const text = v.string()
const maybe = v.nullable(text)
const whole = v.pipe(v.number(), v.integer())
const amount = v.nullable(v.number())
const optional = v.exactOptional(text)
const record = v.record(text, v.unknown())
const says = <S extends v.GenericSchema>(schema: S, words: string) => v.pipe(schema, v.description(words))
const cursor = says(maybe, 'Sent as `cursor`, it returns what follows; null at the end.')
/** Fields that are alike. */
const each = <S extends v.GenericSchema, const N extends string>(schema: S, ...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, schema])) as { [K in N]: S }
const page = <S extends v.GenericSchema, const N extends string>(name: N, item: S) =>
  v.object({ ...each(v.array(item), name), cursor })

/** The schemas that have a name in the document: that of their interface, whose words they get. */
export const NAMED: Record<string, v.GenericSchema> = {}
function named<S extends v.GenericSchema>(name: string, schema: S): S {
  NAMED[name] = schema
  return schema
}
/** The schema of an interface: one for each field, and no other. */
const shape =
  <T>(name: string) =>
  <E extends v.ObjectEntries>(
    entries: E & { [K in keyof T]-?: v.GenericSchema } & { [K in Exclude<keyof E, keyof T>]: never },
  ) =>
    named(name, v.object<E>(entries))

const totals = shape<OrderTotals>('OrderTotals')({
  ...each(whole, 'authorized', 'captured', 'refunded', 'voided'),
  fee: v.nullable(whole),
})
const order = {
  ...each(maybe, 'status', 'method', 'currency', 'updated_at'),
  ...each(optional, 'status_at', 'reference', 'replaces', 'replaced_by'),
  flags: v.array(v.string() as unknown as Schema<OrderFlag>),
  ...{ order_id: text, amount, totals },
}
const listedOrder = shape<ListedOrder>('ListedOrder')({
  ...order,
  ...each(optional, 'description', 'customer_name'),
  listed_at: text,
})
const event = { id: text, amount, ...each(maybe, 'status', 'status_code', 'created_at', 'processed_at') }
const orderEvent = shape<OrderEvent>('OrderEvent')({
  ...event,
  ...each(maybe, 'method', 'operation', 'currency'),
  unexpected: v.exactOptional(v.literal(true)),
})
const attempt = shape<UnsettledOperation>('UnsettledOperation')({
  ...each(text, 'id', 'started_at'),
  amount,
  kind: v.picklist(['capture', 'refund', 'void']),
  state: v.picklist(['in_progress', 'unknown']),
})
const entry = {
  ...each(text, 'at', 'by', 'action'),
  ...each(optional, 'currency', 'text', 'result'),
  amount_minor: v.exactOptional(whole),
}
const recordEntry = shape<RecordEntry>('RecordEntry')(entry)
const orderOperation = named('OrderOperation', v.object({ ...event, method: text, received_at: optional }))
const shownOrder = shape<ShownOrder>('ShownOrder')({
  ...order,
  ...{ customer_email: optional, version: text },
  operations: v.array(orderOperation),
  events: v.array(orderEvent),
  attempts: v.array(attempt),
  record: v.array(recordEntry),
})
const item = { ...each(text, 'kind', 'text', 'at'), order_id: maybe }
const attentionItem = named('AttentionItem', v.objectWithRest(item, v.unknown()) as Schema<AttentionItem>)
const shopDay = shape<ShopDay>('ShopDay')({
  ...each(text, 'day', 'currency', 'method'),
  ...each(whole, 'authorized_minor', 'paid_minor', 'captured_minor', 'refunded_minor', 'voided_minor'),
  ...each(whole, 'taken_minor', 'fee_minor', 'count'),
})
const operation = shape<Operation>('Operation')({
  ...each(text, 'at', 'day', 'order_id', 'method', 'currency'),
  ...each(whole, 'amount_minor', 'taken_minor', 'fee_minor'),
  kind: v.picklist(['authorized', 'paid', 'captured', 'refunded', 'voided']),
  ...each(maybe, 'reference', 'description', 'customer_name', 'last_four'),
})
const reusable = shape<ReusableLink>('ReusableLink')({
  ...{ max_orders: v.nullable(whole), max_per_hour: whole, made: whole, closing: v.boolean() },
})
const linkFields = {
  ...each(text, 'id', 'order_id', 'currency', 'created_at', 'expires_at', 'by'),
  ...each(maybe, 'description', 'customer_name', 'url', 'short_url', 'revoked_at'),
  amount_minor: whole,
  state: v.picklist<readonly LinkState[]>(['sent', 'opened', 'paid', 'revoked', 'expired']),
  reusable: v.nullable(reusable),
}
const link = shape<Link>('Link')(linkFields)
const failingEvent = shape<FailingEvent>('FailingEvent')({
  ...each(text, 'id', 'order_id', 'error'),
  ...{ attempts: whole, given_up: v.boolean(), next_at: maybe },
})
const issue = shape<Issue>('Issue')(each(text, 'path', 'message', 'received'))
const storedEvent = shape<StoredEvent>('StoredEvent')({
  ...{ received_at: whole, event: record, erased_at: v.exactOptional(whole) },
  issues: v.exactOptional(v.pipe(v.array(issue), v.readonly())),
})
const replayed = shape<Replayed>('Replayed')({ ...each(text, 'id', 'order_id'), handled: v.boolean() })
const madeLink = shape<MadeLink>('MadeLink')({ ...each(text, 'id', 'url', 'expires_at'), short_url: optional })
const stray = shape<Stray>('Stray')({ ...each(text, 'id', 'reason'), received_at: whole })
const erased = shape<Erased>('Erased')(each(whole, 'erased_events', 'events_left'))
const settled = v.object({
  ...{ attempt_id: text, executed: v.union([v.boolean(), v.literal('unknown')]) },
  outcome: says(record, 'The outcome that its money call returns from now on.'),
})
const revoked = v.object({
  ...{ ...each(text, 'id', 'order_id'), revoked: v.literal(true) },
  opened: says(v.boolean(), 'A payment of the order may be open.'),
})
const cancelledPayment = named('CancelledPayment', cancelledPaymentSchema)
const cancelled = v.union([v.object({ order_id: text, link: v.literal('closed') }), cancelledPayment])
const attention = v.object({ items: v.array(attentionItem), more: v.boolean(), count: whole })
const finished = v.object({ order_id: text, done: v.literal(true) })
const queued = v.object({ queued: whole, cursor })
const tried = v.object({ accepted: says(v.nullable(v.boolean()), 'Null: CHAT_URL is not set, or is not an address.') })
const moved = {
  ...{ ...operationDetails, ...each(text, 'operation_id', 'payment_id', 'order_id', 'currency', 'status', 'method') },
  ...{ amount: v.number(), comment: optionalText },
}
const capture = named('Capture', v.looseObject(moved))
const refund = named('Refund', v.looseObject({ ...moved, receipt_url: optionalText }))
const balances = named('AccountBalances', v.object({ available: v.number(), rolling_reserve: optionalNumber }))
const account = named('Account', v.looseObject({ ...each(text, 'id', 'currency'), name: optionalText, balances }))

const { pos_id: _, ...fields } = hostedFields
const hosted = { ...fields, mode: v.literal('hosted'), customer_referrer: optional }
const purchase = { ...hosted, method: v.literal('purchase') }
const checkoutOrders = [
  v.object({ ...purchase, init_recurring: v.exactOptional(initRecurringSchema) }),
  v.object({ ...hosted, method: v.literal('auth') }),
  v.object({ ...purchase, split: splitListSchema }),
]
named('CheckoutOrder', v.union(checkoutOrders))

/** The description of a route beyond what its row says. */
export interface Described<T = unknown> {
  id: string
  returns: Schema<T>
  /** The codes of its errors, beside those that every route can return. */
  errors: readonly string[]
  /** The statuses with that body. */
  statuses: readonly number[]
}

const is = <T>(
  id: string,
  returns: Schema<T>,
  errors: readonly string[] = [],
  ...statuses: number[]
): Described<T> => ({ id, returns, errors, statuses: statuses.length > 0 ? statuses : [200] })

const PAGE = ['invalid_cursor']
const SERVICE = ['connection', 'api']
const BODY = ['invalid_json', 'invalid_input']
const FOUND = [...BODY, 'not_found']
const ASKED = [...SERVICE, 'unexpected_response']
const CANCEL = ['invalid_input', ...SERVICE, 'outcome_unknown']
const PROGRESS = ['capture_in_progress', 'refund_in_progress', 'void_in_progress']
const SETTLE = [...FOUND, 'already_settled', ...PROGRESS]
const UNSETTLED = ['capture_unsettled', 'refund_unsettled', 'void_unsettled']
const KEY = ['idempotency_key_missing', 'idempotency_key_reused']
const money = (kind: string): string[] => [
  ...[...KEY, ...BODY, 'not_found', 'no_server_url', 'not_paid', 'paid_twice', 'order_changed', 'order_rebuilt'],
  ...[...PROGRESS, ...UNSETTLED, `${kind}_not_executed`, ...SERVICE, 'outcome_unknown'],
]

/** Every route: one that is missing, or returns something else than its row says, does not compile. */
export const DESCRIBED: { readonly [C in Call]: Described<Returns[C]> } = {
  'GET /api/orders': is('listOrders', page('orders', listedOrder), PAGE),
  'GET /api/attention': is('showAttention', attention),
  'GET /api/orders/:order_id': is('getOrder', shownOrder, ['not_found']),
  'GET /api/orders/:order_id/events/:event_id': is('getOrderEvent', storedEvent, ['not_found']),
  'POST /api/orders/:order_id/capture': is('captureOrder', capture, money('capture')),
  'POST /api/orders/:order_id/refund': is('refundOrder', refund, [...money('refund'), 'over_limit']),
  'POST /api/orders/:order_id/void': is('voidOrder', capture, money('void')),
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': is('settleAttempt', settled, SETTLE),
  'POST /api/orders/:order_id/cancel': is('cancelOrder', cancelled, CANCEL),
  'POST /api/orders/:order_id/resend': is('resendOrder', record, [...BODY, ...ASKED]),
  'DELETE /api/orders/:order_id/personal-data': is('erasePersonalData', erased, [], 200, 202),
  'POST /api/orders/:order_id/notes': is('addNote', v.record(text, v.never()), FOUND, 201),
  'POST /api/orders/:order_id/attention/done': is('finishAttention', finished, FOUND),
  'GET /api/days': is('listDays', v.object({ days: v.array(shopDay) })),
  'GET /api/operations': is('listOperations', page('operations', operation), PAGE),
  'GET /api/audit': is('listAudit', page('entries', v.object({ ...entry, order_id: text })), PAGE),
  'GET /api/events': is('listFailingEvents', page('events', failingEvent), PAGE),
  'POST /api/events/replay': is('replayEvents', queued, [...BODY, ...PAGE, 'no_on_event'], 202),
  'POST /api/events/:id/replay': is('replayEvent', replayed, ['not_found', 'no_on_event'], 200, 502),
  'POST /api/chat': is('tryChat', tried),
  'POST /api/links': is('makeLink', madeLink, [...BODY, 'no_origin'], 201),
  'GET /api/links': is('listLinks', page('links', link), [...PAGE, 'no_origin']),
  'GET /api/links/:id': is('getLink', v.object({ ...linkFields, orders: v.array(listedOrder), cursor }), [
    ...PAGE,
    ...['not_found', 'no_origin'],
  ]),
  'DELETE /api/links/:id': is('revokeLink', revoked, ['not_found']),
  'GET /api/balances': is('listBalances', v.object({ accounts: v.array(account) }), ASKED),
  'GET /api/strays': is('listStrays', page('strays', stray), PAGE),
  'GET /api/strays/:id': is('getStray', v.object({ data: text }), ['not_found']),
}
