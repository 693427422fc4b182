import { merchantOf } from '../client/merchant.ts'
import { ConfigError, isConfigError } from '../errors.ts'
import type { CreatePaymentInput } from '../operations/create-payment.ts'
import { attemptOf, isOrderId, storedId } from '../orders/attempt-id.ts'
import type { DaySum, DaysQuery, TillOperation } from '../orders/day-sums.ts'
import type { ListedOrder } from '../orders/listed-order.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { CALL_NAMES, requestOf } from './calls.ts'
import { listDays, listOperations, type OperationsQuery } from './days.ts'
import { receiveStray, storeEvent, type TillClient, type TillOptions, type TillScope } from './events.ts'
import { catchUp } from './listed.ts'
import { listOrders, type OrdersQuery } from './lists.ts'
import { invalid, type Moved, play, rejectionOf } from './move-money.ts'
import { cancelPayment, type Opened, type OpenOptions, openPayment } from './open-payment.ts'
import type { OperationKind } from './protocol.ts'
import { doClaimed, doDue, doRow, eraseOrder, listAttention, makeDue, type TillAttention } from './settle.ts'
import { findOperation, migrate, orderOf, readNamed, run, type TillOrder } from './store.ts'

/**
 * `key`: use one for each operation of an order; a hidden field of a form can carry it. `ifVersion`: the `version` that
 * the person saw.
 */
export type MoveOptions = { key: string; ifVersion?: string | undefined }
/**
 * `limitMinor`: how much the caller may refund of the whole order in hundredths, earlier refunds of all attempts
 * included.
 */
export type RefundOptions = MoveOptions & { limitMinor?: number | undefined }
/** A call that moves money: once for each key. */
export type Move<Name extends keyof TillClient, Options = MoveOptions> = (
  input: Parameters<TillClient[Name]>[0],
  options: Options,
) => Promise<Moved<Awaited<ReturnType<TillClient[Name]>>>>

/** The result of {@link createTill}. Its functions can be passed on: they need no `this`. */
export interface Till {
  /**
   * Makes the tables `edgetill_…`, which then belong to the client's POS and address. Call it at start-up, in each
   * process.
   * @throws {ConfigError} if a newer edgetill has made them, or if they belong to another POS or address.
   */
  migrate(): Promise<void>
  /**
   * Stores a webhook's event, then has your `onEvent` called.
   * @throws while the database fails: the response is then 503.
   */
  receive(event: WebhookEvent): Promise<void>
  /**
   * Stores a genuine webhook that cannot be read, such as one that is not JSON: `attention()` shows it. Pass it to
   * `createWebhookHandler` as `onUnreadable`. @param raw The raw `data`, or the error that carries it.
   */
  receiveStray(raw: string | { data: string; reason?: string }): Promise<void>
  /**
   * Creates a payment, or returns the existing payment of this `order_id`: its `url` as long as it can be paid, then
   * `ended`. With `attempts` a decline is followed by another attempt, once the service has confirmed that the earlier
   * one cannot be paid.
   */
  createPayment(input: CreatePaymentInput, options?: OpenOptions): Promise<Opened>
  /**
   * Captures or voids a hold, or refunds a payment. The order's own id means the attempt that holds money, `mugs~2` the
   * second attempt, `mugs~1` the first.
   */
  capture: Move<'capturePayment'>
  refund: Move<'refundPayment', RefundOptions>
  void: Move<'voidPayment'>
  /**
   * Cancels the open payment of an order, in any attempt, and closes the order: no other payment is made. It needs no
   * key. If nothing is open, `record.link` is `closed`.
   */
  cancel(order_id: string): ReturnType<Move<'cancelPayment'>>
  /**
   * Call it at start-up and every minute: it finds out unknown outcomes, and calls `onEvent` for due events.
   * @returns `attention()`.
   */
  settle(): Promise<TillAttention[]>
  /**
   * Settles an operation whose outcome cannot be found out, or decides which of its two ends counts.
   * @param id The operation's.
   */
  settleByHand(order_id: string, id: string, how: { executed: boolean }): Promise<Moved>
  /**
   * The order, folded from its events; undefined for an unknown order. If there were several attempts, it is shown by
   * the attempt that holds money, else by the newest. `mugs~2` is the second attempt, `mugs~1` the first.
   */
  order(order_id: string): Promise<TillOrder | undefined>
  /**
   * A page of orders, the newest first, up to date, and the cursor of the next page or null.
   * @throws {ConfigError} for a wrong filter. @throws while more than 500 orders are not listed yet: `settle`, or call
   * again.
   */
  orders(query?: OrdersQuery): Promise<{ orders: ListedOrder[]; cursor: string | null }>
  /**
   * The takings of days: a row for each day, currency and way of payment. An operation counts on the day that its
   * success was received.
   */
  days(query: DaysQuery): Promise<DaySum[]>
  /** A page of the operations of days, the oldest first. */
  operations(query: OperationsQuery): Promise<{ operations: TillOperation[]; cursor: string | null }>
  /** Entries that a person should look at. */
  attention(): Promise<TillAttention[]>
  /**
   * Calls `onEvent` again for an event, also after it was handled or given up.
   * @returns Whether there is such an event.
   */
  replay(order_id: string, event_id: string): Promise<boolean>
  /** Removes a customer's data from an order. Payments and refunds stay. */
  erase(order_id: string): Promise<void>
  /**
   * Call it after you have restored a backup of `since`, and called `migrate`. While the service shows an operation
   * that no stored key explains, no new operation of that kind is sent, and a person settles the request. An earlier
   * time is safe too.
   * @param backup `events`: webhooks that you have received since then and kept elsewhere; they are stored without
   *   calling `onEvent`. `erased`: the ids of orders that were erased since then; they are erased again. Repeatable
   *   after a failure.
   * @returns The time that counts: yours, or the last `migrate`'s if that is earlier, because rows that were written
   * since then are not from the backup.
   * @throws {ConfigError} for a time in the future.
   */
  recover(backup: {
    since: Date
    events?: Iterable<WebhookEvent> | AsyncIterable<WebhookEvent> | undefined
    erased?: Iterable<string> | undefined
  }): Promise<{ since: Date }>
}

