import { ConfigError } from '../errors.ts'
import { requestOf } from '../money/calls.ts'
import type { OperationKind } from '../money/protocol.ts'
import type { CreatePaymentInput } from '../operations/create-payment.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { storeEvent, type TillClient, type TillOptions } from './events.ts'
import { type Moved, play } from './move-money.ts'
import { cancelPayment, type Opened, openPayment } from './open-payment.ts'
import { doDue, eraseOrder, listAttention, type TillAttention } from './settle.ts'
import { migrate, readOrder, run, type TillOrder } from './store.ts'

/** `key`: one key is one operation of one order; a hidden field of a form will do. `ifVersion`: the `version` that the person saw. */
export type MoveOptions = { key: string; ifVersion?: string | undefined }
/** A call that moves money: once for each key. */
export type Move<Name extends keyof TillClient> = (
  input: Parameters<TillClient[Name]>[0],
  options: MoveOptions,
) => Promise<Moved<Awaited<ReturnType<TillClient[Name]>>>>

/** The result of {@link createTill}. Its functions can be passed on: they need no `this`. */
export interface Till {
  /** Makes the tables `edgetill_…`. Call it at start-up, in each process. @throws {ConfigError} where a newer edgetill has made them. */
  migrate(): Promise<void>
  /** Stores a webhook's event, then has your `onEvent` called. @throws while the database fails: the response is then 503. */
  receive(event: WebhookEvent): Promise<void>
  /** Creates a payment, or returns the one that this `order_id` has: its `url` as long as it can be paid, then `ended`. */
  createPayment(input: CreatePaymentInput): Promise<Opened>
  /** Captures or voids a hold, or refunds what was paid. */
  capture: Move<'capturePayment'>
  refund: Move<'refundPayment'>
  void: Move<'voidPayment'>
  /** Cancels a payment that was not paid. It needs no key: a payment that is cancelled stays cancelled. */
  cancel(order_id: string): ReturnType<Move<'cancelPayment'>>
  /** At start-up and every minute: looks up what has no outcome or webhook, calls `onEvent` for what is due. @returns `attention()`. */
  settle(): Promise<TillAttention[]>
  /** Says what became of an operation that cannot be found out, or which of its two ends counts. @param id Of the attempt. */
  settleByHand(order_id: string, id: string, how: { executed: boolean }): Promise<Moved>
  /** The order, folded from its events; undefined where nothing is known of it. */
  order(order_id: string): Promise<TillOrder | undefined>
  /** Orders, the newest first, at most `limit` (50), and the cursor of the next page or null. */
  orders(page?: { limit?: number; cursor?: string | null }): Promise<{ orders: TillOrder[]; cursor: string | null }>
  /** Entries that a person should look at. */
  attention(): Promise<TillAttention[]>
  /** Removes a customer's data from all that is stored of an order. What was paid and refunded stays. */
  erase(order_id: string): Promise<void>
  /** After a backup of `since` was restored: an operation that no stored key explains stops others of its kind until it is settled. */
  recover(backup: { since: Date }): Promise<void>
}

/**
 * Makes a till: captures, refunds, voids and payments that happen once, over a SQL database that you have, with any number of
 * processes. It opens nothing, and knows nothing of HTTP, forms or users.
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
  const must = (isRight: boolean, field: string, what: string): void => {
    if (!isRight) throw new ConfigError(field, `${field} must be ${what}.`)
  }
  for (const name of Object.keys(unknown)) must(false, name, 'left out')
  must(typeof client?.listOrderOperations === 'function', 'client', 'what createClient returns')
  must(typeof database?.run === 'function', 'database', 'sqlite(…), postgres(…), d1(…) or your own')
  must(onEvent === undefined || typeof onEvent === 'function', 'onEvent', 'a function')
  const scope = { client, database, onEvent, keepCardToken }
  let delivery: Promise<unknown> = Promise.resolve()
  const move =
    (kind: OperationKind) =>
    async ({ order_id, ...fields }: { order_id: string }, { key, ifVersion }: MoveOptions): Promise<never> => {
      must(typeof key === 'string' && key !== '', 'key', 'a non-empty text')
      const request = { ...(await requestOf(kind, fields, key)), hasCurrency: true, version: ifVersion }
      return (await play(scope, order_id, { type: 'request', request }, fields)) as never
    }
  return {
    migrate: () => migrate(scope),
    async receive(event) {
      await storeEvent(scope, event)
      // A failed entry is due again.
      delivery = Promise.all([doDue(scope, 'event').catch(() => {}), delivery]).then(() => {})
    },
    createPayment: (input) => openPayment(scope, input),
    capture: move('capture'),
    refund: move('refund'),
    void: move('void'),
    cancel: (order_id) => cancelPayment(scope, order_id) as ReturnType<Till['cancel']>,
    async settle() {
      for (const kind of ['event', 'operation', 'payment', 'event'] as const) await doDue(scope, kind)
      await delivery
      return listAttention(scope)
    },
    settleByHand: (order_id, id, how) => play(scope, order_id, { type: 'by_hand', id, ...how, isListed: false }),
    order: (order_id) =>
      readOrder(scope, order_id).then(({ state, order }) => (state.order.isKnown ? order : undefined)),
    async orders({ limit = 50, cursor } = {}) {
      const [time, key = ''] = (cursor ?? `${Number.MAX_SAFE_INTEGER}/`).split('/')
      const sql = `SELECT * FROM edgetill_log WHERE number = 1 AND (written_at, order_key) < (?, ?) ORDER BY written_at DESC, order_key DESC LIMIT ?`
      const rows = await run(scope, sql, Number(time), key, limit)
      const orders = await Promise.all(rows.map(async ({ order_id }) => (await readOrder(scope, order_id)).order))
      const last = rows[limit - 1]
      return { orders, cursor: last ? `${last.written_at}/${last.order_key}` : null }
    },
    attention: () => listAttention(scope),
    erase: (order_id) => eraseOrder(scope, order_id),
    async recover({ since }) {
      must(since instanceof Date && !Number.isNaN(since.getTime()), 'since', 'a Date')
      // After all that was kept: this clock may be behind.
      const last = `SELECT max(ms) FROM (SELECT ${database.clock} AS ms UNION SELECT written_at FROM edgetill_log) AS t`
      await run(scope, `UPDATE edgetill_version SET recovered_at = (${last}), backup_at = ?`, since.getTime())
    },
  }
}
