import { isFinal } from '../../helpers/status.ts'
import { withoutPerson } from '../../money/personal-data.ts'
import { answeredBy, isOpen, type MoneyOperation } from '../../money/protocol.ts'
import { describeUnsettled } from '../../money/unsettled.ts'
import { foldOperations, foldSummaries, holdsMoney } from '../../orders/fold.ts'
import type { ExpectedPayment, Order as FoldedOrder } from '../../orders/index.ts'
import { orderKey } from '../../orders/order-key.ts'
import { attemptId } from '../lib/attempt-id.ts'
import { responseTo } from '../lib/money-answers.ts'
import type { Order, OrderStatus } from '../lib/shown-order.ts'
import { type CheckoutRecord, getCheckout } from './checkouts.ts'
import { type LoggedEvent, listEvents, newest } from './events.ts'
import { attemptIds } from './published.ts'
import { getBirth } from './rebuild.ts'
import type { Reader } from './scope.ts'
import type { OrderStore } from './tables.ts'

/** "Payment has been cancelled" (the API document, "States and transitions"). */
const CANCELLED = '6007'

export interface OrderReading {
  order: Order
  events: LoggedEvent[]
  checkout: CheckoutRecord | undefined
  /** Its captures, refunds and voids, the oldest first. */
  made: MoneyOperation[]
}

/** Reads an order. An unknown one has no events and no checkout. */
export function readOrder({ store, env }: Reader, order_id: string): OrderReading {
  const events = listEvents(store, order_id)
  const made = listOperations(store, order_id)
  const checkout = getCheckout(store, order_id)
  const order = orderFrom(order_id, events, { checkout, made, posId: env.POS_ID })
  if (getBirth(store)?.rebuilt_at != null) order.flags.push('rebuilt')
  const isTwice = !order.flags.includes('paid_twice') && holdsMoney(order.totals)
  if (isTwice && isPaidBeside(store, order_id)) order.flags.push('paid_twice')
  return { order, events, checkout, made }
}

/** Every attempt at paying an order that has an event or was opened, the first one first. */
export const readAttempts = (scope: Reader, order_id: string): OrderReading[] =>
  attemptIds(scope.store, order_id).map((id) => readOrder(scope, id))

/** The attempt at paying an order that it is shown by: the one that holds money, else the newest. */
export const readShown = (scope: Reader, order_id: string): OrderReading => shownOf(readAttempts(scope, order_id))

export function shownOf(attempts: readonly OrderReading[]): OrderReading {
  return (attempts.find(({ order }) => holdsMoney(order.totals)) ?? attempts.at(-1)) as OrderReading
}

/** Whether another attempt at paying the order holds money. */
export const isPaidBeside = (store: OrderStore, order_id: string): boolean =>
  attemptIds(store, order_id).some(
    (id) => id !== order_id && holdsMoney(foldSummaries(id, listEvents(store, id), {}).totals),
  )

/** Folds an order; the rest adds what was asked for, what is open, and how its attempts are linked. */
export function orderFrom(
  order_id: string,
  events: readonly LoggedEvent[],
  { checkout, made = [], posId }: { checkout: CheckoutRecord | undefined; made?: MoneyOperation[]; posId: string },
): Order {
  // The seal of a webhook counts first: it also says what was asked for where no checkout was recorded.
  const sealed = events.find(({ expected }) => expected)?.expected
  const reference = checkout?.reference ?? sealed?.reference
  const expected: ExpectedPayment = { ...(sealed ?? checkout), pos_id: posId }
  const folded = foldSummaries(order_id, events, expected)
  const order: Order = {
    ...folded,
    ...withTimes(folded, events),
    order_id,
    attempts: made.filter((one) => isOpen(one) && !answeredBy(made, one, folded.operations)).map(describeUnsettled),
  }
  if (!sealed && !checkout && events.length > 0) order.flags.unshift('unknown_order')
  if (reference !== undefined) order.reference = reference
  if (checkout?.customer_email !== undefined) order.customer_email = checkout.customer_email
  if (checkout && checkout.attempts > 1) order.replaced_by = attemptId(order_id, checkout.attempts)
  if (checkout?.replaces !== undefined) order.replaces = checkout.replaces
  return order
}

/** When the shop received the status that each operation has: from the first event that says it. */
function withTimes(folded: FoldedOrder, events: readonly LoggedEvent[]): Pick<Order, 'operations' | 'status_at'> {
  const { status, method, operations } = folded
  const times = foldOperations(events).map(({ events, newest }) => {
    const its = events.filter((event) => event.status === newest.status)
    return new Date(Math.min(...its.map(({ received_at }) => received_at))).toISOString()
  })
  const decides = operations.findIndex((one) => one.method === method && one.status === status)
  return {
    operations: operations.map((one, i) => ({ ...one, received_at: times[i] as string })),
    ...(times[decides] !== undefined && { status_at: times[decides] }),
  }
}

/** The shown end of an order with a final status; undefined of any other one. */
export function getStatus(store: OrderStore, order_id: string): OrderStatus | undefined {
  const events = listEvents(store, order_id)
  const order = foldSummaries(order_id, events, {})
  const { status, method, amount, currency, totals, operations } = order
  if (!isFinal(status ?? '')) return undefined
  const { status_at: at } = withTimes(order, events)
  const [receipt_url, card] = [newest(store, order_id, 'receipt_url'), newest(store, order_id, 'last_four')]
  return {
    ...{ status, method, amount, currency, totals },
    ...(operations.some(({ status_code }) => status_code === CANCELLED) && { cancelled: true }),
    ...(at && { at }),
    ...(receipt_url !== null && { receipt_url }),
    ...(card !== null && { card }),
  }
}

/** Table `operation`, with the response in place of the answer; kept permanently. */
export function putOperation(store: OrderStore, order_id: string, { answer, ...operation }: MoneyOperation): void {
  const row = { ...operation, ...(answer && { response: responseTo(answer) }) }
  store.all(
    'INSERT OR REPLACE INTO operation (order_key, id, started_at, operation) VALUES (?, ?, ?, ?)',
    ...[orderKey(order_id), operation.id, operation.started_at, JSON.stringify(row)],
  )
}

/** Every capture, refund and void of an order that was made here, the oldest first. */
export function listOperations(store: OrderStore, order_id: string): MoneyOperation[] {
  const query = 'SELECT operation FROM operation WHERE order_key = ? ORDER BY started_at, id'
  return store.all<{ operation: string }>(query, orderKey(order_id)).map((row) => {
    const { response, ...operation } = JSON.parse(row.operation)
    return { ...operation, ...(response && { answer: { code: 'recorded', response } }) }
  })
}

/** Replaces the recorded responses of an order by what the books need; see `erasePersonalData`. */
export function eraseResponses(store: OrderStore, order_id: string): void {
  for (const operation of listOperations(store, order_id)) {
    const { answer } = operation
    if (!answer) continue
    const { status, body } = responseTo(answer)
    const response = { status, body: withoutPerson(body as object) }
    putOperation(store, order_id, { ...operation, answer: { code: 'recorded', response } })
  }
}