/**
 * Makes a till: captures, refunds, voids and payments that happen once, over your own SQL database, with any number of
 * processes. It opens nothing, and has no part in HTTP, forms or users.
 * @throws {ConfigError} naming the option that cannot work.
 * @example
 * import type { Client } from 'edgetill'
 * import { createTill, type TillDatabase } from 'edgetill/till'
 * async function refundOnce(client: Client, database: TillDatabase, order_id: string, key: string) {
 *   const till = createTill({ client, database })
 *   await till.migrate()
 *   await till.settle() // and every minute; webhooks go to createWebhookHandler({ secrets, onEvent: till.receive })
 *   return till.refund({ order_id, order_currency: 'UAH', refund_amount: 30 }, { key })
 * }
 */
export function createTill(options: TillOptions): Till {
  const { client, database, onEvent, keepCardToken, ...unknown } = { __proto__: null, ...options } as TillOptions
  for (const name of Object.keys(unknown)) must(false, name, 'left out')
  must(typeof client?.listOrderOperations === 'function', 'client', 'what createClient returns')
  must(typeof database?.run === 'function', 'database', 'sqlite(…), postgres(…), d1(…) or your own')
  must(onEvent === undefined || typeof onEvent === 'function', 'onEvent', 'a function')
  return tillOver({ client, database, onEvent, keepCardToken })
}

function must(isRight: boolean, field: string, what: string): void {
  if (!isRight) throw new ConfigError(field, `${field} must be ${what}.`)
}

/** A till with the hooks of a shop. */
export function tillOver(scope: TillScope): Till {
  const { client, database, onEvent } = scope
  const { posId } = merchantOf(client)
  let delivery: Promise<unknown> = Promise.resolve()
  /** Delivers only this row: processes that all empty one queue would compete for it. A row that fails is due again. */
  const deliver = (called: Promise<unknown> | undefined): void => {
    delivery = Promise.allSettled([called, delivery]).then(() => {})
  }
  /** @returns Undefined for a valid input. @throws {ConfigError} for another merchant's POS. */
  const check = ({ order_id, pos_id = posId }: { order_id: string; pos_id?: string | undefined }) => {
    must(pos_id.toLowerCase() === posId.toLowerCase(), 'pos_id', "the client's posId")
    return isOrderId(order_id)
      ? undefined
      : invalid('order_id must be a text of 1 to 512 characters, without NUL or a lone surrogate.')
  }
  const move =
    (kind: OperationKind) =>
    async (input: { order_id: string }, { key, ifVersion, limitMinor }: RefundOptions): Promise<never> => {
      must(typeof key === 'string' && key !== '', 'key', 'a non-empty text')
      const isLimit = limitMinor === undefined || (Number.isSafeInteger(limitMinor) && limitMinor >= 0)
      must(isLimit, 'limitMinor', 'a whole number of hundredths')
      // The currency only completes the check: without one, the call uses the currency of the order's payment.
      const wrong = check(input) ?? (await rejectionOf(client, CALL_NAMES[kind], { order_currency: 'UAH', ...input }))
      if (wrong) return wrong as never
      const { order_id, ...fields } = input
      const keyed = await requestOf(kind, fields, key)
      const request = { ...keyed, hasCurrency: true, version: ifVersion, limit: limitMinor }
      return (await play(scope, order_id, { type: 'request', request }, fields)) as never
    }
  return {
    migrate: () => migrate(scope),
    async receive(event) {
      const due = await storeEvent(scope, event, { isClaimed: true })
      deliver(due && doClaimed(scope, due.row, due))
    },
    receiveStray: (raw) => receiveStray(scope, raw),
    createPayment: async (input, opening = {}) => check(input) ?? openPayment(scope, input, opening),
    capture: move('capture'),
    refund: move('refund'),
    void: move('void'),
    cancel: (order_id) => cancelPayment(scope, order_id) as ReturnType<Till['cancel']>,
    async settle() {
      // The kinds run side by side; then the events that operations and payments have led to are due.
      await Promise.all((['event', 'operation', 'payment'] as const).map((kind) => doDue(scope, kind)))
      await doDue(scope, 'event')
      // A list reports why an order cannot be listed.
      const listed = catchUp(scope).catch((error: unknown) => isConfigError(error) && Promise.reject(error))
      await Promise.all([delivery, listed])
      return listAttention(scope)
    },
    async settleByHand(named, id, how) {
      const { order_id } = await findOperation(scope, named, id)
      return play(scope, order_id, { type: 'by_hand', id, ...how, isListed: false })
    },
    async order(named) {
      if (!isOrderId(named)) return undefined
      const [{ order, state, attempts }, isWhole] = await readNamed(scope, named)
      if (isWhole) return orderOf(attempts)
      return state.order.isKnown ? order : undefined
    },
    async orders(query = {}) {
      for (const [name, time] of Object.entries({ from: query.from, to: query.to }))
        must(time === undefined || !Number.isNaN(time.getTime()), name, 'a Date')
      return listOrders(scope, query)
    },
    days: (query) => listDays(scope, query),
    operations: (query) => listOperations(scope, query),
    attention: () => listAttention(scope),
    async replay(order_id, event_id) {
      const row = await makeDue(scope, 'order_id = ? AND id = ?', storedId(attemptOf(order_id).base_id), event_id)
      deliver(row && onEvent && doRow(scope, row))
      return row !== undefined
    },
    erase: async (order_id) => void (await eraseOrder(scope, order_id)),
    async recover({ since, events = [], erased = [] }) {
      must(since instanceof Date && !Number.isNaN(since.getTime()), 'since', 'a Date')
      // After every row: this clock may be behind.
      const last = `SELECT max(ms) FROM (SELECT ${database.clock} AS ms UNION SELECT written_at FROM edgetill_log) AS t`
      // Rows that were written after the last start belong to no backup.
      const backup = 'CASE WHEN started_at < ? THEN started_at ELSE ? END'
      const sql = `UPDATE edgetill_version SET recovered_at = (${last}), backup_at = ${backup} WHERE ? < (${last}) + 60000 RETURNING backup_at`
      const time = since.getTime()
      const [row] = await run(scope, sql, time, time, time)
      must(row !== undefined, 'since', 'a time that is over')
      for await (const event of events) await storeEvent(scope, event, { notify: false })
      for (const order_id of erased) await eraseOrder(scope, order_id)
      return { since: new Date(Number(row?.backup_at)) }
    },
  }
}
